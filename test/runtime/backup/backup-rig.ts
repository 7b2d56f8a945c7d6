import { once } from "node:events";
import { cpSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { type BackupOptions, type BackupReport, backUp } from "../../../runtime/backup/back-up.js";
import { type RestoreReport, restore } from "../../../runtime/backup/restore.js";
import { spawnNode } from "../../spawn-node.js";

interface Test {
  teardown(fn: () => Promise<void>): unknown;
}

export const STEPPER = join(import.meta.dirname, "stepper.js");

/** A folder outside of tap's own, which goes away before children do. */
export async function folderFor(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tendril-backup-test-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A backup of `state` with everything else at its default. */
export const backupOf = (
  state: string,
  to: string,
  changes: Partial<BackupOptions> = {},
): Promise<BackupReport> =>
  backUp({
    state,
    to,
    config: join(state, "tendril.yaml"),
    host: "here",
    keep: 14,
    photos: false,
    clock: new SimulatedClock(),
    ...changes,
  });

export const restoreTo = (state: string, file: string): Promise<RestoreReport> =>
  restore({ file, state, config: join(state, "tendril.yaml"), clock: new SimulatedClock() });

/** Every file below a folder, with what it holds; the lock's is SQLite's affair. */
export async function treeOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !/^\.?lock\./.test(entry.name));
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  const read = paths.map(
    async (path) => [path.slice(folder.length + 1), (await readFile(path)).toString("base64")] as const,
  );
  return new Map(await Promise.all(read));
}

/** Runs a backup or a restore in a process of its own that kills itself at this step. */
export async function killedAt(
  step: string,
  job: "backup" | "restore",
  ...args: readonly string[]
): Promise<void> {
  const child = spawnNode([STEPPER, step, job, ...args]);
  child.stderr.pipe(process.stderr);
  child.stdout.resume();
  const [code, signal] = await once(child, "exit");
  if (signal !== "SIGKILL") throw new Error(`${job} ended with ${code}`);
}

/** A restore into `state`; what lies there at each step, copied: what a process leaves that is killed there. */
export async function leftAtSteps(
  t: Test,
  state: string,
  file: string,
): Promise<readonly { readonly step: string; readonly left: string }[]> {
  const copies = await folderFor(t);
  const steps: { step: string; left: string }[] = [];
  const onStep = (step: string) => {
    const left = join(copies, String(steps.length), "state");
    cpSync(state, left, { recursive: true });
    steps.push({ step, left });
  };
  await restore({ file, state, config: join(state, "tendril.yaml"), clock: new SimulatedClock(), onStep });
  return steps;
}

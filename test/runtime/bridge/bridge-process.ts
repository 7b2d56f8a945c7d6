import type { ChildProcess } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import { endOf, type Ran } from "../../run-tendril.js";
import { spawnNode } from "../../spawn-node.js";
import { ProgramHere } from "../../tendril-here.js";

const PROGRAM = fileURLToPath(new URL("../../../runtime/bridge/main.js", import.meta.url));

/** A folder of a bridge, with its file of secrets. */
export async function bridgeFolder(t: Test, yaml: string, mode = 0o600): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tendril-bridge-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "bridge.yaml"), yaml);
  await chmod(join(folder, "bridge.yaml"), mode);
  return folder;
}

/** Starts `tendril-bridge`. */
export function spawnBridge(args: readonly string[], env = {}): { child: ChildProcess; ended: Promise<Ran> } {
  const child = spawnNode([PROGRAM, ...args], env);
  return { child, ended: endOf(child) };
}

/** The same program in the process of the test. */
export const bridgeHere = (args: readonly string[]): ProgramHere => ProgramHere.start(PROGRAM, args);

/** Starts it by a program that is killed at once. The output ends when nobody has it any more: when the bridge has ended. */
export function spawnOrphan(args: readonly string[]): Promise<Ran> {
  const options = { stdio: ["ignore", "inherit", "inherit", "ipc"], detached: true };
  const script = `import { spawn } from "node:child_process";
    spawn(process.execPath, ${JSON.stringify([PROGRAM, ...args])}, ${JSON.stringify(options)});
    process.kill(process.pid, "SIGKILL");`;
  return endOf(spawnNode(["--input-type=module", "-e", script]));
}

/** Every file below a folder, as one text. */
export async function allText(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return (await Promise.all(files.map((file) => readFile(file, "latin1")))).join("\n");
}

/** Waits until `is` gives something, with real time. */
export async function until<T>(is: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await is();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

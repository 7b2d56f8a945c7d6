import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { BenchStateFile } from "../../drivers/bench/bench-state.js";
import { DriverError } from "../../drivers/errors.js";
import { messageOf, troubleIn } from "../../drivers/system-error.js";
import { loadConfig } from "../configuration.js";
import { ConfigError, TendrilError } from "../errors.js";
import { CONFIG_FILE, LEAVE_OUT, type LeftOut } from "../places.js";
import { readTokens } from "../server/token-files.js";

/** The entries of a state folder that go with each. */
const ENTRIES: Readonly<Record<LeftOut, readonly string[]>> = {
  [CONFIG_FILE]: [CONFIG_FILE],
  tokens: ["tokens", "tokens-scoped"],
  "bench.json": ["bench.json"],
};

export const entriesOf = (leftOut: readonly LeftOut[]): readonly string[] =>
  leftOut.flatMap((each) => ENTRIES[each]);

/** Takes them out of an unpacked backup. */
export async function leaveOut(stage: string, leftOut: readonly LeftOut[]): Promise<void> {
  for (const entry of entriesOf(leftOut)) await rm(join(stage, entry), { recursive: true, force: true });
}

/** Read by the code that reads them at a start. */
const READERS: Readonly<Record<LeftOut, (stage: string) => Promise<unknown>>> = {
  [CONFIG_FILE]: async (stage) => loadConfig(join(stage, CONFIG_FILE)),
  tokens: (stage) => readTokens(join(stage, "tokens")),
  "bench.json": (stage) => new BenchStateFile(stage).load(),
};

/**
 * Throws BACKUP_CANNOT_START if a start on this unpacked backup would be refused. `unused`: entries that the restore does not take
 * from it.
 */
export async function assertStarts(file: string, stage: string, unused: readonly string[]): Promise<void> {
  const used = (await readdir(stage)).filter((entry) => !unused.includes(entry));
  for (const name of LEAVE_OUT) {
    if (!ENTRIES[name].some((entry) => used.includes(entry))) continue;
    await READERS[name](stage).catch((cause: unknown) => {
      const reason = reasonOf(cause).replaceAll(`${stage}/`, "").trim();
      const what = `no runtime would start with the ${name} of ${file} (${reason})`;
      throw new TendrilError("BACKUP_CANNOT_START", what, { cause });
    });
  }
}

/** Without the advice that is for a start. */
function reasonOf(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join("; ");
  if (error instanceof TendrilError) return error.what;
  if (error instanceof DriverError) return error.what;
  return troubleIn(error) ?? messageOf(error);
}

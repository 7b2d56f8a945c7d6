import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Linux keeps this in memory. A disk makes a test wait for it; what a test promises is the same on both. */
const MEMORY = "/dev/shm";
/** Bytes, a choice: ten times what the suite needs at a time. */
const ENOUGH = 2 ** 31;

/** What a process of the suite has to be told so that its temporary files are in memory; nothing where there is too little. */
export function inMemory(onEnd: (remove: () => void) => unknown): NodeJS.ProcessEnv {
  if (!hasRoom()) return {};
  const folder = mkdtempSync(join(MEMORY, "tendril-"));
  onEnd(() => rmSync(folder, { recursive: true, force: true }));
  return { TMPDIR: folder };
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH;
  } catch {
    return false;
  }
}

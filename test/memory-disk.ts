import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, statfsSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";

/** Linux keeps this in memory. A disk makes a test wait for it; what a test promises is the same on both. */
const MEMORY = "/dev/shm";
/** Bytes, a choice: ten times what the suite needs at a time. */
const ENOUGH = 2 ** 31;

/** tap keeps its own files here, and git none. */
const TAP = ".tap";

/** What a process of the suite has to be told so that its temporary files are in memory; nothing where there is too little. */
export function inMemory(onEnd: (remove: () => void) => unknown): NodeJS.ProcessEnv {
  if (!hasRoom()) return {};
  const folder = mkdtempSync(join(MEMORY, "tendril-"));
  const link = linkTo(folder);
  onEnd(() => {
    rmSync(link, { force: true });
    rmSync(folder, { recursive: true, force: true });
  });
  return { TMPDIR: folder, TAP_CWD: link };
}

/**
 * Where tap makes the folders of `t.testdir()`. Below the working folder by its name, wherever its files are: where a test's folder
 * lies elsewhere, tap changes the working folder at the test's end.
 */
function linkTo(folder: string): string {
  const link = join(process.cwd(), TAP, basename(folder));
  mkdirSync(TAP, { recursive: true });
  symlinkSync(folder, link);
  // a program that a test puts there finds its packages
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  return link;
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

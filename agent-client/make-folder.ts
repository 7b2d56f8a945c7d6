import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "./usage-error.js";

/**
 * Makes a folder and those it lies in. Throws a UsageError in plain words. Not by Node's recursive mkdir: below /proc it
 * never ends.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  if (folder === "") throw new UsageError("a folder needs a name");
  if (isFolder(folder)) return;
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    if (isFolder(folder)) return; // another program was quicker
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(`the folder ${folder} cannot be made: ${REASONS[code ?? ""] ?? code}`, { cause });
  }
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "there is a file of that name",
  ENOTDIR: "it would lie in a file",
  ENOENT: "nothing can be made there",
  EACCES: "you may not write there",
  EROFS: "nothing can be written there",
};

import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../options.js";

/** Makes a folder and those it lies in. Throws a UsageError in plain words. Not by Node's recursive mkdir: below /proc it never ends. */
export function makeFolder(folder: string): void {
  if (folder === "") throw new UsageError("--report needs the name of a folder");
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(`the folder ${folder} cannot be made: ${REASONS[code ?? ""] ?? code}`, { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "there is a file of that name",
  ENOTDIR: "it would lie in a file",
  EACCES: "you may not write there",
  EROFS: "nothing can be written there",
};

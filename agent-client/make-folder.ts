import { makeFolderNow } from "../drivers/make-folder.js";
import { UsageError } from "./errors.js";

/** Makes a folder and those it lies in. Throws a UsageError in plain words. */
export function makeFolder(folder: string, mode = 0o777): void {
  if (folder === "") throw new UsageError("a folder needs a name");
  try {
    makeFolderNow(folder, mode);
  } catch (cause) {
    const { code, path = folder } = cause as NodeJS.ErrnoException;
    throw new UsageError(`the folder ${path} cannot be made: ${REASONS[code ?? ""] ?? code}`, { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "there is a file of that name",
  ENOTDIR: "it would lie in a file",
  ENOENT: "nothing can be made there",
  EACCES: "you may not write there",
  EROFS: "nothing can be written there",
};

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isMissing } from "./system-error.js";

/** Makes a folder and those it lies in, where they are not there yet. Rejects with what the system says. */
export const makeFolder = async (folder: string, mode = 0o777): Promise<void> => makeFolderNow(folder, mode);

/** The same at once. Throws what the system says. Not by Node's recursive mkdir: below /proc it never ends. */
export function makeFolderNow(folder: string, mode = 0o777): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (isFolder(folder)) return; // another program was quicker
    if (!isMissing(error) || isFolder(above)) throw error;
    makeFolderNow(above, mode);
    makeFolderNow(folder, mode);
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode, isMissing } from "./system-error.js";

/**
 * Makes a folder and those it lies in, where they are not there yet. Rejects with what the system says. Not by Node's
 * recursive mkdir: below /proc it never ends.
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const above = dirname(folder);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (hasCode(error, "EEXIST") && (await isFolder(folder))) return;
    if (!isMissing(error) || (await isFolder(above))) throw error;
    await makeFolder(above, mode);
    await makeFolder(folder, mode);
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

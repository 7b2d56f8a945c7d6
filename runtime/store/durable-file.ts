import { writeFileSync } from "node:fs";
import { type FileHandle, readFile } from "node:fs/promises";
import { replaceFile } from "../../drivers/durable-file.js";
import { isMissing } from "../../drivers/system-error.js";
import { storeFailed } from "./store-failed.js";

/**
 * Writes a whole file so that after a power cut there is all of it or none: beside it, synced, then renamed.
 * Throws STORE_FAILED.
 */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await replaceFile(file, content, 0o600);
  } catch (cause) {
    throw storeFailed(`the file ${file}`, cause);
  }
}

/** Writes a whole file without waiting for the disk, at once: a simulation has nothing else to do. Throws STORE_FAILED. */
export async function writeRelaxed(file: string, content: string | Uint8Array): Promise<void> {
  try {
    writeFileSync(file, content, { mode: 0o600 });
  } catch (cause) {
    throw storeFailed(`the file ${file}`, cause);
  }
}

/** The text of a file, or undefined where there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** From Node 26 on, a file that is left open ends the process when it is collected as garbage. */
export async function closedOnFailure<T>(
  handle: Pick<FileHandle, "close">,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    await handle.close().catch(() => undefined); // the first error is the one to tell
    throw error;
  }
}

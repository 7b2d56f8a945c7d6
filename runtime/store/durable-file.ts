import { writeFileSync } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { isMissing } from "../../drivers/system-error.js";
import { storeFailed } from "./store-failed.js";

/** Makes the names in a folder durable: a new file is lost in a power cut unless its folder is synced too. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Writes a whole file so that after a power cut there is all of it or none: beside it, synced, then renamed.
 * Throws STORE_FAILED.
 */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    await writeSynced(temporary, content);
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first error is the one to tell
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

async function writeSynced(file: string, content: string | Uint8Array): Promise<void> {
  const handle = await open(file, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
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

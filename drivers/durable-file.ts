import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

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
 * Writes a whole file so that after a power cut there is all of it or none: beside it, synced, then renamed. `mode` is
 * a new file's. Rejects with what the system says.
 */
export async function replaceFile(file: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    await writeSynced(temporary, content, mode);
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first error is the one to tell
    throw cause;
  }
}

async function writeSynced(file: string, content: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(file, "w", mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

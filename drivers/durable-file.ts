import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
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

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Writes a whole file so that after a power cut there is all of it or none: beside it, synced, then renamed. `mode` is
 * a new file's, and so is the owner, ours where none is given. Rejects with what the system says.
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array,
  mode: number,
  owner?: Owner,
): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    await writeSynced(temporary, content, mode, owner);
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first error is the one to tell
    throw cause;
  }
}

async function writeSynced(
  file: string,
  content: string | Uint8Array,
  mode: number,
  owner: Owner | undefined,
): Promise<void> {
  const handle = await open(file, "w", mode);
  try {
    if (owner) await handle.chown(owner.uid, owner.gid);
    if (owner) await handle.chmod(mode); // whatever our umask is
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The same at once, for a program that holds no hardware and must let nothing come between reading and writing. Throws what
 * the system says.
 */
export function replaceFileNow(file: string, content: string, mode: number): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    flushed(temporary, "w", (handle) => writeFileSync(handle, content), mode);
    renameSync(temporary, file);
    if (process.platform !== "win32") flushed(dirname(file), "r"); // Windows opens no folders
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw cause;
  }
}

function flushed(path: string, flags: "w" | "r", write?: (handle: number) => void, mode?: number): void {
  const handle = openSync(path, flags, mode);
  try {
    write?.(handle);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

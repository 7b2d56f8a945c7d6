import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
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

/** Whether a file or folder of this mode lets anybody but its owner in. */
export const isOpenToOthers = ({ mode }: Pick<Stats, "mode">): boolean => (mode & 0o077) !== 0;

/** Makes the names in a folder durable: a new file is lost in a power cut unless its folder is synced too. */
export async function syncFolder(folder: string): Promise<void> {
  await closedAfter(await open(folder, "r"), (handle) => handle.sync());
}

/**
 * Opens a file that a folder has, to read it; undefined for what is no plain file. To open a pipe would hold one of Node's four
 * threads until somebody writes to it, and a process with such a thread cannot end.
 */
export async function openPlain(path: string, flags = 0): Promise<FileHandle | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  let isFile = false;
  try {
    isFile = (await handle.stat()).isFile();
  } finally {
    if (!isFile) await handle.close();
  }
  return isFile ? handle : undefined;
}

/** The text of such a file; undefined also for one of more than `most` bytes. */
export async function readPlain(path: string, most = Number.POSITIVE_INFINITY): Promise<string | undefined> {
  const handle = await openPlain(path);
  const read = async (file: FileHandle) =>
    (await file.stat()).size <= most ? file.readFile("utf8") : undefined;
  return handle && closedAfter(handle, read);
}

/** The same as bytes, of a file that must be one. */
export async function readPlainBytes(path: string): Promise<Buffer> {
  const handle = await openPlain(path);
  if (!handle) throw new Error(`${path} is no plain file`);
  return closedAfter(handle, () => handle.readFile());
}

export interface Closable {
  close(): Promise<unknown>;
}

/** Closes what was opened when its use is over, also after a failure. */
export async function closedAfter<Opened extends Closable, T>(
  opened: Opened,
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  try {
    return await use(opened);
  } finally {
    await opened.close();
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
  await closedAfter(await open(file, "w", mode), async (handle) => {
    if (owner) await handle.chown(owner.uid, owner.gid);
    if (owner) await handle.chmod(mode); // whatever our umask is
    await handle.writeFile(content);
    await handle.sync();
  });
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

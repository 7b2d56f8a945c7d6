import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { DATABASE_FILE } from "../store/open-database.js";
import { RecordIndex } from "../store/record-index.js";
import { exists, readUsedMark, sizeOf } from "../store/state-folder.js";
import { openBeside } from "./snapshot.js";

/** As the journals read. */
const CHUNK = 65_536;

/**
 * Whether a journal of the present folder goes on where the one from the backup ends, and nothing of it is known to be lost: then
 * it is the same device's, newer, and knows everything that the other one knows. One without a line is nobody's: what it
 * had to say is known only where another journal has shown that the device is the same.
 */
export async function goesOn(
  present: string,
  restored: string,
  log: string,
  sameDevice: boolean,
): Promise<boolean> {
  const [now, then] = [journalOf(present, log), journalOf(restored, log)];
  const [nowBytes, thenBytes] = [await sizeOf(now), await sizeOf(then)];
  if (nowBytes < thenBytes || (await exists(`${now}.lost`))) return false;
  if (thenBytes === 0 && !sameDevice) return false;
  if (nowBytes === 0 && (await hasBegun(present, log))) return false;
  return (await beginsAs(now, then, thenBytes)) && (await indexed(present, log)) <= nowBytes;
}

export const journalOf = (folder: string, log: string): string => join(folder, "journal", `${log}.jsonl`);

/** Whether the log has ever recorded anything, by the folder's mark; a damaged one may have said so. */
async function hasBegun(folder: string, log: string): Promise<boolean> {
  const { names, damaged } = await readUsedMark(folder);
  return damaged || names.includes(log);
}

async function beginsAs(longer: string, shorter: string, bytes: number): Promise<boolean> {
  if (bytes === 0) return true;
  return whileOpen(longer, (a) => whileOpen(shorter, (b) => areEqual(a, b, bytes)));
}

async function whileOpen<T>(file: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(file, "r");
  return use(handle).finally(() => handle.close());
}

async function areEqual(a: FileHandle, b: FileHandle, bytes: number): Promise<boolean> {
  for (let at = 0; at < bytes; at += CHUNK)
    if (!(await piece(a, at, bytes)).equals(await piece(b, at, bytes))) return false;
  return true;
}

async function piece(handle: FileHandle, at: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(CHUNK, end - at));
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, at + filled);
    if (bytesRead === 0) return buffer.subarray(0, filled);
    filled += bytesRead;
  }
  return buffer;
}

/** Bytes of the journal that the present database has seen: a journal shorter than that has lost lines. 0 where it cannot say. */
async function indexed(present: string, log: string): Promise<number> {
  const file = join(present, DATABASE_FILE);
  if (!(await exists(file))) return 0;
  try {
    const database = await openBeside(file);
    return await new RecordIndex(database, log).position().finally(() => database.close());
  } catch {
    return 0; // a database that cannot be read is made anew from the journals, by any start too
  }
}

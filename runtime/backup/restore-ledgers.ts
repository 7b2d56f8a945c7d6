import { copyFile, type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../drivers/make-folder.js";
import { Control, type ControlEntry } from "../services/people/control.js";
import { LossMark } from "../store/durable-file.js";
import { Journal } from "../store/journal.js";
import { type JournalLine, readLines } from "../store/journal-lines.js";
import { DATABASE_FILE } from "../store/open-database.js";
import { RecordIndex } from "../store/record-index.js";
import { exists, readUsedMark, sizeOf } from "../store/state-folder.js";
import { openBeside } from "./contents.js";

/**
 * What rules go by, beside water. A restore takes back what was written, never what has happened: where the present journal goes
 * on from the restored one, it stays as it is today. They refer to lines of the water journal (what a person has forgiven,
 * which cycle paid), so they stay with it or not at all. It has lines from its first start on, by which a device is known.
 */
const REFERRING = ["light", "control", "statuses", "approvals", "calls"] as const;
/** Of these a loss has a consequence, drawn by the next start: a day's water counts as poured, the light rests, all is held. */
const MISSED = ["water", "light", "control"] as const;

export interface Ledgers {
  /** Logs that stay as they are today. */
  readonly kept: readonly string[];
  /** Logs of which the last part is missing, to the dry side. */
  readonly lost: readonly string[];
}

/** Makes a restored folder, not in use yet, err on the dry side for what has happened since the backup. */
export async function carryOverLedgers(present: string, restored: string, reason: string): Promise<Ledgers> {
  await makeFolder(join(restored, "journal"), 0o700);
  const sameDevice = await continues(present, restored, "water", false);
  const kept: string[] = sameDevice ? ["water"] : [];
  for (const log of REFERRING)
    if (sameDevice && (await continues(present, restored, log, true))) kept.push(log);
  for (const log of kept) await copyIfThere(journalOf(present, log), journalOf(restored, log));
  const lost = MISSED.filter((log) => !kept.includes(log));
  if (lost.includes("control")) await addInForce(present, restored);
  for (const log of lost) await markLost(journalOf(restored, log), `the journal ${log} is from ${reason}`);
  return { kept, lost };
}

/** In place of a mark that was in the backup: both would have one consequence. */
async function markLost(journal: string, reason: string): Promise<void> {
  const mark = await LossMark.open(journal);
  if (mark.reason === undefined) await mark.set(reason);
}

/** Holds and faults that are in force now stay so, whatever the backup knows. What cannot be read is held anyway. */
async function addInForce(present: string, restored: string): Promise<void> {
  const file = journalOf(restored, "control");
  const known = new Set((await inForce(file)).map(keyOf));
  const missing = (await inForce(journalOf(present, "control"))).filter((entry) => !known.has(keyOf(entry)));
  if (missing.length === 0) return;
  const { journal } = await Journal.open({ file });
  for (const entry of missing) await journal.append(entry);
  await journal.close();
}

const keyOf = ({ kind, plant, code }: ControlEntry): string => JSON.stringify([kind, plant, code]);

/** Read without a change to the file, which is put aside as it is. */
async function inForce(file: string): Promise<ControlEntry[]> {
  if (!(await exists(file))) return [];
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const all = () => entriesIn(readLines(handle, 0, size));
    return (await Control.open({ all, append: readOnly })).inForce();
  } finally {
    await handle.close();
  }
}

async function* entriesIn(lines: AsyncGenerator<JournalLine>): AsyncGenerator<ControlEntry> {
  for await (const line of lines) if ("entry" in line) yield line.entry as unknown as ControlEntry;
}

const readOnly = (): never => {
  throw new Error("what is in force is read, not changed");
};

async function copyIfThere(from: string, to: string): Promise<void> {
  if (!(await exists(from))) return;
  await copyFile(from, to);
  const handle = await open(to, "r+");
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** As the journals read. */
const CHUNK = 65_536;

/**
 * Whether a journal of the present folder goes on where the one from the backup ends, and nothing of it is known to be lost: then
 * it is the same device's, newer, and knows everything that the other one knows. One without a line is nobody's: what it
 * had to say is known only where another journal has shown that the device is the same.
 */
export async function continues(
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

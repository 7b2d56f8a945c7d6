import { copyFile, type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { closedAfter, makeFolder } from "../../drivers/durable-file.js";
import type { ServiceModule } from "../services/module.js";
import { MODULES } from "../services/modules.js";
import { Control, type ControlEntry } from "../services/people/control.js";
import { DOSE_LOG } from "../services/water/declarations.js";
import { LossMark } from "../store/durable-file.js";
import { Journal } from "../store/journal.js";
import { reachNoted } from "../store/journal-end.js";
import { type JournalLine, linesIn, readLines } from "../store/journal-lines.js";
import { DATABASE_FILE } from "../store/open-database.js";
import { RecordIndex } from "../store/record-index.js";
import type { LogDefinition, LogEntry } from "../store/records.js";
import { exists, readUsedMark, sizeOf } from "../store/state-folder.js";
import { openBeside } from "./contents.js";

const JOURNALS = MODULES.flatMap((module: ServiceModule) => module.journals ?? []);
const STAYING = JOURNALS.filter(({ atRestore }) => atRestore === "stays");

/**
 * It identifies the device, as it always has lines. The journals that stay refer to its lines (what a person has forgiven, which cycle
 * used water), so they stay only if it stays.
 */
const WATER = DOSE_LOG.name;
const REFERRING = STAYING.map(({ definition }) => definition.name).filter((log) => log !== WATER);
/** For a loss of these the next start acts: a day's water counts as poured, the light rests, everything is on hold. */
const MISSED = STAYING.filter(({ afterLoss }) => afterLoss).map(({ definition }) => definition.name);

export interface Ledgers {
  /** Logs that stay as they are. */
  readonly kept: readonly string[];
  /** Logs whose last part is missing: what it may have held counts as the most. */
  readonly lost: readonly string[];
}

/** Makes a restored folder, before its use, allow less for the time since the backup, never more. */
export async function carryOverLedgers(
  present: string,
  restored: string,
  { reason, timestamp }: { readonly reason: string; readonly timestamp: string },
): Promise<Ledgers> {
  await makeFolder(join(restored, "journal"), 0o700);
  const sameDevice = await continues(present, restored, WATER, false);
  const kept: string[] = sameDevice ? [WATER] : [];
  for (const log of REFERRING)
    if (sameDevice && (await continues(present, restored, log, true))) kept.push(log);
  for (const log of kept) await copyIfThere(journalOf(present, log), journalOf(restored, log));
  if (sameDevice) await revokeAgain(present, restored, timestamp);
  const lost = MISSED.filter((log) => !kept.includes(log));
  if (lost.includes("control")) await addInForce(present, restored);
  for (const log of lost) await markLost(journalOf(restored, log), `the journal ${log} is from ${reason}`);
  return { kept, lost };
}

/** What was revoked, removed or erased since the backup does not come back with the journals that go back. */
async function revokeAgain(present: string, restored: string, timestamp: string): Promise<void> {
  for (const { definition, ...journal } of JOURNALS) {
    const { name } = definition;
    if (!journal.revokedSince) continue;
    const then = await recordsIn(journalOf(restored, name), definition);
    const today = await recordsIn(journalOf(present, name), definition);
    const before = [...then].map(([id, record]) => ({ id, record }));
    await addLines(journalOf(restored, name), journal.revokedSince({ before, today, timestamp }));
  }
}

/** By their numbers. A line that makes no sense counts as damaged, as at a start: it is no record. */
async function recordsIn(
  file: string,
  { fold }: LogDefinition<never, object>,
): Promise<ReadonlyMap<number, object>> {
  const records = new Map<number, object>();
  if (!(await exists(file))) return records;
  for (const { id, entry } of (await linesIn(file)).sound) {
    const of = typeof entry.of === "number" ? entry.of : id;
    try {
      records.set(of, fold(records.get(of) as never, entry as never));
    } catch {
      records.delete(of);
    }
  }
  return records;
}

async function addLines(file: string, lines: readonly LogEntry[]): Promise<void> {
  if (lines.length === 0) return;
  const { journal } = await Journal.open({ file });
  for (const line of lines) await journal.append(line);
  await journal.close();
}

/** Sets the mark unless the backup already has one, which has the same consequence. */
async function markLost(journal: string, reason: string): Promise<void> {
  const mark = await LossMark.open(journal);
  if (mark.reason === undefined) await mark.set(reason);
}

/** Adds the present holds and faults to the restored journal. If they are unreadable, the loss holds everything anyway. */
async function addInForce(present: string, restored: string): Promise<void> {
  const file = journalOf(restored, "control");
  const known = new Set((await inForce(file)).map(keyOf));
  const missing = (await inForce(journalOf(present, "control"))).filter((entry) => !known.has(keyOf(entry)));
  await addLines(file, missing);
}

const keyOf = ({ kind, plant, code }: ControlEntry): string => JSON.stringify([kind, plant, code]);

/** Reads without changing the file, which is moved aside later. */
async function inForce(file: string): Promise<ControlEntry[]> {
  if (!(await exists(file))) return [];
  return closedAfter(await open(file, "r"), async (handle) => {
    const { size } = await handle.stat();
    const all = () => entriesIn(readLines(handle, 0, size));
    return (await Control.open({ all, append: readOnly })).inForce();
  });
}

async function* entriesIn(lines: AsyncGenerator<JournalLine>): AsyncGenerator<ControlEntry> {
  for await (const line of lines) if ("entry" in line) yield line.entry as unknown as ControlEntry;
}

const readOnly = (): never => {
  throw new Error("holds and faults are only read here");
};

async function copyIfThere(from: string, to: string): Promise<void> {
  if (!(await exists(from))) return;
  await copyFile(from, to);
  await closedAfter(await open(to, "r+"), async (handle) => {
    await handle.chmod(0o600);
    await handle.sync();
  });
}

/** Bytes per read, as in journal-lines.ts. */
const CHUNK = 65_536;

/**
 * Whether the present journal continues the one from the backup, and no loss is known: then it is of the same device, newer,
 * and contains everything of the other. An empty journal proves nothing: it counts only if another journal has shown that the
 * device is the same.
 */
async function continues(
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
  const reached = Math.max(await indexed(present, log), await reachNoted(now));
  return reached <= nowBytes && (await beginsAs(now, then, thenBytes));
}

const journalOf = (folder: string, log: string): string => join(folder, "journal", `${log}.jsonl`);

/** Whether the log has ever had records, by the folder's mark; true if the mark is damaged. */
async function hasBegun(folder: string, log: string): Promise<boolean> {
  const { names, damaged } = await readUsedMark(folder);
  return damaged || names.includes(log);
}

async function beginsAs(longer: string, shorter: string, bytes: number): Promise<boolean> {
  if (bytes === 0) return true;
  return closedAfter(await open(longer, "r"), async (a) =>
    closedAfter(await open(shorter, "r"), (b) => areEqual(a, b, bytes)),
  );
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

/** Bytes of the journal that the present database has indexed: a shorter journal has lost lines. 0 if unknown. */
async function indexed(present: string, log: string): Promise<number> {
  const file = join(present, DATABASE_FILE);
  if (!(await exists(file))) return 0;
  try {
    const database = await openBeside(file);
    return (await new RecordIndex(database, log).reach().finally(() => database.close())).bytes;
  } catch {
    return 0; // an unreadable database is rebuilt from the journals at the next start
  }
}

import { copyFile, open } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../drivers/make-folder.js";
import { Control, type ControlEntry } from "../services/people/control.js";
import { LossMark } from "../store/durable-file.js";
import { Journal } from "../store/journal.js";
import { type JournalLine, readLines } from "../store/journal-lines.js";
import { exists } from "../store/state-folder.js";
import { goesOn, journalOf } from "./same-history.js";

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
export async function errDry(present: string, restored: string, reason: string): Promise<Ledgers> {
  await makeFolder(join(restored, "journal"), 0o700);
  const sameDevice = await goesOn(present, restored, "water", false);
  const kept: string[] = sameDevice ? ["water"] : [];
  for (const log of REFERRING) if (sameDevice && (await goesOn(present, restored, log, true))) kept.push(log);
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
    return (await Control.open({ all, append: neverAsked })).inForce();
  } finally {
    await handle.close();
  }
}

async function* entriesIn(lines: AsyncGenerator<JournalLine>): AsyncGenerator<ControlEntry> {
  for await (const line of lines) if ("entry" in line) yield line.entry as unknown as ControlEntry;
}

const neverAsked = (): never => {
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

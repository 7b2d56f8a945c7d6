import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Clock } from "../../drivers/ports.js";
import { hasCode, isMissing } from "../../drivers/system-error.js";
import { millis } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import { RUNTIME_FILE } from "../places.js";
import { Database, sqliteCode } from "./database.js";
import { storeFailed } from "./durable-file.js";

/** In the state folder; it stays there when a runtime is gone. */
export const LOCK_FILE = "lock.sqlite";

/**
 * Another name of the same file, by which a runtime is found whose lock's file was removed. Hidden: `rm *` and `rm lock*` leave
 * it. A file system without hard links has none.
 */
const TWIN = ".lock.twin";

/** A held lock; `release` gives the folder to the next. */
export interface StateLock {
  /** Throws STATE_IN_USE if the lock's file was taken away: another runtime may own the folder by now. */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/** What SQLite says of a file that is not its own, or damaged: found with 3,000 spoiled files. */
const GARBAGE = ["SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_READONLY"];
/** A choice: each one more takes another process that replaces the file at the same moment. */
const ATTEMPTS = 10;
/** A choice, far above the time from finding garbage to removing the file, which is what earlier versions do. */
const SETTLING = millis(250);

/**
 * Makes this process the only owner of a state folder until it releases the lock or ends, in whatever way: the
 * kernel drops the file lock under SQLite's exclusive transaction with the process, also on SIGKILL.
 *
 * SQLite writes nothing into the file, so it is empty, and a file that holds garbage is emptied in place. That is safe
 * beside an owner, whose file is empty already. The file is never removed: an owner would hold a lock that nobody sees.
 * Nothing here may open the file once it is locked: to close it would drop the lock (POSIX, fcntl).
 * Files are asked at once, without a thread: a start has nothing else to do, and waits a dozen times less.
 * Throws STATE_IN_USE if there is an owner, STORE_FAILED where the file cannot be locked.
 */
export async function lockState(
  folder: string,
  clock: Pick<Clock, "sleep"> = new SystemClock(),
): Promise<StateLock> {
  const file = join(folder, LOCK_FILE);
  let garbage: unknown;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const outcome = await attemptLock(file, () => (garbage ? clock.sleep(SETTLING) : Promise.resolve()));
    if ("lock" in outcome) return outcome.lock;
    if ("taken" in outcome) throw inUse(folder, "belongs to a running runtime", outcome.taken);
    if ("garbage" in outcome) {
      garbage = outcome.garbage;
      empty(file);
    }
  }
  throw garbage ?? inUse(folder, "is being started on by others right now");
}

/** Why a file could not be locked: somebody has it, it holds garbage, or another stands in its place by now. */
type Refusal = { readonly taken: unknown } | { readonly garbage: unknown } | { readonly replaced: true };

async function attemptLock(
  file: string,
  settle: () => Promise<void>,
): Promise<{ readonly lock: StateLock } | Refusal> {
  makeIfMissing(file);
  const before = identityOf(file);
  const opened = await openLocked(file);
  if (!(opened instanceof Database)) return opened;
  await settle();
  const other = await ownerByTwin(file, before);
  if (!other && before !== undefined && identityOf(file) === before) {
    renewTwin(file);
    return { lock: held(file, opened) };
  }
  await opened.close();
  return other ?? { replaced: true };
}

const twinOf = (file: string): string => join(dirname(file), TWIN);

/** Somebody who holds the lock by a file that was removed or replaced since. */
async function ownerByTwin(file: string, ours: string | undefined): Promise<Refusal | undefined> {
  const twin = twinOf(file);
  const identity = identityOf(twin);
  if (identity === undefined || identity === ours) return undefined; // ours must not be opened again: see above
  const opened = await openLocked(twin).catch(() => undefined); // it is no lock at all
  if (opened instanceof Database) await opened.close();
  return opened && "taken" in opened ? opened : undefined;
}

/** Only to be called by who holds the lock. */
function renewTwin(file: string): void {
  const twin = twinOf(file);
  if (identityOf(twin) === identityOf(file)) return;
  const made = `${twin}.new`;
  try {
    rmSync(made, { force: true });
    linkSync(file, made);
    renameSync(made, twin);
  } catch {
    // no hard links here: the lock itself holds all the same
  }
}

function makeIfMissing(file: string): void {
  if (identityOf(file) !== undefined) return;
  try {
    if (identityOf(twinOf(file)) !== undefined) linkSync(twinOf(file), file);
  } catch {
    // another was quicker, or no hard links here: what is missing is made now
  }
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw storeFailed(`the lock ${file}`, cause);
  }
}

async function openLocked(file: string): Promise<Database | Refusal> {
  try {
    return await Database.open({ file, setup: ["PRAGMA busy_timeout = 0", "BEGIN EXCLUSIVE"] });
  } catch (error) {
    const code = sqliteCode(error) ?? "";
    if (code === "SQLITE_BUSY") return { taken: error };
    if (GARBAGE.includes(code)) return { garbage: error };
    throw error;
  }
}

function empty(file: string): void {
  try {
    truncateSync(file, 0);
  } catch (cause) {
    if (!isMissing(cause)) throw storeFailed(`the lock ${file}`, cause);
  }
}

/** With the time of its birth: the number of a file that was removed is soon given to another. */
function identityOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
  } catch {
    return undefined; // SQLite says what is wrong with it
  }
}

function held(file: string, database: Database): StateLock {
  const { ino } = statSync(file);
  return { release: () => database.close(), assertHeld: () => assertSame(file, ino) };
}

const inUse = (folder: string, why: string, cause?: unknown): TendrilError =>
  new TendrilError("STATE_IN_USE", `the state folder ${folder} ${why}`, { cause });

async function assertSame(file: string, ino: number): Promise<void> {
  const now = await stat(file).catch(() => undefined);
  if (now?.ino === ino) return;
  throw new TendrilError("STATE_IN_USE", `${file} was removed or replaced while this runtime ran`);
}

/**
 * Whether the last runtime on this folder came to its end, at which it switches everything off, and none has the folder now.
 * False where that is not known: one that was killed leaves its file.
 */
export async function stoppedCleanly(state: string): Promise<boolean> {
  const isThere = (name: string) => existsSync(join(state, name));
  if (isThere(RUNTIME_FILE) || !isThere(LOCK_FILE)) return false;
  try {
    const lock = await lockState(state);
    await lock.release();
    return !isThere(RUNTIME_FILE);
  } catch {
    return false; // held, or nothing is known of it
  }
}

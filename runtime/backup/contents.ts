import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../drivers/system-error.js";
import { CONFIG_FILE } from "../places.js";
import { Database } from "../store/database.js";
import { closedOnFailure } from "../store/durable-file.js";
import { lastLineEnd } from "../store/journal-lines.js";
import { DATABASE_FILE, PAGE_SIZE } from "../store/open-database.js";
import { exists, sizeOf } from "../store/state-folder.js";
import type { Content } from "./archive.js";
import { belongs, isDatabase, isJournal, isMemberName, PHOTOS } from "./names.js";

/** The consistent part of a file to which a runtime may be writing. */
interface Source {
  readonly bytes: number;
  /** Read it once, to its end. */
  content(): Content;
  /** Lines read so far; undefined if it is not a journal. */
  lines(): number | undefined;
  close(): Promise<void>;
}

interface Contents {
  /** Names of files in the state folder, in the order in which to read them. */
  readonly names: readonly string[];
  /** Names that are not plain files, or not valid in a backup. */
  readonly leftOut: readonly string[];
}

const NEWLINE = 0x0a;
/** Bytes per read, as in journal-lines.ts: small enough not to delay the runtime. */
const CHUNK = 65_536;

/**
 * The order of reading. The runtime may write between two reads, and the backup must then err on the dry side: the mark of a
 * loss before the journal that gets its consequence; holds and faults before the water that a clearing forgives.
 */
const ORDER: readonly RegExp[] = [/^used$/, /\.lost$/, /^journal\/control\./, /^journal\//, /^/];

/** The files of a state folder, without the configuration and the database, which SQLite has to copy. */
export async function contentsOf(state: string, photos: boolean): Promise<Contents> {
  const found = await filesIn(state, "");
  const wanted = (name: string) =>
    !isDatabase(name) && name !== CONFIG_FILE && (photos || !name.startsWith(`${PHOTOS}/`));
  const names = found
    .filter(({ plain, name }) => plain && isMemberName(name) && wanted(name))
    .map(({ name }) => name);
  const left = found.filter(({ plain, name }) => !plain || !isMemberName(name)).map(({ name }) => name);
  const rank = (name: string) => ORDER.findIndex((each) => each.test(name));
  return { names: names.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)), leftOut: left };
}

interface Found {
  readonly name: string;
  readonly plain: boolean;
}

async function filesIn(state: string, folder: string): Promise<Found[]> {
  const entries = await readdir(join(state, folder), { withFileTypes: true });
  const found: Found[] = [];
  for (const entry of entries) {
    const name = join(folder, entry.name);
    if (folder === "" && !belongs(entry.name)) continue;
    if (entry.name.endsWith(".tmp")) continue; // unfinished: will be renamed
    if (entry.isDirectory()) found.push(...(await filesIn(state, name)));
    else found.push({ name, plain: entry.isFile() });
  }
  return found;
}

/** Opens a file to copy; undefined if it no longer exists. A journal ends with its last whole line. */
export async function openSource(path: string, name: string): Promise<Source | undefined> {
  try {
    const handle = await open(path, "r");
    return await closedOnFailure(handle, async () => {
      const { size } = await handle.stat();
      const journal = isJournal(name);
      return sourceOf(handle, journal ? await lastLineEnd(handle, size) : size, journal);
    });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function sourceOf(handle: FileHandle, bytes: number, journal: boolean): Source {
  let lines = 0;
  async function* content(): AsyncGenerator<Buffer> {
    if (bytes === 0) return;
    for await (const chunk of handle.createReadStream({
      start: 0,
      end: bytes - 1,
      highWaterMark: CHUNK,
      autoClose: false,
    })) {
      if (journal) lines += newlinesIn(chunk as Buffer);
      yield chunk as Buffer;
    }
  }
  return { bytes, content, lines: () => (journal ? lines : undefined), close: () => handle.close() };
}

function newlinesIn(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Bytes of these files now. */
export async function sizeOfAll(state: string, names: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(state, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

export interface Snapshot {
  readonly version: number;
  readonly readings: number;
  readonly photos: number;
}

/** A choice: longer than any commit of the runtime. */
const PATIENCE = "PRAGMA busy_timeout = 10000";

/**
 * Copies a consistent state of the database while the runtime continues to write. The copy is one read transaction, which does
 * not block a writer with a write-ahead log [sqlite.org/wal.html, "Concurrency"]. Undefined if there is no database.
 */
export async function copyDatabase(state: string, target: string): Promise<Snapshot | undefined> {
  const file = join(state, DATABASE_FILE);
  if (!(await exists(file))) return undefined;
  const database = await openBeside(file);
  try {
    // whoever puts it back has the small pages too
    await database.script(PAGE_SIZE);
    await database.run("VACUUM INTO ?", [target]);
  } finally {
    await database.close();
  }
  return countIn(target);
}

/**
 * Opens the database read-only only if there is a write-ahead log: then a runtime is running or has crashed, and the log must
 * stay. Without a log nobody has the database open, and a read-only reader would leave a log that looks like a crash.
 */
export async function openBeside(file: string): Promise<Database> {
  return Database.open({ file, setup: [PATIENCE], readOnly: await exists(`${file}-wal`) });
}

async function countIn(file: string): Promise<Snapshot> {
  const database = await Database.open({ file, setup: [], readOnly: true });
  try {
    const version = await database.get<{ user_version: number }>("PRAGMA user_version");
    const count = async (table: string) =>
      (await database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? 0;
    return {
      version: version?.user_version ?? 0,
      readings: await count("readings"),
      photos: await count("photos"),
    };
  } finally {
    await database.close();
  }
}

/** Most bytes of a copy. */
export async function databaseSize(state: string): Promise<number> {
  const file = join(state, DATABASE_FILE);
  return (await sizeOf(file)) + (await sizeOf(`${file}-wal`));
}

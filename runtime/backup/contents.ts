import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../drivers/system-error.js";
import { CONFIG_FILE } from "../places.js";
import { Database } from "../store/database.js";
import { closedOnFailure } from "../store/durable-file.js";
import { lastLineEnd } from "../store/journal-lines.js";
import { DATABASE_FILE } from "../store/open-database.js";
import { exists, sizeOf } from "../store/state-folder.js";
import type { Content } from "./archive.js";
import { belongs, isDatabase, isJournal, isMemberName, PHOTOS } from "./names.js";

/** A file as a running runtime may be writing to it: so much of it holds together. */
export interface Source {
  readonly bytes: number;
  /** To be read once, to its end. */
  content(): Content;
  /** Of a journal: how many lines were read. */
  lines(): number | undefined;
  close(): Promise<void>;
}

export interface Contents {
  /** Names of files in the state folder, in the order in which they have to be read. */
  readonly names: readonly string[];
  /** What is no plain file, or has a name that no backup takes. */
  readonly leftOut: readonly string[];
}

const NEWLINE = 0x0a;
/** A read of so many bytes at a time holds nobody up. As journal-lines.ts. */
const CHUNK = 65_536;

/**
 * What rules go by is read before what refers to it: a mark of a loss before the journal that its consequence goes to; holds
 * and faults before the water that a clearing forgives. What lies between two reads is then on the dry side.
 */
const ORDER: readonly RegExp[] = [/^used$/, /\.lost$/, /^journal\/control\./, /^journal\//, /^/];

/** All that a state folder holds, but for the database, which SQLite has to copy, and the configuration. */
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
    if (entry.name.endsWith(".tmp")) continue; // being written, to be renamed
    if (entry.isDirectory()) found.push(...(await filesIn(state, name)));
    else found.push({ name, plain: entry.isFile() });
  }
  return found;
}

/** Opens a file to be copied; undefined where it is gone by now. A journal ends with its last whole line. */
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

/** Bytes of all those files as they are now. */
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

/** A choice: longer than any commit of the runtime's takes. */
const PATIENCE = "PRAGMA busy_timeout = 10000";

/**
 * Copies the database as it is at one moment, while the runtime writes on: the copy is one read transaction, which holds up
 * no writer of a database with a write-ahead log [sqlite.org/wal.html, "Concurrency"]. Undefined where there is none.
 */
export async function copyDatabase(state: string, target: string): Promise<Snapshot | undefined> {
  const file = join(state, DATABASE_FILE);
  if (!(await exists(file))) return undefined;
  const database = await openBeside(file);
  try {
    await database.run("VACUUM INTO ?", [target]);
  } finally {
    await database.close();
  }
  return countIn(target);
}

/**
 * Without a log beside it nobody has the database open, and a reader that may not write would leave one, which tells the next
 * start of a crash. With one it is a running runtime's, or tells of a crash: it stays as it is.
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

/** Bytes that a copy takes at most. */
export async function databaseSize(state: string): Promise<number> {
  const file = join(state, DATABASE_FILE);
  return (await sizeOf(file)) + (await sizeOf(`${file}-wal`));
}

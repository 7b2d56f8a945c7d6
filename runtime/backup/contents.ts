import { createHash } from "node:crypto";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { closedAfter } from "../../drivers/durable-file.js";
import { unlessMissing } from "../../drivers/system-error.js";
import { TendrilError } from "../errors.js";
import { CONFIG_FILE } from "../places.js";
import { Database } from "../store/database.js";
import { closedOnFailure } from "../store/durable-file.js";
import { lastLineEnd } from "../store/journal-lines.js";
import { DATABASE_FILE, FORM, PAGE_SIZE } from "../store/open-database.js";
import { exists, sizeOf } from "../store/state-folder.js";
import { parseJson } from "../wire/refusal.js";
import { type Content, damaged, type Member, readArchive } from "./archive.js";
import { belongs, isDatabase, isJournal, isMemberName, MANIFEST, PHOTOS } from "./backup-folder.js";

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
 * The order of reading. The runtime may write between two reads, and the backup must then allow less, never more: the mark of a
 * loss, and of how far a journal reaches, before the journal itself; holds and faults before the water that a clearing forgives.
 */
const ORDER: readonly RegExp[] = [/^used$/, /\.(lost|end)$/, /^journal\/control\./, /^journal\//, /^/];

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
  const handle = await open(path, "r").catch(unlessMissing);
  if (!handle) return undefined;
  return closedOnFailure(handle, async () => {
    const { size } = await handle.stat();
    const journal = isJournal(name);
    return sourceOf(handle, journal ? await lastLineEnd(handle, size) : size, journal);
  });
}

function sourceOf(handle: FileHandle, bytes: number, journal: boolean): Source {
  let lines = 0;
  async function* content(): AsyncGenerator<Buffer> {
    if (bytes === 0) return;
    const options = { start: 0, end: bytes - 1, highWaterMark: CHUNK, autoClose: false };
    for await (const chunk of handle.createReadStream(options)) {
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
  await closedAfter(await openBeside(file), async (database) => {
    // whoever puts it back has the small pages too
    await database.script(PAGE_SIZE);
    await database.run("VACUUM INTO ?", [target]);
  });
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
  return closedAfter(await Database.open({ file, setup: [], readOnly: true }), async (database) => {
    const version = await database.get<{ user_version: number }>("PRAGMA user_version");
    const count = async (table: string) =>
      (await database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? 0;
    const [readings, photos] = [await count("readings"), await count("photos")];
    return { version: version?.user_version ?? 0, readings, photos };
  });
}

/** Most bytes of a copy. */
export async function databaseSize(state: string): Promise<number> {
  const file = join(state, DATABASE_FILE);
  return (await sizeOf(file)) + (await sizeOf(`${file}-wal`));
}

/** Increased when an older Tendril could no longer restore a backup. */
export const FORMAT = 1;
/** A choice: ten years of a note every cycle and some thousand photos. */
const MAX_MEMBERS = 500_000;

const member = z.strictObject({
  name: z.string().refine(isMemberName, { error: "is not a valid name in a backup" }),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const schema = z.object({
  format: z.literal(FORMAT),
  tendril: z.string(),
  made_at: z.iso.datetime(),
  host: z.string(),
  /** Null without a database. */
  database_version: z.int().min(0).nullable(),
  /** Lines of each journal, and `readings` and `photos` of the database. */
  records: z.record(z.string(), z.int().min(0)),
  left_out: z.array(z.string()),
  members: z.array(member).max(MAX_MEMBERS),
});

/** The description of a backup in it. */
export type Manifest = z.infer<typeof schema>;

/** Throws STATE_TOO_NEW for a newer program's manifest, BACKUP_INVALID for an invalid one. */
function parseManifest(text: string): Manifest {
  const raw = parseJson(text);
  if (raw === undefined) throw damaged(undefined, "its manifest is not JSON");
  const { format } = z.object({ format: z.int() }).catch({ format: 0 }).parse(raw);
  if (format > FORMAT) throw tooNew(`the backup has format ${format}, this program knows format ${FORMAT}`);
  const { success, data, error } = schema.safeParse(raw);
  const [issue] = error?.issues ?? [];
  if (!success) throw damaged(undefined, `its manifest is wrong: ${issue?.path.join(".")} ${issue?.message}`);
  const { database_version: found } = data;
  if (found !== null && found > FORM)
    throw tooNew(`the backup's database has form ${found}, this program knows forms up to ${FORM}`);
  return data;
}

const tooNew = (what: string): TendrilError => new TendrilError("STATE_TOO_NEW", what);

/** A choice, so that a file cannot fill the memory: half a million members at 100 bytes each. */
const LONGEST_MANIFEST = 67_108_864;

/**
 * Reads a whole backup, compares every file with the manifest, and returns the manifest. Writes nothing. Throws BACKUP_INVALID,
 * STATE_TOO_NEW, or the system's error for a file that cannot be read.
 */
export async function verifyBackup(file: string): Promise<Manifest> {
  const found = new Map<string, string>();
  let manifest: Manifest | undefined;
  await readArchive(file, async (member, content) => {
    if (manifest) throw damaged(file, `"${member.name}" comes after the manifest`);
    if (found.has(member.name)) throw damaged(file, `"${member.name}" is there twice`);
    if (member.name === MANIFEST) manifest = parseManifest(await textOf(member, content));
    else found.set(member.name, await fingerprint(content));
  });
  if (!manifest) throw damaged(file, "its manifest is missing: it was cut short, or is not a backup");
  compare(file, manifest, found);
  return manifest;
}

function compare(file: string, { members }: Manifest, found: ReadonlyMap<string, string>): void {
  for (const { name, bytes, sha256 } of members)
    if (found.get(name) !== `${bytes} ${sha256}`)
      throw damaged(file, `"${name}" is not what the manifest says`);
  if (found.size !== members.length) throw damaged(file, "it contains files that its manifest does not name");
}

/** Length and SHA-256 of a member's content. */
async function fingerprint(content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return `${bytes} ${hash.digest("hex")}`;
}

async function textOf({ bytes }: Member, content: AsyncIterable<Buffer>): Promise<string> {
  if (bytes > LONGEST_MANIFEST) throw damaged(undefined, "its manifest is too long");
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

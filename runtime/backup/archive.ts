import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Header, Pack, Parser, ReadEntry } from "tar";
import { closedAfter } from "../../drivers/durable-file.js";
import { TendrilError } from "../errors.js";
import { isMemberName } from "./backup-folder.js";

/** The only file that knows the `tar` package: a gzipped tar of plain files, written and read as streams. */

export type Content = AsyncIterable<Buffer> | Iterable<Buffer>;

export interface Member {
  readonly name: string;
  readonly bytes: number;
}

export interface Written extends Member {
  /** Hexadecimal. */
  readonly sha256: string;
}

/** The same mode for every member, so that an archive does not show who made it. */
const MODE = 0o600;

/** Writes a new archive that only its owner can read. The content is durable when `finish` has resolved. */
export class ArchiveWriter {
  private readonly pack = new Pack({ portable: true, strict: true });
  private readonly written: Promise<void>;

  private constructor(
    private readonly handle: FileHandle,
    private readonly mtime: Date,
  ) {
    this.written = pipeline(chunksOf(this.pack), createGzip(), async (zipped: AsyncIterable<Buffer>) => {
      for await (const chunk of zipped) await handle.writeFile(chunk);
    });
    this.written.catch(() => undefined); // `add` and `finish` reject with it
  }

  /** Rejects with the system's error; EEXIST if the file exists. */
  static async create(file: string, mtime: Date): Promise<ArchiveWriter> {
    return new ArchiveWriter(await open(file, "wx", MODE), mtime);
  }

  /** Adds a file of exactly this length. Rejects if the content has another length, or cannot be written. */
  async add({ name, bytes }: Member, content: Content): Promise<Written> {
    const header = new Header({ path: name, size: bytes, mode: MODE, mtime: this.mtime, type: "File" });
    const entry = new ReadEntry(header);
    this.pack.add(entry);
    const hash = createHash("sha256");
    let left = bytes;
    for await (const chunk of content) {
      left -= chunk.length;
      if (left < 0) break;
      hash.update(chunk);
      if (!entry.write(chunk)) await Promise.race([once(entry, "drain"), this.written]);
    }
    if (left !== 0) throw new Error(`${name} changed its length while it was read`);
    entry.end();
    return { name, bytes, sha256: hash.digest("hex") };
  }

  /** Resolves with the bytes of the whole file once it is on the disk. */
  async finish(): Promise<number> {
    return closedAfter(this.handle, async (handle) => {
      this.pack.end();
      await this.written;
      await handle.sync();
      return (await handle.stat()).size;
    });
  }

  /** Closes the file without finishing it. The caller removes it. */
  async abandon(): Promise<void> {
    this.pack.destroy();
    await this.written.catch(() => undefined);
    await this.handle.close().catch(() => undefined);
  }
}

/** `tar` has its own kind of stream: Node's streams accept it as an iteration. */
async function* chunksOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* stream;
}

/** RFC 1952, 2.3.1: ID1 and ID2 of a gzip member. */
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * Throws BACKUP_INVALID for what cannot be an archive: a device or a pipe may never end, and a folder or another file needs no reading
 * to its end. The system's error for a file that cannot be read.
 */
export async function assertArchive(file: string): Promise<void> {
  const found = await stat(file); // to open a pipe would wait for its writer
  if (found.isDirectory()) throw damaged(file, "it is a folder");
  if (!found.isFile()) throw damaged(file, "it is no regular file");
  await closedAfter(await open(file, "r"), async (handle) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0);
    if (bytesRead < GZIP.length || !buffer.equals(GZIP))
      throw damaged(file, "it does not begin as a gzipped file does");
  });
}

type Take = (member: Member, content: AsyncIterable<Buffer>) => Promise<void>;

/**
 * Calls `take` for every file of an archive, one after the other; it has to read the content to the end. Throws
 * BACKUP_INVALID if the archive is damaged or cut short, or has links, devices, or names that lead out of the folder.
 */
export async function readArchive(file: string, take: Take): Promise<void> {
  await assertArchive(file);
  const parser = new Parser({ strict: true });
  const input = createReadStream(file);
  let turn: Promise<void> = Promise.resolve();
  const over = new Promise<void>((resolve, reject) => {
    const fail = (error: unknown) => {
      input.destroy();
      reject(error);
    };
    parser.on("entry", (entry: ReadEntry) => {
      turn = turn.then(() => takeEntry(entry, take));
      turn.catch(fail);
    });
    parser.on("error", (error: Error) =>
      fail(damaged(file, `it is damaged, or not a gzipped tar: ${error.message}`)),
    );
    parser.on("ignoredEntry", ({ path }: ReadEntry) => fail(damaged(file, `"${path}" is not a file`)));
    parser.on("end", resolve);
    input.on("error", fail);
    input.on("data", (chunk) => {
      if (!parser.write(chunk as Buffer)) input.pause();
    });
    parser.on("drain", () => input.resume());
    input.on("end", () => parser.end());
  });
  await over;
  await turn;
}

async function takeEntry(entry: ReadEntry, take: Take): Promise<void> {
  const { path, type, size } = entry;
  if (type !== "File" && type !== "OldFile")
    throw damaged(undefined, `"${path}" is not a plain file but a ${type}`);
  if (!isMemberName(path)) throw damaged(undefined, `"${path}" is not a valid name in a backup`);
  await take({ name: path, bytes: size }, entry);
}

/** BACKUP_INVALID, with the reason. */
export const damaged = (file: string | undefined, what: string): TendrilError =>
  new TendrilError("BACKUP_INVALID", `${file === undefined ? "the backup" : file} cannot be used (${what})`);

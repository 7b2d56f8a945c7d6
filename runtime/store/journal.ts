import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { closedAfter, syncFolder } from "../../drivers/durable-file.js";
import { isMissing } from "../../drivers/system-error.js";
import { closedOnFailure, storeFailed } from "./durable-file.js";
import { type JournalLine, lastLineId, readBytes, readLines, type Tail, tailOf } from "./journal-lines.js";
import type { LogEntry } from "./records.js";

interface JournalOptions {
  readonly file: string;
  /** Writes in large pieces and when it is closed, and waits for no disk: for simulations that can be run again. */
  readonly relaxed?: boolean;
  /** Called when a line could not be written. */
  readonly onFailedWrite?: (cause: unknown) => void;
  /** Called when lines are on the disk. */
  readonly onWritten?: () => void;
  /** Opens the file, or makes it; by default on the disk. */
  readonly openFile?: OpenJournalFile;
  /** Called before anything is cut off the end of the file: what is lost with it must be noted on the disk by then. */
  readonly beforeCut?: (tail: Tail) => Promise<void>;
}

/** What a journal needs of its file, so that a test can give it a disk that fails at any point. */
export type JournalFile = Pick<
  FileHandle,
  "read" | "write" | "datasync" | "sync" | "truncate" | "stat" | "close"
>;
export interface OpenedFile {
  readonly handle: JournalFile;
  /** The file was not there. */
  readonly created: boolean;
  /** Of a file that was not there: makes its name durable. Called before anybody hears that its first line is on the disk. */
  readonly syncName?: () => Promise<void>;
  /** Makes the file anew, so that after a crash there is the one file or the other; by default `replaceOnDisk`. */
  readonly replace?: (change: Change) => Promise<void>;
}

export type OpenJournalFile = (file: string) => Promise<OpenedFile>;

/** Bytes that a relaxed journal keeps in memory. */
const RELAXED_BYTES = 262_144;
/** Bytes that are set aside at a time, as the journals are read. */
const CHUNK = 65_536;

interface JournalReport extends Pick<OpenedFile, "created"> {
  /** What stood behind the last complete line, and stands in `<file>.torn` now. */
  readonly tail: Tail | undefined;
}

/** Bytes for a place in the file. */
export interface Piece {
  readonly start: number;
  readonly bytes: Buffer;
}

/** What becomes of a journal's file: other bytes in place of as many, or everything before a byte goes. */
export type Change = { readonly pieces: readonly Piece[] } | { readonly from: number };

interface Waiting {
  readonly body: string;
  resolve(id: number): void;
  reject(error: unknown): void;
}

/**
 * An append-only file of JSON objects, one a line, numbered from 1. When `append` resolves, the line is on the disk.
 * What a failed write leaves behind is cut off before the next write.
 */
export class Journal {
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;
  private untidy = false;
  private readonly kept: Buffer[] = [];
  private handle: JournalFile;
  private syncName: OpenedFile["syncName"];
  private readonly replaceFile: OpenedFile["replace"];
  private written: number;
  private flushing: Promise<void> = Promise.resolve();
  /** How many read which file: one that another has taken the place of stays open for them. */
  private readonly readers = new Map<JournalFile, number>();

  private constructor(
    private readonly options: JournalOptions,
    { handle, syncName, replace }: OpenedFile,
    private length: number,
    private lastId: number,
  ) {
    this.handle = handle;
    this.syncName = syncName;
    this.replaceFile = replace;
    this.written = length;
  }

  /** Opens or creates the file; what stands behind the last complete line is set aside. Throws STORE_FAILED. */
  static async open(options: JournalOptions): Promise<{ journal: Journal; report: JournalReport }> {
    try {
      const opened = await (options.openFile ?? openOrCreate)(options.file);
      return await closedOnFailure(opened.handle, async () => {
        const { journal, tail } = await Journal.on(opened, options);
        return { journal, report: { created: opened.created, tail } };
      });
    } catch (cause) {
      throw storeFailed(`the journal ${options.file}`, cause);
    }
  }

  private static async on(opened: OpenedFile, options: JournalOptions) {
    const { handle, created } = opened;
    if (created) return { journal: new Journal(options, opened, 0, 0), tail: undefined };
    const { size } = await handle.stat();
    const tail = await tailOf(handle, size);
    if (tail) {
      await options.beforeCut?.(tail);
      await setAside(options, handle, tail);
    }
    const end = tail?.start ?? size;
    const lastId = await lastLineId(handle, end);
    return { journal: new Journal(options, opened, end, lastId), tail };
  }

  /** Bytes of complete lines, on the disk unless the journal is relaxed. */
  get size(): number {
    return this.length;
  }

  /** Resolves with the line's number once it is on the disk, or kept in a relaxed journal. Appends that wait at the same time share one sync. */
  append(entry: LogEntry): Promise<number> {
    const body = JSON.stringify(entry);
    const done = new Promise<number>((resolve, reject) => this.waiting.push({ body, resolve, reject }));
    this.writing ??= this.drain();
    return done;
  }

  /** The lines from byte `from` on, which begins a line: as the file is now, whatever it becomes meanwhile. Throws STORE_FAILED. */
  async *read(from: number): AsyncGenerator<JournalLine> {
    const { handle, length: end } = this; // what comes meanwhile may not be in the file yet
    this.readers.set(handle, (this.readers.get(handle) ?? 0) + 1);
    try {
      await this.writeKept();
      yield* readLines(handle, from, end);
    } catch (cause) {
      throw storeFailed(`the journal ${this.options.file}`, cause);
    } finally {
      await this.doneReading(handle);
    }
  }

  /** A copy takes the place of the file, so that after a crash there is one or the other. Rejects with STORE_FAILED. */
  async replace(change: Change): Promise<void> {
    while (this.writing) await this.writing;
    const turn = this.swap(change);
    this.writing = turn.catch(() => undefined).then(() => this.drain());
    await turn;
  }

  /** Numbers up to `id` are taken, even where the lines that had them cannot be read any more. */
  reserve(id: number): void {
    this.lastId = Math.max(this.lastId, id);
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.writing;
    await this.writeKept();
    await this.handle.close();
  }

  private async swap(change: Change): Promise<void> {
    const { file } = this.options;
    try {
      await this.writeKept();
      await this.tidy();
      const done = this.replaceFile?.(change) ?? replaceOnDisk(file, change);
      await done.catch(() => undefined);
      await this.reopen();
      await done;
    } catch (cause) {
      throw storeFailed(`the journal ${file}`, cause);
    }
  }

  /** Opens the file that has the name now, also after a failure: what is written into one that has lost it is lost. */
  private async reopen(): Promise<void> {
    const { file, openFile = openOrCreate } = this.options;
    if (!this.readers.has(this.handle)) await this.handle.close();
    this.handle = (await openFile(file)).handle;
    const { size } = await this.handle.stat();
    this.length -= this.written - size;
    this.written = size;
  }

  private async doneReading(handle: JournalFile): Promise<void> {
    const others = (this.readers.get(handle) ?? 1) - 1;
    if (others > 0) return void this.readers.set(handle, others);
    this.readers.delete(handle);
    if (handle !== this.handle) await handle.close();
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting;
      this.waiting = [];
      await this.commit(batch);
    }
    this.writing = undefined;
  }

  private async commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const first = this.lastId + 1;
      await this.take(Buffer.from(batch.map(({ body }, i) => numbered(first + i, body)).join("")));
      this.lastId += batch.length;
      this.options.onWritten?.();
      for (const [i, { resolve }] of batch.entries()) resolve(first + i);
    } catch (cause) {
      this.options.onFailedWrite?.(cause);
      if (!this.options.relaxed) await this.tidy().catch(() => undefined); // tried again before the next write
      for (const { reject } of batch) reject(storeFailed(`the journal ${this.options.file}`, cause));
    }
  }

  private async take(bytes: Buffer): Promise<void> {
    if (this.options.relaxed) this.kept.push(bytes);
    else await this.write(bytes);
    this.length += bytes.length;
    if (this.length - this.written > RELAXED_BYTES) await this.writeKept();
  }

  /** One after the other: nobody may read what another is still writing. */
  private writeKept(): Promise<void> {
    const turn = this.flushing.then(async () => {
      const pieces = this.kept.length;
      if (pieces === 0) return;
      await this.write(Buffer.concat(this.kept.slice(0, pieces)));
      this.kept.splice(0, pieces);
    });
    this.flushing = turn.catch(() => undefined); // what could not be written is kept, and tried again with the next
    return turn;
  }

  /** One at a time: by the drain, or relaxed, by the chain of `writeKept`. */
  private async write(bytes: Buffer): Promise<void> {
    await this.tidy();
    this.untidy = true;
    await writeAt(this.handle, bytes, this.written);
    if (!this.options.relaxed) await this.sync();
    this.untidy = false;
    this.written += bytes.length;
  }

  private async sync(): Promise<void> {
    await this.handle.datasync();
    await this.syncName?.();
    this.syncName = undefined;
  }

  /** Cuts off what a failed write may have left behind the last good line. */
  private async tidy(): Promise<void> {
    if (!this.untidy) return;
    await this.handle.truncate(this.written);
    await this.handle.datasync();
  }
}

/** At a place in the file; a disk may take less than it was given at a time. */
export async function writeAt(handle: Pick<JournalFile, "write">, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

/** A changed copy takes the place of the file. */
export async function replaceOnDisk(file: string, change: Change): Promise<void> {
  const made = copyOf(file);
  if ("from" in change) {
    const kept = createReadStream(file, { start: change.from });
    await pipeline(kept, createWriteStream(made, { mode: 0o600 }));
    await overwrite(made, []);
  } else {
    await copyFile(file, made);
    await overwrite(made, change.pieces);
  }
  await rename(made, file);
  await syncFolder(dirname(file));
}

const copyOf = (file: string): string => `${file}.tmp`;

async function overwrite(file: string, pieces: readonly Piece[]): Promise<void> {
  await closedAfter(await open(file, "r+"), async (handle) => {
    for (const { start, bytes } of pieces) await handle.write(bytes, 0, bytes.length, start);
    await handle.sync();
  });
}

/** The number is known only when the line is written: a failed write must leave no gap. */
const numbered = (id: number, body: string): string => `{"id":${id},${body.slice(1)}\n`;

/**
 * The journal's file on the disk. Most of those that are new stay empty for long, so none is synced before its first line. A copy
 * that a crash has left unfinished goes: it still has what was to go.
 */
export async function openOrCreate(file: string): Promise<OpenedFile> {
  await rm(copyOf(file), { force: true });
  try {
    return { handle: await open(file, "r+"), created: false };
  } catch (error) {
    if (!isMissing(error)) throw error;
    const handle = await open(file, "wx+", 0o600);
    return { handle, created: true, syncName: () => syncFolder(dirname(file)) };
  }
}

/** The bytes are on the disk elsewhere before they leave the journal. */
async function setAside(
  { file, openFile = openOrCreate }: JournalOptions,
  handle: JournalFile,
  { start, bytes }: Tail,
): Promise<void> {
  const { handle: aside, syncName } = await openFile(`${file}.torn`);
  await closedAfter(aside, async () => {
    const { size } = await aside.stat();
    for (let at = 0; at < bytes; at += CHUNK)
      await writeAt(aside, await readBytes(handle, start + at, Math.min(CHUNK, bytes - at)), size + at);
    await writeAt(aside, Buffer.from("\n"), size + bytes);
    await aside.sync();
  });
  await syncName?.();
  await handle.truncate(start);
  await handle.sync();
}

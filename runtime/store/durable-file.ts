import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { access, constants, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Closable, readPlainBytes, replaceFile, syncFolder } from "../../drivers/durable-file.js";
import { isMissing, reasonIn } from "../../drivers/system-error.js";
import { TendrilError } from "../errors.js";
import { freeBytes } from "./free-space.js";

/**
 * Writes a whole file so that after a power cut there is all of it or none: beside it, synced, then renamed.
 * Throws STORE_FAILED.
 */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await replaceFile(file, content, 0o600);
  } catch (cause) {
    throw storeFailed(`the file ${file}`, cause);
  }
}

/**
 * Writes a whole file without waiting for the disk, at once: a simulation has nothing else to do. The file is cut to its new
 * length after the write: ext4 waits for the disk if a file that is emptied first is written and closed. Throws STORE_FAILED.
 */
export async function writeRelaxed(file: string, content: string | Uint8Array): Promise<void> {
  try {
    const handle = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const bytes = Buffer.from(content);
      writeSync(handle, bytes, 0, bytes.length, 0);
      ftruncateSync(handle, bytes.length);
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    throw storeFailed(`the file ${file}`, cause);
  }
}

/** What a file holds, or undefined where there is none. Throws STORE_FAILED, also for a pipe or a device in its place. */
export async function bytesIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readPlainBytes(file);
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw storeFailed(`the file ${file}`, cause);
  }
}

/** The same as text. */
export const readIfThere = async (file: string): Promise<string | undefined> =>
  (await bytesIfThere(file))?.toString("utf8");

/** From Node 26 on, a file that is left open ends the process when it is collected as garbage. */
export async function closedOnFailure<T>(opened: Closable, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    await opened.close().catch(() => undefined); // the first error is the one to tell
    throw error;
  }
}

/** STORE_FAILED for what the disk or the database refused; `what` names the file. */
export const storeFailed = (what: string, cause: unknown): TendrilError =>
  new TendrilError("STORE_FAILED", `${what} failed (${reasonIn(cause)})`, { cause });

/**
 * Remembers beside a journal that part of it is lost, until somebody has drawn the consequence: a crash
 * between finding the loss and acting on it must not hide it.
 */
export class LossMark {
  private constructor(
    private readonly file: string,
    private text: string | undefined,
  ) {}

  static async open(journal: string): Promise<LossMark> {
    const file = markOf(journal);
    return new LossMark(file, await readIfThere(file));
  }

  /** For a journal that has no mark. */
  static none(journal: string): LossMark {
    return new LossMark(markOf(journal), undefined);
  }

  /** What is lost, in words; undefined if nothing is. */
  get reason(): string | undefined {
    return this.text;
  }

  async set(reason: string): Promise<void> {
    if (this.text !== undefined) return;
    await writeDurably(this.file, reason);
    this.text = reason;
  }

  async clear(): Promise<void> {
    await rm(this.file, { force: true });
    await syncFolder(dirname(this.file));
    this.text = undefined;
  }
}

export const markOf = (journal: string): string => `${journal}.lost`;

/** A choice: some journal lines, and SQLite's own file beside its database. */
const LEAST_BYTES = 262_144;
/** Written only while a failed write has not been made good: a card wears out by writes. */
const TRIAL_FILE = "trial";

/** Whether a folder can be written to, without writing to it for as long as nothing has failed. */
export class DiskWatch {
  private doubted = false;
  private refusal: string | undefined;

  constructor(private readonly folder: string) {}

  /** What the disk said when it refused last, as long as no write has shown that it is well again. */
  get problem(): string | undefined {
    return this.refusal;
  }

  /** To be called when a write has failed. */
  doubt(cause: unknown): void {
    this.doubted = true;
    this.refusal = reasonIn(cause);
  }

  /** To be called when a line is on the disk. */
  wrote(): void {
    this.refusal = undefined;
  }

  /** Rejects with STORE_FAILED: read-only, full, or still refusing what it has refused before. */
  async assertWritable(): Promise<void> {
    try {
      await access(this.folder, constants.W_OK);
      const free = await freeBytes(this.folder);
      if (free < LEAST_BYTES) throw new Error(`${free} bytes are left on the disk`);
    } catch (cause) {
      this.refusal = reasonIn(cause);
      throw storeFailed(`the state folder ${this.folder}`, cause);
    }
    if (this.doubted) await writeDurably(join(this.folder, TRIAL_FILE), "");
    this.doubted = false;
    this.refusal = undefined;
  }
}

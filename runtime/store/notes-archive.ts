import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { TendrilError } from "../errors.js";
import { writeDurably } from "./durable-file.js";

/** A choice: some 250,000 tokens, more than any model reads; each save writes the whole note anew. */
const MOST_BYTES = 1_048_576;

export interface Note {
  readonly content: string;
  /** When it was saved, epoch milliseconds. */
  readonly timestamp: number;
}

/** No note was saved yet. */
export interface NoNote {
  readonly content: "";
  readonly timestamp: null;
}

interface Archived extends Note {
  readonly sequence: number;
}

/** 000012-2026-06-01T08-00-00.000Z.md: the number keeps two notes of one millisecond, and a wall clock set back, in order. */
const NAME = /^(\d{6,})-(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2}\.\d{3}Z)\.md$/;

/** The note that an agent keeps: each call leaves one more file that holds the whole note, and nothing is overwritten. */
export class NotesArchive {
  private turn: Promise<unknown> = Promise.resolve();
  private newest: Promise<Archived | undefined> | undefined;

  /** `relaxed`: only the last note is written, by `close`. */
  constructor(
    private readonly folder: string,
    private readonly relaxed = false,
  ) {}

  /** Durable before it resolves. Returns the whole note after the call. */
  save(content: string, mode: "replace" | "append", timestamp: number): Promise<Note> {
    const mine = this.turn.then(() => this.write(content, mode, timestamp));
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  async current(): Promise<Note | NoNote> {
    const newest = await this.known();
    return newest
      ? { content: newest.content, timestamp: newest.timestamp }
      : { content: "", timestamp: null };
  }

  private async write(content: string, mode: "replace" | "append", timestamp: number): Promise<Note> {
    const newest = await this.known();
    const before = mode === "append" ? (newest?.content ?? "") : "";
    const whole = before === "" ? content : `${before}\n${content}`;
    assertShort(whole);
    const note = { sequence: (newest?.sequence ?? 0) + 1, content: whole, timestamp };
    this.newest = undefined; // if it fails, the folder is asked what has become of it
    if (!this.relaxed) await this.file(note);
    this.newest = Promise.resolve(note);
    return { content: whole, timestamp };
  }

  /** A relaxed archive is only complete now. */
  async close(): Promise<void> {
    const newest = this.relaxed ? await this.newest : undefined;
    if (newest) await this.file(newest);
  }

  private file({ sequence, content, timestamp }: Archived): Promise<void> {
    return writeDurably(join(this.folder, nameOf(sequence, timestamp)), content);
  }

  /** Looked for once: nobody else writes here. A failed attempt is not remembered. */
  private known(): Promise<Archived | undefined> {
    this.newest ??= this.find().catch((error: unknown) => {
      this.newest = undefined;
      throw error;
    });
    return this.newest;
  }

  /** A file of nothing but zeros is what a power cut may leave of a note: then the note before it stands, under its own time. */
  private async find(): Promise<Archived | undefined> {
    const named = (await readdir(this.folder)).flatMap(parseName);
    const newestFirst = named.sort((a, b) => b.sequence - a.sequence);
    for (const note of newestFirst) {
      const content = await readFile(join(this.folder, note.file), "utf8");
      if (!/^\0+$/.test(content)) return { ...note, sequence: newestFirst[0]?.sequence ?? 0, content };
    }
    return undefined;
  }
}

function assertShort(note: string): void {
  const bytes = Buffer.byteLength(note);
  if (bytes <= MOST_BYTES) return;
  throw new TendrilError(
    "REQUEST_TOO_LARGE",
    `the whole note would have ${bytes} bytes, the most is ${MOST_BYTES}: replace it with a shorter one`,
    { details: { bytes, most_bytes: MOST_BYTES } },
  );
}

const nameOf = (sequence: number, timestamp: number): string =>
  `${String(sequence).padStart(6, "0")}-${new Date(timestamp).toISOString().replaceAll(":", "-")}.md`;

function parseName(file: string): (Omit<Archived, "content"> & { readonly file: string })[] {
  const [, sequence, date, hour, minute, second] = NAME.exec(file) ?? [];
  return sequence
    ? [{ file, sequence: Number(sequence), timestamp: Date.parse(`${date}${hour}:${minute}:${second}`) }]
    : [];
}

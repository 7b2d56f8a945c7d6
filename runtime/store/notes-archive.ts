import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "./durable-file.js";

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

interface Archived {
  readonly file: string;
  readonly sequence: number;
  readonly timestamp: number;
}

/** 000012-2026-06-01T08-00-00.000Z.md: the number keeps two notes of one millisecond, and a wall clock set back, in order. */
const NAME = /^(\d{6,})-(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2}\.\d{3}Z)\.md$/;

/** The note that an agent keeps: each call leaves one more file that holds the whole note, and nothing is overwritten. */
export class NotesArchive {
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly folder: string) {}

  /** Durable before it resolves. Returns the whole note after the call. */
  save(content: string, mode: "replace" | "append", timestamp: number): Promise<Note> {
    const mine = this.turn.then(() => this.write(content, mode, timestamp));
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  async current(): Promise<Note | NoNote> {
    const newest = await this.newest();
    if (!newest) return { content: "", timestamp: null };
    return { content: await readFile(join(this.folder, newest.file), "utf8"), timestamp: newest.timestamp };
  }

  private async write(content: string, mode: "replace" | "append", timestamp: number): Promise<Note> {
    const newest = await this.newest();
    const before = newest && mode === "append" ? await readFile(join(this.folder, newest.file), "utf8") : "";
    const whole = before === "" ? content : `${before}\n${content}`;
    const name = nameOf((newest?.sequence ?? 0) + 1, timestamp);
    await writeDurably(join(this.folder, name), whole);
    return { content: whole, timestamp };
  }

  private async newest(): Promise<Archived | undefined> {
    const archived = (await readdir(this.folder)).flatMap(parseName);
    return archived.reduce<Archived | undefined>((a, b) => (a && a.sequence > b.sequence ? a : b), undefined);
  }
}

const nameOf = (sequence: number, timestamp: number): string =>
  `${String(sequence).padStart(6, "0")}-${new Date(timestamp).toISOString().replaceAll(":", "-")}.md`;

function parseName(file: string): Archived[] {
  const [, sequence, date, hour, minute, second] = NAME.exec(file) ?? [];
  return sequence
    ? [{ file, sequence: Number(sequence), timestamp: Date.parse(`${date}${hour}:${minute}:${second}`) }]
    : [];
}

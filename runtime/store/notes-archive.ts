import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { readPlain } from "../../drivers/durable-file.js";
import { Mutex } from "../../drivers/mutex.js";
import { TendrilError } from "../errors.js";
import { writeDurably } from "./durable-file.js";

/** A choice: some 250,000 tokens, more than any model reads; each save writes the whole note anew. */
const MAX_NOTE_BYTES = 1_048_576;

/** All files together. A choice: three years of an agent that keeps 5 kB every two hours; a flood of notes fills no disk. */
const MAX_ARCHIVE_BYTES = 67_108_864;

interface Note {
  readonly content: string;
  /** When it was saved, epoch milliseconds. */
  readonly timestamp: number;
}

interface NoNote {
  readonly content: "";
  readonly timestamp: null;
}

interface ArchiveOptions {
  /** Only the last note is written, by `close`. */
  readonly relaxed?: boolean;
  /** All files together. */
  readonly mostBytes?: number;
  /** Told of files that could not be deleted; the next note tries again. */
  readonly onFailure?: (error: Error) => void;
}

interface Archived extends Note {
  readonly sequence: number;
}

/** 000012-2026-06-01T08-00-00.000Z.md: the number keeps two notes of one millisecond, and a wall clock set back, in order. */
const NAME = /^(\d{6,})-(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2}\.\d{3}Z)\.md$/;

/**
 * The note that an agent keeps: each call leaves one more file that holds the whole note, and nothing is overwritten. Where all
 * files are too large together, old ones are deleted (`filesBeyond` says which).
 */
export class NotesArchive {
  private readonly turns = new Mutex();
  private newest: Promise<Archived | undefined> | undefined;
  /** In order of their numbers; undefined until the folder was looked through. */
  private files: NoteFile[] | undefined;
  private readonly relaxed: boolean;
  private readonly mostBytes: number;
  private readonly onFailure: (error: Error) => void;

  constructor(
    private readonly folder: string,
    { relaxed = false, mostBytes = MAX_ARCHIVE_BYTES, onFailure = () => undefined }: ArchiveOptions = {},
  ) {
    this.relaxed = relaxed;
    this.mostBytes = mostBytes;
    this.onFailure = onFailure;
  }

  /** Durable before it resolves. Returns the whole note after the call. */
  save(content: string, mode: "replace" | "append", timestamp: number): Promise<Note> {
    return this.turns.run(() => this.write(content, mode, timestamp));
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
    if (!this.relaxed) await this.keep(note);
    this.newest = Promise.resolve(note);
    return { content: whole, timestamp };
  }

  /** A relaxed archive is only complete now. */
  async close(): Promise<void> {
    const newest = this.relaxed ? await this.newest : undefined;
    if (newest) await this.file(newest);
  }

  /** Deletes nothing before the note is on the disk. */
  private async keep(note: Archived): Promise<void> {
    const files = await this.allFiles();
    files.push(await this.file(note));
    await this.deleteBeyond(files).catch(this.onFailure);
  }

  private async file({ sequence, content, timestamp }: Archived): Promise<NoteFile> {
    const file = nameOf(sequence, timestamp);
    await writeDurably(join(this.folder, file), content);
    return { file, sequence, timestamp, bytes: Buffer.byteLength(content) };
  }

  private async deleteBeyond(files: readonly NoteFile[]): Promise<void> {
    const gone = new Set<NoteFile>();
    for (const each of filesBeyond(files, this.mostBytes)) {
      await rm(join(this.folder, each.file), { force: true });
      gone.add(each);
    }
    if (gone.size > 0) this.files = files.filter((each) => !gone.has(each));
  }

  private async allFiles(): Promise<NoteFile[]> {
    if (this.files) return this.files;
    const named = (await readdir(this.folder)).flatMap(parseName);
    const sizes = await Promise.all(named.map(({ file }) => stat(join(this.folder, file))));
    const files = named.map((each, at) => ({ ...each, bytes: sizes[at]?.size ?? 0 }));
    this.files = files.sort((a, b) => a.sequence - b.sequence);
    return this.files;
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
      const content = await readPlain(join(this.folder, note.file));
      if (content !== undefined && !/^\0+$/.test(content))
        return { ...note, sequence: newestFirst[0]?.sequence ?? 0, content };
    }
    return undefined;
  }
}

function assertShort(note: string): void {
  const bytes = Buffer.byteLength(note);
  if (bytes <= MAX_NOTE_BYTES) return;
  throw new TendrilError(
    "REQUEST_TOO_LARGE",
    `the whole note would have ${bytes} bytes, the most is ${MAX_NOTE_BYTES}: replace it with a shorter one`,
    { details: { bytes, most_bytes: MAX_NOTE_BYTES } },
  );
}

const nameOf = (sequence: number, timestamp: number): string =>
  `${String(sequence).padStart(6, "0")}-${new Date(timestamp).toISOString().replaceAll(":", "-")}.md`;

function parseName(file: string): Omit<NoteFile, "bytes">[] {
  const [, sequence, date, hour, minute, second] = NAME.exec(file) ?? [];
  return sequence
    ? [{ file, sequence: Number(sequence), timestamp: Date.parse(`${date}${hour}:${minute}:${second}`) }]
    : [];
}

/** A file of the notes archive. */
interface NoteFile {
  readonly file: string;
  readonly sequence: number;
  /** When it was saved, epoch milliseconds. */
  readonly timestamp: number;
  readonly bytes: number;
}

/**
 * Which files have to go so that the others fit into `mostBytes`: the oldest that a later note of the same day (UTC) has
 * replaced, then the oldest of all. So an agent that writes without end cannot wipe out what was noted on other days, as long
 * as a note a day fits. The newest stays. `files` is in order of their numbers.
 */
function filesBeyond(files: readonly NoteFile[], mostBytes: number): readonly NoteFile[] {
  let excess = files.reduce((sum, { bytes }) => sum + bytes, 0) - mostBytes;
  if (excess <= 0) return [];
  const lastOfDay = new Set(new Map(files.map((each) => [dayOf(each), each])).values());
  const replaced = files.filter((each) => !lastOfDay.has(each));
  const oldestFirst = [...replaced, ...lastOfDay].filter((each) => each !== files.at(-1));
  return oldestFirst.filter(({ bytes }) => {
    if (excess <= 0) return false;
    excess -= bytes;
    return true;
  });
}

const dayOf = ({ timestamp }: NoteFile): string => new Date(timestamp).toISOString().slice(0, 10);

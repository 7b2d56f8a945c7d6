import { constants } from "node:fs";
import { lstat, opendir, realpath } from "node:fs/promises";
import { basename, extname, join, relative } from "node:path";
import { othersTurn } from "../../../drivers/clock/system-clock.js";
import { settledWithin } from "../../../drivers/clock/waiting.js";
import { closedAfter, openPlain } from "../../../drivers/durable-file.js";
import { SharedTurns, unlessAborted } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { messageOf } from "../../../drivers/system-error.js";
import { type Millis, millis, minutes, seconds } from "../../../drivers/units.js";
import type { IndexedDocument, PassageIndex } from "../../store/passage-index.js";
import { isoUtc } from "../../tools/iso-time.js";
import { HOUSEHOLD } from "../household/household.js";
import type { Folder } from "./declarations.js";
import type { OtherSource } from "./knowledge.js";
import { documentOf, MAX_PASSAGES } from "./passages.js";
import { NOT_READY, Reader, type ReaderAnswer, type ReaderKind } from "./reader.js";

/** Bytes. Choices: a thick manual as text has 2 MB, and with pictures as PDF 20. */
const LARGEST = { text: 5_000_000, html: 5_000_000, pdf: 30_000_000 };
/** A choice: a folder that was named by mistake, such as a whole home, must not fill the disk. */
const MAX_FILES = 5000;
/** Pages that a browser saved, and manuals. All else that is read is text. */
const KINDS: Readonly<Record<string, ReaderKind>> = {
  ...{ ".html": "html", ".htm": "html", ".xhtml": "html", ".pdf": "pdf" },
};
const READABLE: ReadonlySet<string> = new Set([".txt", ".text", ".md", ".markdown", ...Object.keys(KINDS)]);

export interface KnownFile {
  /** The folder's name and the path in it: "manuals/pump.md". Of folders of one name it has as much of their paths as differs. */
  readonly name: string;
  readonly bytes: number;
  /** Epoch milliseconds. */
  readonly changedAt: number;
  /** Why its text cannot be found; undefined if it can. */
  readonly reason: string | undefined;
  /** A person's id, or "household". */
  readonly owner: string;
}

interface FoundFile extends KnownFile {
  readonly path: string;
}

/** What came of a file when it was read last. */
interface Outcome {
  readonly state: string;
  readonly reason: string | undefined;
  /** It was not the file's fault. */
  readonly isPassing?: boolean;
}

type FileReader = Pick<Reader, "read" | "close">;

/** A choice: a reader that does not start takes half a minute of each try. */
const REST: Millis = minutes(5);
/** A choice: as long as a question waits (knowledge.ts). */
const LIST_WAITS: Millis = seconds(5);
/** Stands in for a reader that did not start a while ago. */
const RESTING: FileReader = { read: async () => NOT_READY, close: () => undefined };

/** The owner's files, in the folders that the configuration names. Links are not followed. */
export class Files implements OtherSource {
  readonly type = "file";
  private readonly outcomes = new Map<string, Outcome>();
  private isFirst = true;
  /** A folder may lie on a disk that hangs, and each thing asked of it holds one of Node's four threads: one is asked at a time. */
  private readonly disk = new SharedTurns<readonly FoundFile[]>();
  /** On the monotonic clock: until then no reader is started. */
  private restsUntil: Millis = millis(0);

  constructor(
    private readonly folders: readonly Folder[],
    /** Real time. */
    private readonly clock: Clock,
    private readonly openReader: () => FileReader = () => new Reader(clock),
    private readonly look: typeof filesIn = filesIn,
  ) {}

  /** As they are now, by name. */
  async list(): Promise<readonly KnownFile[]> {
    return (await this.foundInTime()).map((file) => {
      const outcome = this.outcomes.get(file.name);
      const known = outcome?.state === stateOf(file) ? outcome.reason : "is read with the next question";
      return { ...file, reason: file.reason ?? known };
    });
  }

  async follow(index: PassageIndex, signal: AbortSignal): Promise<void> {
    if (this.folders.length === 0 && !this.isFirst) return;
    if (this.isFirst) await this.remember(index);
    const files = (await unlessAborted(this.found(), signal)).filter(({ reason }) => reason === undefined);
    const rests = this.clock.monotonic() < this.restsUntil;
    const news = files.filter((file) => {
      const outcome = this.outcomes.get(file.name);
      return outcome?.state !== stateOf(file) || (outcome.isPassing && !rests);
    });
    await this.readAll(index, news, rests ? RESTING : this.openReader(), signal);
    if (signal.aborted) return;
    const names = new Set(files.map(({ name }) => name));
    const gone = [...this.outcomes.keys()].filter((name) => !names.has(name));
    await index.remove(this.type, gone);
    for (const name of gone) this.outcomes.delete(name);
  }

  /** A stop waits for no file. */
  private async readAll(
    index: PassageIndex,
    files: readonly FoundFile[],
    reader: FileReader,
    signal: AbortSignal,
  ): Promise<void> {
    const close = () => reader.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      for (const file of files) {
        const read = await unlessAborted(this.textOf(file.path, reader), signal);
        await this.take(index, file, read, signal);
      }
    } finally {
      signal.removeEventListener("abort", close);
      close();
    }
  }

  /** What an earlier run has read is not read again. */
  private async remember(index: PassageIndex): Promise<void> {
    for (const { id, owner, at, metadata } of await index.described(this.type)) {
      const state = stateOf({ bytes: Number(metadata.bytes), changedAt: at, owner });
      this.outcomes.set(id, { state, reason: undefined });
    }
    this.isFirst = false;
  }

  private async take(
    index: PassageIndex,
    file: FoundFile,
    read: ReaderAnswer,
    signal: AbortSignal,
  ): Promise<void> {
    if (read === NOT_READY && this.restsUntil <= this.clock.monotonic())
      this.restsUntil = millis(this.clock.monotonic() + REST);
    const { name } = file;
    const document = "text" in read ? await documentIn(file, read.text) : read;
    const { reason, isPassing = false } = "reason" in document ? document : {};
    // a file that could be read before is found as it was then
    if ("passages" in document) await index.put(this.type, [document], { signal });
    else if (!isPassing) await index.remove(this.type, [name]);
    this.outcomes.set(name, { state: stateOf(file), reason, isPassing });
  }

  private found(): Promise<readonly FoundFile[]> {
    return this.disk.next(async () => {
      const all: FoundFile[] = [];
      for (const each of this.folders) all.push(...(await this.look(each, this.nameOf(each))));
      return all.sort((a, b) => (a.name < b.name ? -1 : 1));
    });
  }

  private async foundInTime(): Promise<readonly FoundFile[]> {
    const found = this.found();
    const waited = settledWithin({ clock: this.clock, longest: LIST_WAITS }, found);
    const hangs = () => this.folders.map((each) => folderItself(each, this.nameOf(each), HANGS));
    return Promise.race([found, waited.then(hangs)]);
  }

  private nameOf(folder: Folder): string {
    return nameAmong(folder, this.folders);
  }

  /** The text of a file, or why there is none. What the name stands for may have changed since it was listed. */
  private async textOf(path: string, reader: FileReader): Promise<ReaderAnswer> {
    const kind = kindOf(path);
    try {
      const bytes = await this.disk.run(() => bytesOf(path, LARGEST[kind]));
      if (!bytes) return { reason: "is no file of this size any more" };
      if (kind === "pdf") return await reader.read(kind, bytes);
      const text = await decoded(bytes);
      return kind === "text" ? { text } : await reader.read(kind, bytes);
    } catch (error) {
      return {
        reason: error instanceof TypeError ? "is not UTF-8 text" : `cannot be read: ${messageOf(error)}`,
      };
    }
  }
}

const HANGS = "is not read now: the disk of this folder, or of another one, does not answer";

/** The owner put the file there, but somebody else may have written it: a manual, a page that was saved. */
export const FILES_OF_OTHERS = "files";

const stateOf = ({ bytes, changedAt, owner }: Pick<KnownFile, "bytes" | "changedAt" | "owner">): string =>
  `${bytes} ${changedAt} ${owner}`;

const kindOf = (name: string): keyof typeof LARGEST => KINDS[extname(name).toLowerCase()] ?? "text";

/** "pump manual": the words of a name. */
const titleOf = (name: string): string => basename(name, extname(name)).replaceAll(/[-_.]+/g, " ");

/** The end of its path: as much of it as no other folder ends with. */
function nameAmong({ path }: Folder, all: readonly Folder[]): string {
  const parts = partsOf(path);
  const others = all.filter((each) => each.path !== path).map((each) => partsOf(each.path));
  const endOf = (some: readonly string[], length: number) => some.slice(-length).join("/");
  const isTaken = (length: number) => others.some((each) => endOf(each, length) === endOf(parts, length));
  let length = 1;
  while (length < parts.length && isTaken(length)) length += 1;
  return endOf(parts, length);
}

const partsOf = (path: string): readonly string[] => path.split("/").filter((part) => part !== "");

const folderItself = ({ path, person = HOUSEHOLD }: Folder, name: string, reason: string): FoundFile => ({
  ...{ name, path, bytes: 0, changedAt: 0, owner: person, reason },
});

async function filesIn(folder: Folder, called: string): Promise<FoundFile[]> {
  const { path, person = HOUSEHOLD } = folder;
  const found: FoundFile[] = [];
  const itself = (reason: string) => folderItself(folder, called, reason);
  try {
    const root = await realpath(path);
    for await (const file of walk(root)) {
      if (found.length === MAX_FILES)
        return [...found, itself(`has more than ${MAX_FILES} files: the others are not read`)];
      found.push(await fileAt(file, join(called, relative(root, file)), person));
    }
    return found;
  } catch (error) {
    return [...found, itself(`cannot be read: ${messageOf(error)}`)];
  }
}

/** Plain files, in any depth. Hidden ones and links are left out: a link could lead anywhere. */
async function* walk(folderPath: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folderPath)) {
    const path = join(folderPath, entry.name);
    if (entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile()) yield path;
  }
}

async function fileAt(path: string, name: string, owner: string): Promise<FoundFile> {
  const { size: bytes, mtimeMs } = await lstat(path);
  return { name, path, bytes, changedAt: Math.round(mtimeMs), owner, reason: reasonAgainst(name, bytes) };
}

function reasonAgainst(name: string, bytes: number): string | undefined {
  const ending = extname(name).toLowerCase();
  if (!READABLE.has(ending))
    return `${ending || "a name without an ending"} is not read, only ${[...READABLE].join(", ")}`;
  const most = LARGEST[kindOf(name)];
  return bytes > most ? `has ${bytes} bytes, more than ${most}` : undefined;
}

async function documentIn(
  { name, owner, bytes, changedAt: at }: FoundFile,
  text: string,
): Promise<IndexedDocument | Extract<ReaderAnswer, { reason: string }>> {
  const metadata = { file: name, changed_at: isoUtc(at), bytes };
  const told = { title: titleOf(name), text, owner, isPrivate: owner !== HOUSEHOLD, at, metadata };
  const document = await documentOf(name, told, [FILES_OF_OTHERS]);
  return document.passages.length < MAX_PASSAGES
    ? document
    : { reason: `has ${MAX_PASSAGES} passages or more: too many headings` };
}

/** A choice: a millisecond's work on a PC. */
const DECODED_AT_ONCE = 256 * 1024;

/** In short steps. Throws TypeError where it is not UTF-8. */
async function decoded(bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  for (let at = 0; at < bytes.length; at += DECODED_AT_ONCE) {
    if (at > 0) await othersTurn();
    text += decoder.decode(bytes.subarray(at, at + DECODED_AT_ONCE), { stream: true });
  }
  return text + decoder.decode();
}

/** Undefined if it is no plain file, or too large. */
async function bytesOf(path: string, most: number): Promise<Uint8Array | undefined> {
  const handle = await openPlain(path, constants.O_NOFOLLOW);
  return (
    handle &&
    closedAfter(handle, async () => ((await handle.stat()).size <= most ? handle.readFile() : undefined))
  );
}

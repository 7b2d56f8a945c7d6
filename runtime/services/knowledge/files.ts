import { constants } from "node:fs";
import { lstat, open, opendir, realpath } from "node:fs/promises";
import { basename, extname, join, relative } from "node:path";
import { z } from "zod";
import { afterReading } from "../../../drivers/clock/system-clock.js";
import type { Clock } from "../../../drivers/ports.js";
import { messageOf } from "../../../drivers/system-error.js";
import { type Millis, seconds } from "../../../drivers/units.js";
import type { PassageIndex } from "../../store/passage-index.js";
import { isoUtc } from "../../tools/iso-time.js";
import { TooComplex } from "../../wire/html.js";
import { HOUSEHOLD } from "../household/household.js";
import { documentOf, type OtherSource } from "./knowledge.js";

const folder = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(1000)
    .refine((path) => path.startsWith("/"), "must be a whole path, from / on")
    .describe("a folder; its files of plain text, Markdown and HTML are read"),
  person: z.string().optional().describe("whose files; those of the household by default"),
});

export const knowledgeKeys = {
  knowledge: z
    .strictObject({
      folders: z.array(folder).max(20).default([]).describe("files whose text can be searched for"),
    })
    .prefault({}),
};

type Folder = z.output<typeof folder>;

/** Bytes. A choice: a thick manual as text has 2 MB. */
const LARGEST = 5_000_000;
/** A choice: a folder that was named by mistake, such as a whole home, must not fill the disk. */
const MOST_FILES = 5000;
/** Pages that a browser saved. */
const HTML: ReadonlySet<string> = new Set([".html", ".htm", ".xhtml"]);
const READABLE: ReadonlySet<string> = new Set([".txt", ".text", ".md", ".markdown", ...HTML]);
/** A choice: 5 MB of an ordinary page take a second on a small Pi. */
const PATIENCE: Millis = seconds(10);

export interface KnownFile {
  /** The folder's name and the path in it: "manuals/pump.md". */
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
}

/** The owner's files, in the folders that the configuration names. Links are not followed. */
export class Files implements OtherSource {
  readonly type = "file";
  private readonly outcomes = new Map<string, Outcome>();
  private isFirst = true;

  constructor(
    private readonly folders: readonly Folder[],
    /** Real time. */
    private readonly clock: Clock,
  ) {}

  /** As they are now, by name. */
  async list(): Promise<readonly KnownFile[]> {
    return (await this.found()).map((file) => {
      const outcome = this.outcomes.get(file.name);
      const known = outcome?.state === stateOf(file) ? outcome.reason : "is read with the next question";
      return { ...file, reason: file.reason ?? known };
    });
  }

  async follow(index: PassageIndex): Promise<void> {
    if (this.folders.length === 0 && !this.isFirst) return;
    const files = (await this.found()).filter(({ reason }) => reason === undefined);
    for (const file of files)
      if (this.outcomes.get(file.name)?.state !== stateOf(file)) await this.take(index, file);
    const names = new Set(files.map(({ name }) => name));
    const known = this.isFirst ? [...(await index.hashes(this.type)).keys()] : [...this.outcomes.keys()];
    const gone = known.filter((name) => !names.has(name));
    await index.remove(this.type, gone);
    for (const name of gone) this.outcomes.delete(name);
    this.isFirst = false;
  }

  private async take(index: PassageIndex, file: FoundFile): Promise<void> {
    const { name, path, owner, changedAt: at } = file;
    const { text, reason } = await read(path, this.clock);
    this.outcomes.set(name, { state: stateOf(file), reason });
    if (text === undefined) return index.remove(this.type, [name]);
    const metadata = { file: name, changed_at: isoUtc(at) };
    await index.put(this.type, [
      documentOf(name, { title: titleOf(name), text, owner, isPrivate: owner !== HOUSEHOLD, at, metadata }, [
        FILES_OF_OTHERS,
      ]),
    ]);
  }

  private async found(): Promise<readonly FoundFile[]> {
    const all: FoundFile[] = [];
    for (const each of this.folders) all.push(...(await filesIn(each)));
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** The owner put the file there, but somebody else may have written it: a manual, a page that was saved. */
export const FILES_OF_OTHERS = "files";

const stateOf = ({ bytes, changedAt }: KnownFile): string => `${bytes} ${changedAt}`;

/** "pump manual": the words of a name. */
const titleOf = (name: string): string => basename(name, extname(name)).replaceAll(/[-_.]+/g, " ");

async function filesIn({ path, person = HOUSEHOLD }: Folder): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const itself = (reason: string): FoundFile => ({
    ...{ name: basename(path), path, bytes: 0, changedAt: 0, owner: person, reason },
  });
  try {
    const root = await realpath(path);
    for await (const file of walk(root)) {
      if (found.length === MOST_FILES)
        return [...found, itself(`has more than ${MOST_FILES} files: the others are not read`)];
      found.push(await fileAt(file, join(basename(path), relative(root, file)), person));
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
  return bytes > LARGEST ? `has ${bytes} bytes, more than ${LARGEST}` : undefined;
}

/** The text of a file, or why there is none. What the name stands for may have changed since it was listed. */
async function read(path: string, clock: Clock): Promise<{ text?: string; reason: string | undefined }> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > LARGEST) return { reason: "is no file of this size any more" };
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await handle.readFile());
      const isPage = HTML.has(extname(path).toLowerCase());
      return { text: isPage ? await pageText(text, clock) : text, reason: undefined };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return {
      reason: error instanceof TypeError ? "is not UTF-8 text" : `cannot be read: ${messageOf(error)}`,
    };
  }
}

/** Other calls have their turn meanwhile. Throws TooComplex. */
async function pageText(html: string, clock: Clock): Promise<string> {
  const { htmlText } = await import("./html-text.js");
  const end = clock.monotonic() + PATIENCE;
  return htmlText(html, async () => {
    await new Promise<void>(afterReading);
    if (clock.monotonic() > end) throw new TooComplex(`takes more than ${PATIENCE / 1000} s to read`);
  });
}

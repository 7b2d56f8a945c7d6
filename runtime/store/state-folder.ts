import { access, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { closedAfter, makeFolder } from "../../drivers/durable-file.js";
import { unlessMissing } from "../../drivers/system-error.js";
import { markOf, readIfThere, storeFailed, writeDurably } from "./durable-file.js";
import { lastLineEnd } from "./journal-lines.js";

/** Names, one a line, of the logs that have ever recorded anything. */
export const USED_MARK = "used";
const JOURNAL = ".jsonl";

/** As logs are named. */
const LOG_NAME = /^[\w-]+$/;

interface UsedMark {
  readonly there: boolean;
  readonly names: readonly string[];
  /** It holds something that is no name of a log: nobody knows any more what it said. */
  readonly damaged: boolean;
}

export async function readUsedMark(state: string): Promise<UsedMark> {
  const text = await readIfThere(join(state, USED_MARK));
  const lines = text?.split("\n").filter(Boolean) ?? [];
  const names = lines.filter((line) => LOG_NAME.test(line));
  return { there: text !== undefined, names, damaged: names.length < lines.length };
}

/**
 * Where everything durable lives. A journal that is missing or empty was lost if its log has ever recorded anything; if
 * it has not, the log is new: in a new folder, or in one of a version that did not have it yet. A folder with records
 * that names no log at all cannot tell: there, each journal that is not there counts as lost. Where the mark is damaged,
 * any log may have recorded something.
 */
export class StateFolder {
  readonly journals: string;
  readonly notes: string;
  readonly photos: string;
  private marking: Promise<void> = Promise.resolve();

  private constructor(
    readonly path: string,
    private readonly damaged: boolean,
    private readonly nameless: boolean,
    private readonly begun: Set<string>,
    private readonly marked: Set<string>,
    /** Names of the files in the folder of the journals at this start. */
    private readonly found: ReadonlySet<string>,
    /** Whether anything was recorded here before this start, as far as is known. */
    readonly wasUsed: boolean,
  ) {
    this.journals = join(path, "journal");
    this.notes = join(path, "notes");
    this.photos = join(path, "photos");
  }

  static async open(path: string): Promise<StateFolder> {
    const { there, names, damaged } = await readUsedMark(path);
    const files = await filesIn(join(path, "journal"));
    const journals = await journalsIn(join(path, "journal"), files);
    const filled = journals.some(({ bytes }) => bytes > 0);
    const nameless = names.length === 0 && (there || filled);
    const recorded = journals.filter(({ hasLines }) => hasLines).map(({ log }) => log);
    const begun = new Set([...names, ...recorded]);
    const [marked, found] = [new Set(names), new Set(files)];
    const folder = new StateFolder(path, damaged, nameless, begun, marked, found, there || filled);
    for (const each of [folder.journals, folder.notes, folder.photos]) await makeFolder(each, 0o700);
    return folder;
  }

  /** Whether the log has ever recorded anything; undefined where nobody can tell. */
  hasBegun(log: string): boolean | undefined {
    return this.damaged || this.begun.has(log) || (this.nameless ? undefined : false);
  }

  /** Whether there are records, or a mark, and the mark names no log. */
  get isNameless(): boolean {
    return this.nameless;
  }

  /** Whether the loss of a part of its journal was marked before this start. */
  hasLossMark(log: string): boolean {
    return this.found.has(markOf(log + JOURNAL));
  }

  /**
   * To be called when a log's first record is on the disk, before anybody hears of it: an empty journal that the mark names
   * was lost, and one that it does not name has never held anything that anybody relied on.
   */
  async markUsed(log: string): Promise<void> {
    if (this.marked.has(log)) return;
    this.marking = this.marking.catch(() => undefined).then(() => this.writeMark(log));
    await this.marking;
  }

  /** To be called when the loss of an empty journal has had its consequence: it begins anew. */
  async markEmpty(log: string): Promise<void> {
    this.marked.delete(log);
    if (!this.begun.delete(log)) return;
    await writeDurably(join(this.path, USED_MARK), [...this.begun].join("\n"));
  }

  private async writeMark(log: string): Promise<void> {
    const all = new Set([...this.begun, log]);
    await writeDurably(join(this.path, USED_MARK), [...all].join("\n"));
    for (const each of all) {
      this.begun.add(each);
      this.marked.add(each);
    }
  }
}

export const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Bytes of a file; 0 where there is none. */
export const sizeOf = async (file: string): Promise<number> =>
  (await stat(file).catch(unlessMissing))?.size ?? 0;

/** Names in a folder; none where there is no folder. */
export const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(unlessMissing)) ?? [];

interface FoundJournal {
  readonly log: string;
  readonly bytes: number;
  /** At least one complete line: a torn first one has recorded nothing. */
  readonly hasLines: boolean;
}

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await exists(folder)) ? readdir(folder) : [];

function journalsIn(folder: string, files: readonly string[]): Promise<readonly FoundJournal[]> {
  const names = files.filter((name) => name.endsWith(JOURNAL));
  return Promise.all(
    names.map(async (name) => {
      const log = name.slice(0, -JOURNAL.length);
      const bytes = await sizeOf(join(folder, name));
      return { log, bytes, hasLines: bytes > 0 && (await endsALine(join(folder, name), bytes)) };
    }),
  );
}

async function endsALine(file: string, bytes: number): Promise<boolean> {
  try {
    return (await closedAfter(await open(file, "r"), (handle) => lastLineEnd(handle, bytes))) > 0;
  } catch (cause) {
    throw storeFailed(`the journal ${file}`, cause);
  }
}

import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../drivers/make-folder.js";
import { isMissing } from "../../drivers/system-error.js";
import { readIfThere, writeDurably } from "./durable-file.js";

/** Names, one a line, of the logs that have ever recorded anything. */
export const USED_MARK = "used";
const JOURNAL = ".jsonl";

/**
 * Where everything durable lives. A journal that is missing or empty was lost if its log has ever recorded anything; if
 * it has not, the log is new: in a new folder, or in one of a version that did not have it yet. A folder with records
 * that names no log at all cannot tell: there, each journal that is not there counts as lost.
 */
export class StateFolder {
  readonly journals: string;
  readonly notes: string;
  readonly photos: string;
  private marking: Promise<void> = Promise.resolve();

  private constructor(
    readonly path: string,
    private readonly nameless: boolean,
    private readonly begun: Set<string>,
    /** Those of them that the mark names. */
    private readonly marked: Set<string>,
  ) {
    this.journals = join(path, "journal");
    this.notes = join(path, "notes");
    this.photos = join(path, "photos");
  }

  static async open(path: string): Promise<StateFolder> {
    const mark = await readIfThere(join(path, USED_MARK));
    const named = mark?.split("\n").filter(Boolean) ?? [];
    const filled = await journalsWithRecords(join(path, "journal"));
    const nameless = named.length === 0 && (mark !== undefined || filled.length > 0);
    const folder = new StateFolder(path, nameless, new Set([...named, ...filled]), new Set(named));
    for (const each of [folder.journals, folder.notes, folder.photos]) await makeFolder(each, 0o700);
    return folder;
  }

  /** Whether the log has ever recorded anything; undefined where nobody can tell. */
  hasBegun(log: string): boolean | undefined {
    return this.begun.has(log) || (this.nameless ? undefined : false);
  }

  /** To be called before a log's first record is written. */
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
export const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    (error: unknown) => {
      if (isMissing(error)) return 0;
      throw error;
    },
  );

/** Names of the logs whose journal holds anything. */
async function journalsWithRecords(journals: string): Promise<readonly string[]> {
  if (!(await exists(journals))) return [];
  const logs = (await readdir(journals)).filter((name) => name.endsWith(JOURNAL));
  const sizes = await Promise.all(logs.map((name) => sizeOf(join(journals, name))));
  return logs.filter((_, index) => sizes[index] !== 0).map((name) => name.slice(0, -JOURNAL.length));
}

import { access, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../drivers/make-folder.js";
import { isMissing } from "../../drivers/system-error.js";
import { readIfThere, writeDurably } from "./durable-file.js";

/** Names, one a line, of the logs that have ever recorded anything. */
const USED_MARK = "used";

/**
 * Where everything durable lives. A folder counts as new until something has been recorded in it: only then
 * is a journal that is not there a journal that was lost. One that is there and empty was lost if its log has
 * ever recorded anything, as a power cut leaves files behind.
 */
export class StateFolder {
  readonly journals: string;
  readonly notes: string;
  readonly photos: string;
  private marking: Promise<void> = Promise.resolve();

  private constructor(
    readonly path: string,
    private used: boolean,
    private readonly begun: Set<string>,
  ) {
    this.journals = join(path, "journal");
    this.notes = join(path, "notes");
    this.photos = join(path, "photos");
  }

  static async open(path: string): Promise<StateFolder> {
    const mark = await readIfThere(join(path, USED_MARK));
    const used = mark !== undefined || (await hasRecords(join(path, "journal")));
    const folder = new StateFolder(path, used, new Set(mark?.split("\n").filter(Boolean)));
    for (const each of [folder.journals, folder.notes, folder.photos]) await makeFolder(each, 0o700);
    return folder;
  }

  get isNew(): boolean {
    return !this.used;
  }

  /** Whether the log has ever recorded anything, as far as is known. */
  hasBegun(log: string): boolean {
    return this.begun.has(log);
  }

  /** To be called before a log's first record is written. */
  async markUsed(log: string): Promise<void> {
    if (this.begun.has(log)) return;
    this.marking = this.marking.catch(() => undefined).then(() => this.writeMark(log));
    await this.marking;
  }

  /** To be called when the loss of an empty journal has had its consequence: it begins anew. */
  async markEmpty(log: string): Promise<void> {
    if (!this.begun.delete(log)) return;
    await writeDurably(join(this.path, USED_MARK), [...this.begun].join("\n"));
  }

  private async writeMark(log: string): Promise<void> {
    await writeDurably(join(this.path, USED_MARK), [...this.begun, log].join("\n"));
    this.begun.add(log);
    this.used = true;
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

async function hasRecords(journals: string): Promise<boolean> {
  if (!(await exists(journals))) return false;
  const files = (await readdir(journals)).filter((name) => name.endsWith(".jsonl"));
  const sizes = await Promise.all(files.map((name) => stat(join(journals, name))));
  return sizes.some(({ size }) => size > 0);
}

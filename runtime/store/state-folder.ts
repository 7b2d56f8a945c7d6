import { access, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "./durable-file.js";

const USED_MARK = "used";

/**
 * Where everything durable lives. A folder counts as new until something has been recorded in it: only then
 * is a journal that is not there a journal that was lost.
 */
export class StateFolder {
  readonly journals: string;
  readonly notes: string;
  readonly photos: string;
  private marking: Promise<void> | undefined;

  private constructor(
    readonly path: string,
    private used: boolean,
  ) {
    this.journals = join(path, "journal");
    this.notes = join(path, "notes");
    this.photos = join(path, "photos");
  }

  static async open(path: string): Promise<StateFolder> {
    const used = (await exists(join(path, USED_MARK))) || (await hasRecords(join(path, "journal")));
    const folder = new StateFolder(path, used);
    for (const each of [folder.journals, folder.notes, folder.photos])
      await mkdir(each, { recursive: true, mode: 0o700 });
    return folder;
  }

  get isNew(): boolean {
    return !this.used;
  }

  /** To be called before the first record is written. */
  async markUsed(): Promise<void> {
    if (this.used) return;
    this.marking ??= writeDurably(join(this.path, USED_MARK), "");
    await this.marking.finally(() => {
      this.marking = undefined;
    });
    this.used = true;
  }
}

export const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

async function hasRecords(journals: string): Promise<boolean> {
  if (!(await exists(journals))) return false;
  const files = (await readdir(journals)).filter((name) => name.endsWith(".jsonl"));
  const sizes = await Promise.all(files.map((name) => stat(join(journals, name))));
  return sizes.some(({ size }) => size > 0);
}

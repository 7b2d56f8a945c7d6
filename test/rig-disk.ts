import {
  type Change,
  type JournalFile,
  type OpenJournalFile,
  openOrCreate,
  replaceOnDisk,
} from "../runtime/store/journal.js";

type Meanwhile = () => Promise<unknown>;

/** Turns of the event loop without a write after which nothing but this write is waited for. A choice: four are enough. */
const QUIET = 100;

/** The real disk beneath a rig's journals, which can be full, refuse one write, or lose its power where a journal is written anew. */
export class RigDisk {
  private stepsLeft = Number.POSITIVE_INFINITY;
  private isFull = false;
  private refusesNext = false;
  private underWay = 0;
  private meanwhile: Meanwhile | undefined;

  /** Every journal refuses to write, until the returned function is called. */
  fill(): () => void {
    this.isFull = true;
    return () => {
      this.isFull = false;
    };
  }

  refuseNextWrite(): void {
    this.refusesNext = true;
  }

  /** The power fails before the first journal that is written anew (step 0), behind it (1), before the second (2), and so on. */
  failAtReplacement(step: number): void {
    this.stepsLeft = step;
  }

  private async replace(file: string, change: Change): Promise<void> {
    this.stepsLeft -= 2;
    if (this.stepsLeft >= -1) await replaceOnDisk(file, change);
    if (this.stepsLeft < 0) throw new Error("the power fails here");
  }

  /**
   * Runs `meanwhile` once the next line is on the disk, before its writer hears of it: between a check and what it permits.
   * The writer is kept waiting until that is done, or waits itself for a line behind this one.
   */
  duringNextWrite(meanwhile: Meanwhile): void {
    this.meanwhile = meanwhile;
  }

  /** Whether a line is on its way to the disk. */
  get isBusy(): boolean {
    return this.underWay > 0;
  }

  readonly openJournal: OpenJournalFile = async (file) => {
    const { handle, ...opened } = await openOrCreate(file);
    let meanwhile: Meanwhile | undefined;
    const write = async (...args: readonly unknown[]) => {
      if (this.isFull || this.refusesNext) {
        this.refusesNext = false;
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      }
      // a line that is on its way already is not the next one
      meanwhile ??= this.takeMeanwhile();
      return this.counted(() => (handle.write as (...args: readonly unknown[]) => Promise<unknown>)(...args));
    };
    const datasync = async () => {
      await this.counted(() => handle.datasync());
      const beside = meanwhile;
      meanwhile = undefined;
      if (beside) await this.finish(beside);
    };
    const own: Readonly<Record<PropertyKey, unknown>> = { write, datasync };
    const proxy = new Proxy(handle, {
      get: (target, key) => own[key] ?? bound(target, key),
    });
    return { ...opened, handle: proxy, replace: (change) => this.replace(file, change) };
  };

  private takeMeanwhile(): Meanwhile | undefined {
    const { meanwhile } = this;
    this.meanwhile = undefined;
    return meanwhile;
  }

  private async finish(meanwhile: Meanwhile): Promise<void> {
    let isDone = false;
    void meanwhile().finally(() => {
      isDone = true;
    });
    for (let quiet = 0; !isDone && quiet < QUIET; quiet = this.isBusy ? 0 : quiet + 1)
      await new Promise((resolve) => setImmediate(resolve));
  }

  private async counted<T>(work: () => Promise<T>): Promise<T> {
    this.underWay += 1;
    try {
      return await work();
    } finally {
      this.underWay -= 1;
    }
  }
}

function bound(target: JournalFile, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(target, key);
  return typeof value === "function" ? value.bind(target) : value;
}

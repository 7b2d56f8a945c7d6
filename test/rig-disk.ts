import { type JournalFile, type OpenJournalFile, openOrCreate } from "../runtime/store/journal.js";

/** The real disk beneath a rig's journals, which can be full, or refuse one write. */
export class RigDisk {
  private isFull = false;
  private refusesNext = false;
  private underWay = 0;

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

  /** Whether a line is on its way to the disk. */
  get isBusy(): boolean {
    return this.underWay > 0;
  }

  readonly openJournal: OpenJournalFile = async (file) => {
    const { handle, created } = await openOrCreate(file);
    const write = async (...args: readonly unknown[]) => {
      if (this.isFull || this.refusesNext) {
        this.refusesNext = false;
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      }
      return this.counted(() => (handle.write as (...args: readonly unknown[]) => Promise<unknown>)(...args));
    };
    const datasync = () => this.counted(() => handle.datasync());
    const own: Readonly<Record<PropertyKey, unknown>> = { write, datasync };
    const proxy = new Proxy(handle, {
      get: (target, key) => own[key] ?? bound(target, key),
    });
    return { handle: proxy, created };
  };

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

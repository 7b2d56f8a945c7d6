import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../drivers/durable-file.js";
import {
  type Change,
  type JournalFile,
  type OpenJournalFile,
  replaceOnDisk,
} from "../runtime/store/journal.js";

type Meanwhile = () => Promise<unknown>;

/** What a journal calls of its file. */
interface RigFile {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  write(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
  datasync(): Promise<void>;
  sync(): Promise<void>;
  truncate(length?: number): Promise<void>;
  stat(): Promise<Stats>;
  close(): Promise<void>;
}

/** Turns of the event loop without a write after which nothing but this write is waited for. A choice: four are enough. */
const QUIET = 100;

/**
 * The real disk beneath a rig's journals, which can be full, refuse one write, or lose its power where a journal is written anew. It does
 * at once what it is asked: to ask a thread costs ten times what a file in memory does, and a rig has two dozen journals.
 */
export class RigDisk {
  /** What the file system has left. */
  freeBytes = 16e9;
  private stepsLeft = Number.POSITIVE_INFINITY;
  private isFull = false;
  private refusesNext = false;
  private underWay = 0;
  /** While the disk hangs. */
  private released: Promise<void> | undefined;
  /** How many writes wait for a disk that hangs. */
  awaited = 0;
  private meanwhile: Meanwhile | undefined;

  /** Every journal refuses to write, until the returned function is called. */
  fill(): () => void {
    this.isFull = true;
    return () => {
      this.isFull = false;
    };
  }

  /** Nothing that is written from now on reaches the disk, until the returned function is called. */
  hang(): () => void {
    let release = () => {};
    this.released = new Promise((resolve) => {
      release = resolve;
    });
    return () => {
      this.released = undefined;
      release();
    };
  }

  /** Resolves once as many writes as that wait for a disk that hangs. */
  async until(isSo: (awaited: number) => boolean): Promise<void> {
    while (!isSo(this.awaited)) await new Promise((resolve) => setImmediate(resolve));
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
    const { number, created } = openedAtOnce(file);
    let isOpen = true;
    // a number that was closed is soon that of another test's file: whoever was held up must not write there
    const opened = () => {
      if (!isOpen) throw Object.assign(new Error(`EBADF: ${file} is closed`), { code: "EBADF" });
      return number;
    };
    let meanwhile: Meanwhile | undefined;
    const handle: RigFile = {
      read: async (buffer, offset, length, position) => ({
        bytesRead: readSync(opened(), buffer, offset, length, position),
      }),
      write: async (buffer, offset, length, position) => {
        if (this.released) await this.hung(this.released);
        if (this.isFull || this.refusesNext) {
          this.refusesNext = false;
          throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
        }
        // a line that is on its way already is not the next one
        meanwhile ??= this.takeMeanwhile();
        const bytesWritten = writeSync(opened(), buffer, offset, length, position);
        await this.turn();
        return { bytesWritten };
      },
      datasync: async () => {
        await this.turn(); // what ends in a rig is a process, no machine: nothing needs to be flushed
        const beside = meanwhile;
        meanwhile = undefined;
        if (beside) await this.finish(beside);
      },
      sync: async () => undefined,
      truncate: async (length) => ftruncateSync(opened(), length),
      stat: async () => fstatSync(opened()),
      close: async () => {
        closeSync(opened());
        isOpen = false;
      },
    };
    return {
      handle: handle as unknown as JournalFile,
      created,
      ...(created && { syncName: () => syncFolder(dirname(file)) }),
      replace: (change) => this.replace(file, change),
    };
  };

  private async hung(released: Promise<void>): Promise<void> {
    this.awaited += 1;
    await released;
    this.awaited -= 1;
  }

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

  /** What is written is on its way for one turn of the event loop, in which other tasks go on, as on any disk. */
  private async turn(): Promise<void> {
    this.underWay += 1;
    await new Promise((resolve) => setImmediate(resolve));
    this.underWay -= 1;
  }
}

/** As `openOrCreate` does, without an error for each of the two dozen that are new. */
function openedAtOnce(file: string): { readonly number: number; readonly created: boolean } {
  const created = !existsSync(file);
  return { number: created ? openSync(file, "wx+", 0o600) : openSync(file, "r+"), created };
}

/** What this process has open in a folder: proc(5). */
export const openFilesIn = (folder: string): readonly string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(`${folder}/`) ? [file] : [];
    } catch {
      return []; // it was closed meanwhile
    }
  });

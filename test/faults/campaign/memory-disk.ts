import type { JournalFile, OpenJournalFile } from "../../../runtime/store/journal.js";

/** What the disk does wrong, at one of its next operations. */
export interface Fault {
  /** Counts writes, flushes and cuts; 0 is the next. */
  readonly after: number;
  /**
   * `full` does a part and refuses; `no flush` does it and says that it failed; `kill` ends the process before the operation;
   * `killed after` ends it when the operation is done and nobody was told.
   */
  readonly what: "full" | "no flush" | "kill" | "killed after";
  /** From 0 to 1: how much of a write is done before it is refused. */
  readonly share: number;
}

interface Content {
  bytes: Buffer;
  /** So many of them survive a power cut for certain. */
  flushed: number;
}

/** Never settles: nobody hears from a process that is dead. */
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/**
 * The files of one machine, in memory. A killed process leaves what it has written; a power cut leaves what was flushed
 * and any beginning of the rest, sometimes as zeros. What a dead process still asks for is never answered.
 */
export class MemoryDisk {
  private readonly files = new Map<string, Content>();
  private life = 0;
  private operations = 0;
  private fault: (Fault & { readonly at: number }) | undefined;
  private full = false;

  /** @param onKill called at the moment at which a fault ends the process */
  constructor(private readonly onKill: () => void) {}

  plan(fault: Fault): void {
    this.fault = { ...fault, at: this.operations + fault.after };
  }

  fill(full: boolean): void {
    this.full = full;
  }

  /** Ends the process that has the files open. */
  kill(): void {
    this.life += 1;
    this.fault = undefined;
  }

  /** Whatever was not flushed is cut off somewhere: `share` of it is left, as it was written or as zeros. */
  cutPower(share: number, zeros: boolean): void {
    this.kill();
    for (const content of this.files.values()) {
      const kept = content.flushed + Math.floor((content.bytes.length - content.flushed) * share);
      content.bytes = content.bytes.subarray(0, kept);
      if (zeros) content.bytes.fill(0, content.flushed);
      content.flushed = kept;
    }
  }

  readonly openFile: OpenJournalFile = async (file) => {
    const known = this.files.get(file);
    const content = known ?? { bytes: Buffer.alloc(0), flushed: 0 };
    this.files.set(file, content);
    return { handle: this.handleOf(content), created: !known };
  };

  private handleOf(content: Content): JournalFile {
    const { life } = this;
    const alive = <T>(result: T): Promise<T> => (life === this.life ? Promise.resolve(result) : never<T>());
    const change = <T>(work: (share: number) => T): Promise<T> =>
      life === this.life ? this.change(work) : never<T>();
    const handle = {
      read: (buffer: Buffer, offset: number, length: number, position: number) =>
        alive({ bytesRead: content.bytes.copy(buffer, offset, position, position + length), buffer }),
      write: (buffer: Buffer, offset: number, length: number, position: number) =>
        change((share) => {
          const bytesWritten = Math.floor(length * share);
          write(content, buffer.subarray(offset, offset + bytesWritten), position);
          return { bytesWritten, buffer };
        }),
      datasync: () => change((share) => flush(content, share)),
      sync: () => change((share) => flush(content, share)),
      truncate: (length = 0) =>
        change((share) => {
          if (share === 1) content.bytes = content.bytes.subarray(0, length);
        }),
      stat: () => alive({ size: content.bytes.length }),
      close: () => alive(undefined),
    };
    return handle as unknown as JournalFile;
  }

  private async change<T>(work: (share: number) => T): Promise<T> {
    const fault = this.dueFault();
    if (fault?.what === "kill") return this.die();
    if (fault?.what === "full" || this.full) return this.refuse(work, fault?.share ?? 0);
    const result = work(1);
    if (fault?.what === "no flush") throw new Error("EIO: i/o error");
    return fault ? this.die() : result;
  }

  private dueFault(): Fault | undefined {
    const { fault } = this;
    this.operations += 1;
    if (!fault || this.operations <= fault.at) return undefined;
    this.fault = undefined;
    return fault;
  }

  private refuse<T>(work: (share: number) => T, share: number): Promise<T> {
    work(share * 0.999);
    return Promise.reject(new Error("ENOSPC: no space left on device"));
  }

  private die<T>(): Promise<T> {
    this.kill();
    this.onKill();
    return never<T>();
  }
}

function write(content: Content, bytes: Buffer, position: number): void {
  const { bytes: before } = content;
  const end = Math.max(before.length, position + bytes.length);
  const after = Buffer.alloc(end);
  before.copy(after);
  bytes.copy(after, position);
  content.bytes = after;
  content.flushed = Math.min(content.flushed, position);
}

function flush(content: Content, share: number): void {
  if (share === 1) content.flushed = content.bytes.length;
}

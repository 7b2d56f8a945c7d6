import { statfs } from "node:fs/promises";
import type { Clock } from "../../drivers/ports.js";
import { type Millis, millis, seconds } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";

const MIB = 1_048_576;
/** A choice: holds, doses and a person's orders of years, and what is written between two looks. */
const RESERVE = 32 * MIB;
/** Of a smaller disk the reserve is a tenth. A choice. */
const SMALL = 10;
/** What agents write in this time is a small part of the reserve. */
const LOOK_EVERY: Millis = millis(100);
/** Nothing is known of a disk that has not answered for so long. A choice. */
const PATIENCE: Millis = seconds(2);

interface Space {
  readonly bavail: number;
  readonly bsize: number;
  readonly blocks: number;
}
export type AskSpace = (folder: string) => Promise<Space>;

/** Bytes that are free on the disk of a folder. Rejects with what the system says. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * The free space of the state folder's file system. What agents write leaves a reserve to the records of water, to holds and to a
 * person's orders. Nobody waits for the disk: what it said last counts, and nothing if it does not answer.
 */
export class FreeSpace {
  private known: { readonly free: number; readonly reserve: number } | undefined;
  private asked: Millis | undefined;
  private isAsking = false;

  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    private readonly ask: AskSpace = statfs,
  ) {}

  /** In words for a person; undefined while there is room, or if nothing is known. */
  get problem(): string | undefined {
    this.look();
    return this.known && this.known.free < this.known.reserve ? wordsOf(this.known) : undefined;
  }

  /** "half": what a care needs may use half of the reserve. Throws DISK_NEARLY_FULL. */
  assertLeft(share: "reserve" | "half"): void {
    this.look();
    if (!this.known) return;
    const { free, reserve } = this.known;
    if (free >= (share === "half" ? reserve / 2 : reserve)) return;
    const details = { free_bytes: free, reserve_bytes: reserve };
    throw new TendrilError("DISK_NEARLY_FULL", wordsOf(this.known), { details });
  }

  /** Asks the disk, unless it was asked just now. */
  look(): void {
    const since = this.asked === undefined ? Number.POSITIVE_INFINITY : this.clock.monotonic() - this.asked;
    if (this.isAsking && since > PATIENCE) this.known = undefined;
    if (this.isAsking || since < LOOK_EVERY) return;
    this.isAsking = true;
    this.asked = this.clock.monotonic();
    this.ask(this.folder)
      .then(
        ({ bavail, bsize, blocks }) => {
          this.known = { free: bavail * bsize, reserve: Math.min(RESERVE, (blocks * bsize) / SMALL) };
        },
        () => {
          this.known = undefined;
        },
      )
      .finally(() => {
        this.isAsking = false;
      });
  }
}

const wordsOf = ({ free, reserve }: { readonly free: number; readonly reserve: number }): string =>
  `${inMib(free)} MiB are left on the disk of the state folder: what agents write is refused below ${inMib(reserve)} MiB`;

const inMib = (bytes: number): number => Math.floor(bytes / MIB);

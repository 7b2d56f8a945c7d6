import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { replaceFile } from "../durable-file.js";
import { DriverError } from "../errors.js";
import { isMissing } from "../system-error.js";
import { type EpochMillis, hours } from "../units.js";

/** The longest time that rules look back by this clock: water counts for a day (CONTRACT.md "Water"). */
const LOOKED_BACK = hours(24);

const content = z.strictObject({ until: z.int().transform((at) => at as EpochMillis) });

/**
 * Until when the wall clock of a bench proves nothing, in `bench.unsynced` of the state folder. A bench that has lost its
 * `bench.json` takes the time from elsewhere, so its old records may lie at any distance: only what the bench itself has
 * run through since counts as passed. After a day of its own time the old records do not matter any more. The file stands
 * beside `bench.json` because earlier versions refuse one with a key that they do not know.
 */
export class UnprovedTime {
  private readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, "bench.unsynced");
  }

  /** The clock has been lost, and starts at `start`. On the disk before it resolves. Rejects with BENCH_STATE_FAILED. */
  async begin(start: EpochMillis): Promise<EpochMillis> {
    const until = (start + LOOKED_BACK) as EpochMillis;
    try {
      await replaceFile(this.path, JSON.stringify({ until }), 0o600);
    } catch (cause) {
      throw new DriverError("BENCH_STATE_FAILED", `${this.path} cannot be written`, { cause });
    }
    return until;
  }

  /** For a clock that goes on at `start`; undefined where it proves what it shows. A damaged file begins the day anew. */
  async goOn(start: EpochMillis): Promise<EpochMillis | undefined> {
    const until = await this.read();
    if (until === "damaged") return this.begin(start);
    if (until === undefined || until > start) return until;
    await rm(this.path, { force: true });
    return undefined;
  }

  private async read(): Promise<EpochMillis | "damaged" | undefined> {
    try {
      return content.parse(JSON.parse(await readFile(this.path, "utf8"))).until;
    } catch (error) {
      return isMissing(error) ? undefined : "damaged";
    }
  }
}

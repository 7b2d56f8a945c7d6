import { rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { makeFolder, readPlainBytes } from "../durable-file.js";
import { DriverError } from "../errors.js";
import { Mutex } from "../mutex.js";
import { isMissing } from "../system-error.js";
import { type EpochMillis, hours } from "../units.js";
import { plantSnapshot } from "./bench-plant.js";

const instant = z.int().transform((at) => at as EpochMillis);

const benchState = z.strictObject({
  version: z.literal(1),
  /** Starts of this bench so far. */
  boots: z.int().min(1),
  /** Where the wall clock goes on: never before what anybody has read from it. */
  wall: instant,
  /** The recording it replays, if it does. */
  recording: z.string().nullable(),
  plants: z.record(z.string(), z.strictObject({ at: instant, plant: plantSnapshot })),
  /** The state was lost before: until then the wall clock proves nothing. */
  unprovedUntil: instant.optional(),
});
export type BenchState = z.output<typeof benchState>;

/** A choice: ten years of one plant take a second or two to catch up with. */
const LONGEST_GAP = hours(100 * 365 * 24);

/** What a bench keeps over a power cut, in `bench.json` of the state folder. */
export class BenchStateFile {
  private readonly path: string;
  private readonly mutex = new Mutex();

  constructor(folder: string) {
    this.path = join(folder, "bench.json");
  }

  /** Undefined for a new bench. Rejects with BENCH_STATE_INVALID: a broken file is never replaced. */
  async load(): Promise<BenchState | undefined> {
    const text = await this.read();
    if (text === undefined) return undefined;
    let state: BenchState;
    try {
      state = benchState.parse(JSON.parse(text));
    } catch (cause) {
      throw this.invalid(cause instanceof z.ZodError ? z.prettifyError(cause) : "is not JSON", cause);
    }
    this.assertNear(state);
    return state;
  }

  /** A plant lives through all the time since it was written down. */
  private assertNear({ wall, plants }: BenchState): void {
    for (const [id, { at }] of Object.entries(plants))
      if (wall - at > LONGEST_GAP)
        throw this.invalid(`has its clock ("wall") more than 100 years after its plant ${id}`);
  }

  /** The file cannot be used here for another reason. */
  invalid(reason: string, cause?: unknown): DriverError {
    return new DriverError("BENCH_STATE_INVALID", `${this.path} ${reason}`, { cause });
  }

  /**
   * Writes what `compose` gives once the save before is through; after a crash the file is the old or the new one,
   * never a mixture. Rejects with BENCH_STATE_FAILED.
   */
  save(compose: () => BenchState): Promise<void> {
    return this.mutex.run(() => this.write(JSON.stringify(compose(), null, 2)));
  }

  private async read(): Promise<string | undefined> {
    try {
      return (await readPlainBytes(this.path)).toString("utf8");
    } catch (cause) {
      if (isMissing(cause)) return undefined;
      throw this.invalid("cannot be read", cause);
    }
  }

  private async write(text: string): Promise<void> {
    try {
      await makeFolder(dirname(this.path), 0o700);
      await writeFile(`${this.path}.new`, text, { mode: 0o600, flush: true });
      await rename(`${this.path}.new`, this.path);
    } catch (cause) {
      throw new DriverError("BENCH_STATE_FAILED", `${this.path} cannot be written`, { cause });
    }
  }
}

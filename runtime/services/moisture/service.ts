import { z } from "zod";
import {
  type Calibration,
  type ProbeLevel,
  type SoilProbe,
  spanOf,
} from "../../../drivers/devices/soil-probe.js";
import { DRIVER_ERRORS, DriverError } from "../../../drivers/errors.js";
import type { Bench } from "../../../drivers/open-board.js";
import type { Clock } from "../../../drivers/ports.js";
import { type Millis, minutes, seconds } from "../../../drivers/units.js";
import { probeConfig } from "../../config/devices.js";
import { errorTable, later, TendrilError } from "../../errors.js";
import { elapsed, type Stamp, stampOf } from "../../safety/stamp.js";
import type { HistoryQuery, HistoryResult } from "../../store/bucket.js";
import type { ReadingStore, StoredReading } from "../../store/measurements.js";
import { isoUtc } from "../../tools/iso-time.js";
import { cronProblem } from "../../wire/cron.js";
import { definePart, type House } from "../module.js";
import { type Outages, outages } from "../outages/index.js";

export const MOISTURE_ERRORS = errorTable({
  PROBE_FAULT: later(
    "read the moisture until the probe answers; no water flows without a reading",
    "nothing",
  ),
});

const cron = z.string().superRefine((pattern, ctx) => {
  const problem = cronProblem(pattern);
  if (problem !== undefined) ctx.addIssue({ code: "custom", message: `is no cron pattern: ${problem}` });
});

/** Configuration: how often the probes are read. */
export const moistureConfig = {
  sampling: z
    .strictObject({
      cron: cron.default("* * * * *").describe("when the moisture is read, in the zone"),
    })
    .prefault({}),
};

/** A choice: the soil watch looks back 30 days, and nothing else of the program as far. */
const LEAST_RAW_DAYS = 31;

/** Configuration: what is kept of all sensors' readings, and how soon it is on the disk. */
export const historyConfig = {
  history: z
    .strictObject({
      keep_raw: z
        .union([z.literal("always"), z.int().min(LEAST_RAW_DAYS).max(36_500)])
        .default("always")
        .describe("days after which single readings are thinned to half-hours"),
      commit_within_minutes: z
        .number()
        .min(0.1)
        .max(60)
        .default(10)
        .describe("a crash may lose readings of so many minutes"),
    })
    .prefault({}),
};

/** A reading with the clocks' evidence of when it was taken, and its noise in percent of the calibrated span. */
export type Observed = StoredReading & { readonly stamp: Stamp; readonly noise_percent: number };

/** Where a person has put a probe. */
type ProbePlace = "air" | "water" | "pot";

/** A probe and its calibration. `move` moves a simulated probe, and returns how to put it back; a person moves a real one. */
interface Probe {
  readonly driver: SoilProbe;
  readonly calibration: Calibration;
  readonly move?: (to: ProbePlace) => () => void;
  /** Why a replayed recording has nothing to read now; undefined if it has. */
  readonly gap?: () => DriverError | undefined;
}

interface ProbeFault {
  readonly code: string;
  readonly message: string;
  readonly since: string;
}

/** A status may quote a reading of this age. */
const RECENT = minutes(10);

/** The newest readings, for statuses to quote. */
const REMEMBERED = 100;
/** One a minute for the 24 hours of the response check, and some more, however often agents ask. */
const COURSE = { readings: 1600, every: seconds(55) };
/** Doses can follow within seconds, so the newest readings are kept more closely. Both figures are choices. */
const CLOSE_UP = { readings: 30, every: seconds(5) };

/** The probe answers, but not with the soil's moisture. */
const IMPLAUSIBLE: readonly string[] = ["PROBE_IMPLAUSIBLE", "PROBE_STUCK"];

/** Reads the probes, stores their readings, and remembers their faults. */
export class MoistureService {
  private readonly faults = new Map<string, ProbeFault>();
  private readonly seen = new Map<string, Observed[]>();
  private readonly courses = new Map<string, Observed[]>();
  private readonly closeUps = new Map<string, Observed[]>();
  /** When the oldest reading was taken that there is; -Infinity if there may be older ones than were looked at. */
  private readonly oldest = new Map<string, number>();

  private constructor(
    private readonly probes: ReadonlyMap<string, Probe>,
    private readonly readings: ReadingStore,
    private readonly clock: Clock,
    private readonly outages: Outages,
  ) {}

  static async open(
    probes: ReadonlyMap<string, Probe>,
    readings: ReadingStore,
    clock: Clock,
    record: Outages,
  ): Promise<MoistureService> {
    const service = new MoistureService(probes, readings, clock, record);
    for (const plant of probes.keys()) {
      const latest = await readings.latest(plant, COURSE.readings);
      if (latest.length === COURSE.readings) service.oldest.set(plant, Number.NEGATIVE_INFINITY);
      for (const reading of latest) service.remember(reading, storedStamp(reading, clock));
    }
    return service;
  }

  /** Reads the probe now and stores the reading. Throws PROBE_FAULT with the last good reading. */
  async read(plant: string): Promise<Observed> {
    try {
      const { raw, percent, noise, level } = await this.probeOf(plant).driver.read();
      const reading = { plant, at: this.clock.now(), value: raw, percent, noise, level };
      this.readings.add(reading);
      this.faults.delete(plant);
      const observed = this.remember(reading, stampOf(this.clock));
      await this.outages.worked("probe", plant);
      return observed;
    } catch (error) {
      throw await this.faulty(plant, this.probeOf(plant).gap?.() ?? error);
    }
  }

  /** As `read`. A dose depends on this reading: it does not wait for the others to be committed. */
  async readForDose(plant: string): Promise<Observed> {
    const observed = await this.read(plant);
    this.readings.commitSoon();
    return observed;
  }

  /**
   * The probe's own level, in soil or not. It is no reading of the soil, and not kept. A simulated probe is put back at once:
   * nobody is told when a calibration is broken off. Throws the driver's error.
   */
  async measure(plant: string, place?: ProbePlace): Promise<ProbeLevel & Calibration> {
    const { driver, calibration, move } = this.probeOf(plant);
    const putBack = place === undefined ? undefined : move?.(place);
    try {
      return { ...(await driver.measure()), ...calibration };
    } finally {
      putBack?.();
    }
  }

  /** The fault, if the last reading failed. */
  fault(plant: string): ProbeFault | undefined {
    return this.faults.get(plant);
  }

  last(plant: string): Observed | undefined {
    return this.seen.get(plant)?.at(-1);
  }

  /** The readings of the last day, oldest first: at most one a minute, the newest more closely. */
  course(plant: string): readonly Observed[] {
    const course = this.courses.get(plant) ?? [];
    const closely = this.closeUps.get(plant) ?? [];
    const known = new Set(closely);
    const only = course.findLastIndex((observed) => !known.has(observed)) + 1; // the newest are in both
    return course.slice(0, only).concat(closely);
  }

  recent(plant: string): Observed[] {
    const now = this.clock.now();
    return (this.seen.get(plant) ?? []).filter(({ at }) => at >= now - RECENT && at <= now);
  }

  /** Whether there can be a reading from before this time, of the last month: so long each is kept (`keep_raw`). */
  mayHaveReadBefore(plant: string, at: number): boolean {
    return (this.oldest.get(plant) ?? Number.POSITIVE_INFINITY) < at;
  }

  history(query: HistoryQuery): Promise<HistoryResult> {
    return this.readings.history(query);
  }

  private probeOf(plant: string): Probe {
    const probe = this.probes.get(plant);
    if (probe) return probe;
    throw new TendrilError("INTERNAL", `${plant} has no probe on this board`);
  }

  private remember(reading: StoredReading, stamp: Stamp): Observed {
    const observed = { ...reading, stamp, noise_percent: noisePercent(reading, this.probeOf(reading.plant)) };
    const { plant, at } = reading;
    this.oldest.set(plant, Math.min(this.oldest.get(plant) ?? at, at));
    keep(this.seen, observed, REMEMBERED);
    const inCourse = isApart(this.courses, observed, COURSE.every);
    if (inCourse) keep(this.courses, observed, COURSE.readings);
    if (inCourse || isApart(this.closeUps, observed, CLOSE_UP.every))
      keep(this.closeUps, observed, CLOSE_UP.readings);
    return observed;
  }

  private async faulty(plant: string, error: unknown): Promise<unknown> {
    if (!(error instanceof DriverError)) return error;
    const since = this.faults.get(plant)?.since ?? isoUtc(this.clock.now());
    this.faults.set(plant, { code: error.code, message: error.message, since });
    await this.outages.failed("probe", plant, error.code, error.what);
    const last = this.last(plant);
    const remedy = DRIVER_ERRORS[error.code].fix;
    const what = `the probe of ${plant} cannot be read: ${error.what} (${error.code}); a person has to ${remedy}`;
    const details = {
      cause: error.code,
      remedy,
      quality: IMPLAUSIBLE.includes(error.code) ? "implausible" : "disconnected",
      last_good: last ? { ...publicReading(last), quality: "stale" } : null,
    };
    return new TendrilError(MOISTURE_ERRORS.PROBE_FAULT, what, { cause: error, details });
  }
}

/** Whether it came long enough after the newest of its list. An unknown time means another boot or run: long enough. */
function isApart(lists: ReadonlyMap<string, Observed[]>, { plant, stamp }: Observed, by: Millis): boolean {
  const before = lists.get(plant)?.at(-1);
  const apart = before ? elapsed(before.stamp, stamp) : undefined;
  return !apart?.certain || apart.atLeast >= by;
}

/** Adds to a plant's list. A list of twice `most` is cut to `most`. */
function keep(lists: Map<string, Observed[]>, observed: Observed, most: number): void {
  const list = lists.get(observed.plant) ?? [];
  lists.set(observed.plant, list);
  list.push(observed);
  if (list.length >= 2 * most) list.splice(0, most);
}

/** A reading in the form of results. */
export const publicReading = ({ at, value, percent, noise }: StoredReading) => {
  return { value, timestamp: isoUtc(at), percent, noise };
};

/** Stored readings have only their wall time, so each counts as of a boot of its own: by that time they lie apart. */
const storedStamp = ({ at }: StoredReading, clock: Clock): Stamp => ({
  wall_ms: at,
  mono_ms: 0,
  boot: `stored ${at}`,
  synced: clock.synchronised(),
});

/** Counts → the calibration's unit → percent of the span. 0 counts have no scale; no live probe reads that. */
const noisePercent = ({ value, level, noise }: StoredReading, { calibration }: Probe): number =>
  value === 0 ? 0 : Math.abs((noise * level * 100) / (value * spanOf(calibration)));

export const moisture = definePart("moisture", async (house) =>
  MoistureService.open(probesOf(house), house.store.readings, house.clock, await house.use(outages)),
);

const probesOf = ({ plants: configured, board: { plants, bench } }: House): Map<string, Probe> =>
  new Map(
    configured.all.flatMap(({ id, probe }) => {
      const driver = plants.get(id)?.probe;
      const { calibration } = probeConfig(probe);
      const move = bench && ((to: ProbePlace) => moveOnBench(bench, id, to));
      const gap = bench && (() => gapOf(bench));
      const extras = { ...(move && { move }), ...(gap && { gap }) };
      return driver ? [[id, { driver, calibration, ...extras }] as const] : [];
    }),
  );

function gapOf(bench: Bench): DriverError | undefined {
  const gap = bench.recordingGap();
  if (!gap) return undefined;
  const [from, until] = [isoUtc(gap.from), isoUtc(gap.until)];
  // the remedy is here too, because an agent sees only the probe's fault and its remedy
  const what = `the recording has a gap from ${from} until ${until}, which --skip-gaps would leave out`;
  return new DriverError("REPLAY_GAP", what);
}

function moveOnBench(bench: Bench, plant: string, to: ProbePlace): () => void {
  const before = bench.faults(plant).probeIn;
  const put = (where: typeof before) => {
    const faults = bench.faults(plant);
    if (where === undefined) delete faults.probeIn;
    else faults.probeIn = where;
  };
  put(to === "pot" ? undefined : to);
  return () => put(before);
}

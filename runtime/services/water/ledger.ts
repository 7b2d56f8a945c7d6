import type { Clock } from "../../../drivers/ports.js";
import { type EpochMillis, millis } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import { type Stamp, stampOf } from "../../safety/stamp.js";
import {
  admitDose,
  type DoseDecision,
  hundredths,
  poured24h,
  pruneWaterEvents,
  type WaterEvent,
} from "../../safety/water-window.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../../tools/iso-time.js";
import { definePart } from "../module.js";
import {
  DOSE_LOG,
  type DoseEntry,
  type DoseRecord,
  type Order,
  type Stopped,
  WATER_ERRORS,
  WIRED_PLANTS,
  waterConfig,
} from "./declarations.js";
import { ANY_NEW_PLANT, type Line, Pots, type WiredPlant, wiredPlants } from "./pots.js";

type DoseLog = Pick<RecordLog<DoseEntry, DoseRecord>, "append" | "newest" | "newestOf">;

interface WaterRules {
  /** Rolling 24 h limit of each pot, in ml. */
  readonly limit: number;
  readonly plants: readonly WiredPlant[];
}

/**
 * Records that are read first, and then twice as many each time, until they go back through a day. As many are kept in
 * memory where only a wall clock has aged them: they count again if that clock is found set back.
 */
const PAGE = 200;

/**
 * Millilitres that may flow by a late end without counting against a plan. A choice: 167 ms of late switching and
 * timers at 1.5 ml/s. The daily limit counts them.
 */
const LATE_ML = 0.25;

/**
 * The durable account of water. A dose is charged in full before the pump moves, and with what was delivered once it
 * has stopped, even if that is more. A dose that a crash left open is charged with the most that it can have been, at
 * the time of the restart.
 */
export class WaterLedger {
  /** In the order of the journal, without those that {@link counts} leaves out: a dose has the place of its intent. */
  private lines: Charge[] = [];

  private constructor(
    private readonly log: DoseLog,
    private readonly clock: Clock,
    private readonly rules: WaterRules,
    readonly pots: Pots,
  ) {}

  static async open(log: DoseLog, clock: Clock, rules: WaterRules): Promise<WaterLedger> {
    let lines = await load(log, clock);
    witness(clock, lines);
    if (clock.contradicts?.()) lines = await load(log, clock); // further back: what its wall time had aged counts again
    const before = (await log.newestOf(WIRED_PLANTS))?.wired;
    const pots = new Pots(rules.plants, before, lines);
    const ledger = new WaterLedger(log, clock, rules, pots);
    ledger.lines = lines;
    await ledger.mark(); // first of all: each boot begins with a mark
    await ledger.settleOpenDoses();
    return ledger;
  }

  get limit(): number {
    return this.rules.limit;
  }

  /**
   * Charges every plant a whole day's water, because the journal is missing or damaged. Also charges a plant that is
   * not configured now and comes back within the day.
   */
  async chargeLostLedger(reason: string): Promise<void> {
    for (const plant of [...this.rules.plants.map(({ id }) => id), ANY_NEW_PLANT])
      await this.write({ ...this.heading(), kind: "ledger_lost", plant, ml: this.limit, reason });
  }

  /** Writes down the wiring. Call it once all that follows from a change is durable. */
  async keepWiring(): Promise<void> {
    if (this.pots.changed) await this.write({ ...this.heading(), kind: "plants", wired: this.pots.known });
  }

  /** Millilitres of the last 24 h that count for a plant but were poured under other ids, by id. */
  inherited(plant: string): ReadonlyMap<string, number> {
    const byId = new Map<string, number>();
    for (const { record } of this.doses(plant)) {
      const id = record.plant ?? "";
      if (id !== plant) byId.set(id, hundredths((byId.get(id) ?? 0) + record.ml_dispensed));
    }
    return byId;
  }

  /** Writes down what the clocks read now. */
  async mark(): Promise<void> {
    await this.write({ ...this.heading(), kind: "mark" });
    this.forgetWhatCannotCount();
  }

  admit(order: Order): DoseDecision {
    return admitDose({
      ml: order.ml,
      events: this.events(order.plant),
      now: stampOf(this.clock),
      limit: this.limit,
    });
  }

  used(plant: string): number {
    return poured24h(this.events(plant), stampOf(this.clock));
  }

  remaining(plant: string): number {
    return Math.max(0, this.limit - this.used(plant));
  }

  /** The plant's doses that still count, oldest first. */
  doses(plant: string): readonly Line[] {
    const counting = countingLines(this.lines, stampOf(this.clock));
    return counting.filter((line) => this.pots.counts(plant, line));
  }

  /** The newest line's number; later lines have higher ones. */
  get lastId(): number {
    return this.lines.at(-1)?.id ?? 0;
  }

  /** Millilitres of the last 24 h that count because a record was lost. Nobody knows whether they were poured. */
  assumed(plant: string): number {
    const lost = this.doses(plant).filter(({ record }) => record.outcome === "ledger_lost");
    return lost.reduce((sum, { record }) => sum + record.ml_dispensed, 0);
  }

  /** Water poured in a cycle. An end that is late by some hundredths of a millilitre does not change the plan. */
  spentIn(cycle: number): number {
    const doses = this.lines.filter(({ record }) => record.cycle === cycle);
    return doses.reduce((sum, { record: { ml_requested, ml_dispensed } }) => {
      const late = ml_dispensed - ml_requested;
      return sum + (late > 0 && late <= LATE_ML ? ml_requested : ml_dispensed);
    }, 0);
  }

  /** Resolves when the order is durable. Only then the pump may move. */
  async intend(order: Order): Promise<number> {
    return this.write({ ...this.heading(), kind: "intent", ...order });
  }

  async started(of: number): Promise<void> {
    await this.write({ ...this.heading(), kind: "started", of });
  }

  async settle(of: number, ml: number, outcome: Stopped["outcome"], onFor: number | null): Promise<void> {
    this.chargeAtLeast(ml, of);
    await this.write({ ...this.heading(), kind: "stopped", of, ml, outcome, on_for_ms: onFor });
  }

  /** Charges each dose that a crash left open with the most that it can have been, as of now. */
  private async settleOpenDoses(): Promise<void> {
    for (const { id, record } of this.lines.filter((line) => line.record.outcome === "pending")) {
      await this.settle(id, record.ml_at_most ?? record.ml_requested, "uncertain", null);
    }
  }

  /** Water that flowed counts before it is on the disk. */
  private chargeAtLeast(ml: number, id: number): void {
    this.lines = this.lines.map((line) =>
      line.id === id && line.record.ml_dispensed < ml
        ? chargeOf({ id, record: { ...line.record, ml_dispensed: ml } })
        : line,
    );
  }

  private forgetWhatCannotCount(): void {
    const now = stampOf(this.clock);
    const counting = countingLines(this.lines, now).length;
    const byRunning = countingLines(this.lines, { ...now, contradicts: true }).length;
    this.lines = this.lines.slice(this.lines.length - Math.max(counting, Math.min(PAGE, byRunning)));
  }

  /** The charges that count for one plant; all other lines as bare stamps. */
  private events(plant: string): WaterEvent[] {
    return this.lines.map((line) =>
      this.pots.counts(plant, line) ? line.event : { ...line.event, charged: 0 },
    );
  }

  private async write(entry: DoseEntry): Promise<number> {
    try {
      const line = chargeOf(await this.log.append(entry));
      const at = this.lines.findIndex(({ id }) => id === line.id);
      const there = at < 0 ? this.lines.length : at;
      this.lines.splice(there, at < 0 ? 0 : 1, ...(counts(line) ? [line] : []));
      return line.id;
    } catch (cause) {
      const what = "the water ledger cannot be written";
      throw new TendrilError(WATER_ERRORS.LEDGER_UNAVAILABLE, what, { cause });
    }
  }

  private heading(): { timestamp: string; stamp: Stamp } {
    const stamp = stampOf(this.clock);
    return { timestamp: isoUtc(stamp.wall_ms), stamp };
  }
}

/**
 * Tells the clock what the journal knows, so that it notices if it was set back, or is behind an earlier boot. In order of
 * time: a dose that a restart settled stands before lines that are older.
 */
function witness(clock: Clock, lines: readonly Charge[]): void {
  const right = lines.map(({ record }) => record.stamp).filter(({ synced }) => synced);
  const earlier = right.filter(({ boot }) => boot !== clock.bootId).map(({ wall_ms }) => wall_ms);
  const latest = earlier.reduce((most, wall) => Math.max(most, wall), Number.NEGATIVE_INFINITY);
  if (earlier.length > 0) clock.witness?.(latest as EpochMillis, millis(0));
  const own = right.filter(({ boot }) => boot === clock.bootId).sort((a, b) => a.mono_ms - b.mono_ms);
  for (const { wall_ms, mono_ms } of own) clock.witness?.(wall_ms as EpochMillis, millis(mono_ms));
}

/** A line with what it says of the window, worked out once: the lines of a day are asked about with each reading. */
interface Charge extends Line {
  readonly event: WaterEvent;
}

const chargeOf = ({ id, record }: Line): Charge => ({
  id,
  record,
  event: {
    stamp: record.stamp,
    charged: record.ml_dispensed,
    unfinished: record.outcome === "pending",
    mark: record.outcome === "mark",
  },
});

/** A dose that moved nothing counts for nothing, and a caller that tries again and again makes many of them. */
const counts = ({ record }: Line): boolean => record.outcome !== "stopped" || record.ml_dispensed > 0;

/** The newest lines, back to the first that is more than 24 h old. */
async function load(log: DoseLog, clock: Clock): Promise<Charge[]> {
  for (let most = PAGE; ; most *= 2) {
    const lines: Charge[] = [];
    let read = 0;
    for await (const line of log.newest({ limit: most })) {
      read += 1;
      if (counts(line)) lines.push(chargeOf(line));
    }
    lines.reverse();
    if (read < most || countingLines(lines, stampOf(clock)).length < lines.length) return lines;
  }
}

/** The lines from the first that is less than 24 h old. */
function countingLines(lines: readonly Charge[], now: Stamp): Charge[] {
  const counting = pruneWaterEvents(
    lines.map(({ event }) => event),
    now,
  );
  return lines.slice(lines.length - counting.length);
}

export const waterLedger = definePart("water ledger", (house) =>
  WaterLedger.open(house.journal(DOSE_LOG), house.clock, {
    limit: house.config(waterConfig).water.daily_limit_ml,
    plants: wiredPlants(house.plants.all),
  }),
);

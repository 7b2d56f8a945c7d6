import type { z } from "zod";
import type { Clock } from "../../../drivers/ports.js";
import { minutes } from "../../../drivers/units.js";
import { MAX_PLANTS } from "../../config/schema.js";
import { errorTable, later } from "../../errors.js";
import { type LightState, lightAvailability, litMinutesToday } from "../../safety/light.js";
import { elapsed, type Stamp, stampOf } from "../../safety/stamp.js";
import type { HistoryQuery, HistoryResult } from "../../store/bucket.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { LightStretch, lightStatus } from "../../wire/plants.js";
import { definePart } from "../module.js";

export const LIGHT_ERRORS = errorTable({
  LIGHT_ALREADY_ON: later("wait until it is off, or switch it off", "nothing"),
  LIGHT_COOLDOWN: later("wait until the light has rested", "nothing"),
});

export type LightEnd = "elapsed" | "turned_off" | "restart" | "uncertain" | "failed";

/** An order to switch on. This very object is checked, written down and carried out. */
export interface LightOrder {
  readonly plant: string;
  readonly minutes: number;
  readonly off_at: string;
  readonly by: string;
  readonly cycle?: number;
}

/** A line of journal/light.jsonl. */
export type LightEntry = { readonly timestamp: string; readonly stamp: Stamp } & (
  | ({ readonly kind: "on" } & LightOrder)
  | { readonly kind: "off"; readonly of: number; readonly ended: LightEnd; readonly lit_ms: number }
);

/** A period of light for the history. `minutes`: how long it was lit; while it is on, how long was asked for. */
export interface LightRecord extends LightStretch {
  readonly plant: string;
  readonly minutes_requested: number;
  readonly off_at: string;
  readonly ended: LightEnd | null;
  readonly by: string;
  readonly cycle: number | null;
  readonly on_stamp: Stamp;
  readonly off_stamp: Stamp | null;
}

export const LIGHT_LOG = {
  name: "light",
  keepsEnd: true,
  fold: (previous: LightRecord | undefined, entry: LightEntry): LightRecord =>
    entry.kind === "on" ? begun(entry) : over(previous, entry),
};

const begun = (entry: LightEntry & { kind: "on" }): LightRecord => ({
  timestamp: entry.timestamp,
  plant: entry.plant,
  minutes_requested: entry.minutes,
  minutes: entry.minutes,
  off_at: entry.off_at,
  ended: null,
  by: entry.by,
  cycle: entry.cycle ?? null,
  on_stamp: entry.stamp,
  off_stamp: null,
});

function over(previous: LightRecord | undefined, entry: LightEntry & { kind: "off" }): LightRecord {
  if (!previous) throw new Error(`light.jsonl: an "off" of ${entry.of}, which no line has switched on`);
  return {
    ...previous,
    minutes: Math.round(entry.lit_ms / 600) / 100,
    off_at: entry.timestamp,
    ended: entry.ended,
    off_stamp: entry.stamp,
  };
}

export type LightStatus = Readonly<z.output<typeof lightStatus>>;

interface Line {
  readonly id: number;
  readonly record: LightRecord;
  /** When it went on, and when it ends, milliseconds of the wall clock. */
  readonly from: number;
  readonly to: number;
}

const lineOf = ({ id, record }: Pick<Line, "id" | "record">): Line => {
  return { id, record, from: Date.parse(record.timestamp), to: Date.parse(record.off_at) };
};

/** Periods kept in memory for each plant: for two days, if each is switched off at once and ended by 30 minutes. */
const REMEMBERED = 48 * 2;

/** The durable account of light: what was lit today, and how long the lamp has rested. */
export class LightLedger {
  /** By plant, oldest first. */
  private readonly lines = new Map<string, Line[]>();
  private readonly opened: Stamp;

  private constructor(
    private readonly log: RecordLog<LightEntry, LightRecord>,
    private readonly clock: Clock,
  ) {
    this.opened = stampOf(clock);
  }

  /** Call it with the lights off: a period that a crash left open ends here, and its rest begins. */
  static async open(log: RecordLog<LightEntry, LightRecord>, clock: Clock): Promise<LightLedger> {
    const ledger = new LightLedger(log, clock);
    const newest = (await log.newestFirst(MAX_PLANTS * REMEMBERED, 0)).reverse().map(lineOf);
    for (const line of newest) ledger.keep(line);
    for (const { id, record } of newest.filter((line) => line.record.ended === null)) {
      const asked = minutes(record.minutes_requested);
      await ledger.end(id, "restart", Math.min(asked, elapsed(record.on_stamp, ledger.opened).atLeast));
    }
    return ledger;
  }

  /** For a lost journal: it is unknown when the light was last on, so its rest begins now. */
  async restAfterLoss(plant: string): Promise<void> {
    const id = await this.begin({ plant, minutes: 0, off_at: isoUtc(this.clock.now()), by: "runtime" });
    await this.end(id, "uncertain", 0);
  }

  /** Resolves when the order is durable. Only then the light may go on. */
  async begin(order: LightOrder): Promise<number> {
    const line = lineOf(await this.log.append({ ...this.heading(), kind: "on", ...order }));
    this.keep(line);
    return line.id;
  }

  /** The light is on now. The order counted as lit before, and does so again after a restart: it may have waited for the disk. */
  lit(of: number): void {
    const { timestamp, stamp } = this.heading();
    this.change(of, (record) => ({ ...record, timestamp, on_stamp: stamp }));
  }

  /** The light is off already. That counts at once, before it is on the disk. */
  async end(of: number, ended: LightEnd, litMs: number): Promise<void> {
    const entry: LightEntry = { ...this.heading(), kind: "off", of, ended, lit_ms: litMs };
    this.change(of, (record) => LIGHT_LOG.fold(record, entry));
    await this.log.append(entry);
  }

  status(plant: string): LightStatus {
    const lines = this.linesOf(plant);
    const record = lines.at(-1)?.record;
    const now = stampOf(this.clock);
    const { on, canActivate, minutesUntilAvailable } = lightAvailability(this.stateOf(record, now), now);
    return {
      status: on ? "on" : "off",
      last_on: record?.timestamp ?? null,
      last_off: lines.findLast((line) => line.record.ended !== null)?.record.off_at ?? null,
      can_activate: canActivate,
      minutes_until_available: minutesUntilAvailable,
      light_today: this.today(plant),
    };
  }

  /** Whole lit minutes since 00:00 UTC; a light that is on counts up to now. */
  today(plant: string): number {
    const now = this.clock.now();
    const intervals = this.linesOf(plant).map(({ record, from, to }) => {
      return { from, to: record.ended === null ? now : to };
    });
    return litMinutesToday(intervals, now);
  }

  /** Minutes that were switched on in a cycle. */
  spentIn(cycle: number): number {
    let sum = 0;
    for (const lines of this.lines.values())
      for (const { record } of lines)
        if (record.cycle === cycle && record.ended !== "failed") sum += record.minutes_requested;
    return sum;
  }

  history(query: HistoryQuery): Promise<HistoryResult> {
    return this.log.history(query);
  }

  /** The periods in which the light was really on. */
  private linesOf(plant: string): Line[] {
    return (this.lines.get(plant) ?? []).filter(({ record }) => record.ended !== "failed");
  }

  /** If a rest cannot be proved across a reboot, it counts from this run's start, when the light was off. */
  private stateOf(record: LightRecord | undefined, now: Stamp): LightState {
    if (!record) return { state: "never lit" };
    const { on_stamp, off_stamp, minutes_requested } = record;
    if (!off_stamp) return { state: "on", since: on_stamp, minutes: minutes_requested };
    return { state: "off", since: elapsed(off_stamp, now).certain ? off_stamp : this.opened };
  }

  private change(of: number, changed: (record: LightRecord) => LightRecord): void {
    const line = [...this.lines.values()].flat().find(({ id }) => id === of);
    if (line) this.keep(lineOf({ id: of, record: changed(line.record) }));
  }

  private keep(line: Line): void {
    const { plant } = line.record;
    const lines = this.lines.get(plant) ?? [];
    this.lines.set(plant, lines);
    const at = lines.findIndex(({ id }) => id === line.id);
    if (at >= 0) lines[at] = line;
    else lines.push(line);
    if (lines.length > REMEMBERED) lines.shift();
  }

  private heading(): { timestamp: string; stamp: Stamp } {
    const stamp = stampOf(this.clock);
    return { timestamp: isoUtc(stamp.wall_ms), stamp };
  }
}

export const lightLedger = definePart("light ledger", (house) =>
  LightLedger.open(house.journal(LIGHT_LOG), house.clock),
);

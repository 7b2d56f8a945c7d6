import type { Clock } from "../../../drivers/ports.js";
import { TendrilError } from "../../errors.js";
import { type Stamp, stampOf } from "../../safety/stamp.js";
import { admitDose, type DoseDecision, poured24h, pruneWaterEvents } from "../../safety/water-window.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../iso-time.js";
import type { DoseEntry, DoseRecord, Order, Stopped } from "./table.js";

type DoseLog = RecordLog<DoseEntry, DoseRecord>;

/** A dose or a mark, in the order of the journal. */
export interface Line {
  readonly id: number;
  readonly record: DoseRecord;
}

/** How many records are read at once while walking back through a day. */
const PAGE = 200;

/**
 * The durable account of water. A dose is charged in full before the pump moves and with what was delivered once
 * it has stopped, also where that is more; what a crash leaves open is charged with the most it can have been, as of the
 * restart.
 */
export class WaterLedger {
  private lines: Line[] = [];

  private constructor(
    private readonly log: DoseLog,
    private readonly clock: Clock,
    /** Rolling 24 h limit per plant, in ml. */
    readonly limit: number,
  ) {}

  static async open(log: DoseLog, clock: Clock, limit: number): Promise<WaterLedger> {
    const ledger = new WaterLedger(log, clock, limit);
    await ledger.load();
    await ledger.mark();
    return ledger;
  }

  /** Charges a plant a whole day's water: the journal that would tell is missing or damaged. */
  async chargeLostLedger(plant: string, reason: string): Promise<void> {
    await this.write({ ...this.heading(), kind: "ledger_lost", plant, ml: this.limit, reason });
  }

  /** Says on disk what the clocks read now. */
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
    const counting = this.lines.slice(this.lines.length - this.countingLines());
    return counting.filter(({ record }) => record.plant === plant);
  }

  /** The newest line's number: whatever comes later has a higher one. */
  get lastId(): number {
    return this.lines.at(-1)?.id ?? 0;
  }

  /** What was charged under a plant status. */
  spentIn(cycle: number): number {
    return this.lines.reduce(
      (sum, { record }) => (record.cycle === cycle ? sum + record.ml_dispensed : sum),
      0,
    );
  }

  /** Durable before it returns: only then may the pump move. */
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

  private async load(): Promise<void> {
    for (let offset = 0; ; offset += PAGE) {
      const page = await this.log.newestFirst(PAGE, offset);
      this.lines.unshift(...page.reverse());
      if (page.length < PAGE || this.reachesBackADay()) break;
    }
    for (const { id, record } of this.lines.filter((line) => line.record.outcome === "pending")) {
      await this.settle(id, record.ml_at_most ?? record.ml_requested, "uncertain", null);
    }
  }

  /** Water that flowed counts before it is on disk. */
  private chargeAtLeast(ml: number, id: number): void {
    this.lines = this.lines.map((line) =>
      line.id === id && line.record.ml_dispensed < ml
        ? { id, record: { ...line.record, ml_dispensed: ml } }
        : line,
    );
  }

  private reachesBackADay(): boolean {
    return this.countingLines() < this.lines.length;
  }

  private forgetWhatCannotCount(): void {
    this.lines = this.lines.slice(this.lines.length - this.countingLines());
  }

  /** How many of the newest lines are less than 24 h old. */
  private countingLines(): number {
    return pruneWaterEvents(this.events(), stampOf(this.clock)).length;
  }

  /** Charges of one plant, with everything else as bare marks of the clock. */
  private events(plant?: string) {
    return this.lines.map(({ record }) => ({
      stamp: record.stamp,
      charged: record.plant === plant ? record.ml_dispensed : 0,
      unfinished: record.outcome === "pending",
    }));
  }

  private async write(entry: DoseEntry): Promise<number> {
    try {
      const line = await this.log.append(entry);
      const at = this.lines.findIndex(({ id }) => id === line.id);
      if (at < 0) this.lines.push(line);
      else this.lines[at] = line;
      return line.id;
    } catch (cause) {
      throw new TendrilError("LEDGER_UNAVAILABLE", "the water ledger cannot be written", { cause });
    }
  }

  private heading(): { timestamp: string; stamp: Stamp } {
    const stamp = stampOf(this.clock);
    return { timestamp: isoUtc(stamp.wall_ms), stamp };
  }
}

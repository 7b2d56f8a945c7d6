import { MutexByKey } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { hours, type Millis, millis, minutes } from "../../../drivers/units.js";
import { invalidArgument, TendrilError } from "../../errors.js";
import {
  admitUnanswered,
  judgeResponse,
  type PouredDose,
  type ResponseRule,
  type SoilReading,
  toDroplets,
  type UnansweredDose,
} from "../../safety/response.js";
import { elapsed, type Stamp, stampOf } from "../../safety/stamp.js";
import { levelToCome } from "../../safety/wet-soil.js";
import { isoUtc } from "../../tools/iso-time.js";
import { definePart } from "../module.js";
import { type MoistureService, moisture, type Observed } from "../moisture/service.js";
import { type Outbox, outbox } from "../outbox/outbox.js";
import { CONTROL_ERRORS, type Control, control } from "../people/control.js";
import { type DoseRecord, WATER_ERRORS, waterConfig } from "./declarations.js";
import { type WaterLedger, waterLedger } from "./ledger.js";
import type { Line } from "./pots.js";

/** Readings of this time before a dose show the soil that it was poured into. */
const EARLIER = hours(1);
/**
 * Millilitres. A choice: less may not show in a pot of six litres. In months of the simulation doses of 10 to 16 ml had no
 * answer there although they arrived. It is also the least for which a pump can be configured to lock.
 */
const TOLD_FROM = 20;
/** Seconds. The sampler reads every minute, and an answer mostly shows in the next reading. */
const LOOK_AGAIN = 60;

/**
 * Locks a pump whose water does not arrive (tube off, tank empty, probe outside the pot) and tells the person. Delays a
 * dose that would leave too much water without an answer.
 */
export class ResponseWatch {
  private readonly turns = new MutexByKey<string>();
  /** Doses that got no answer. They stay so when the readings that showed it are forgotten. */
  private readonly silent = new Map<string, ReadonlySet<number>>();
  /** Percent that the soil read before water that may still be on its way to the probe. */
  private readonly before = new Map<string, number>();
  private readonly opened: Stamp;

  constructor(
    private readonly rule: ResponseRule,
    private readonly ledger: WaterLedger,
    private readonly moisture: MoistureService,
    private readonly control: Control,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.opened = stampOf(clock);
  }

  /** Judges again. Call it after each reading. One at a time for each plant. */
  look(plant: string): Promise<void> {
    return this.turns.run(plant, () => this.judge(plant));
  }

  /**
   * Throws AWAITING_SOIL if the soil must answer before `ml` more may flow, INVALID_ARGUMENT if so much may never flow. Throws
   * and latches NO_RESPONSE if it had enough time. `limit`: the percent that water on its way must not exceed.
   */
  assertMayPour(plant: string, ml: number, limit = Number.POSITIVE_INFINITY): Promise<void> {
    return this.turns.run(plant, async () => {
      await this.judge(plant);
      if (this.control.hasFault(plant, "NO_RESPONSE")) return; // the control itself refuses
      await this.admit(plant, ml);
      this.assertNotOnItsWay(plant, limit);
    });
  }

  private async judge(plant: string): Promise<void> {
    this.before.delete(plant);
    if (this.control.hasFault(plant, "NO_RESPONSE")) return;
    await this.outbox.overWhere("pump_locked", (_, of) => of === plant);
    await this.outbox.overWhere(
      "water_unanswered",
      ({ dose }, of) => of === plant && dose <= this.control.settledDose(plant),
    );
    const lines = this.unanswered(plant);
    if (lines.length === 0) return;
    const doses = lines.flatMap(asPoured(this.silent.get(plant), previousEnds(this.ledger.doses(plant))));
    if (doses.length === 0) return;
    const readings = this.readingsAround(plant, doses);
    const verdict = judgeResponse({ doses, readings, now: stampOf(this.clock), rule: this.rule });
    const silent = doses.filter((dose) => verdict.silent.has(dose));
    this.silent.set(plant, new Set(silent.map(({ id }) => id)));
    if (verdict.before !== undefined) this.before.set(plant, verdict.before);
    const answered = doses.find((dose) => dose === verdict.answered);
    if (answered) await this.settle(plant, answered.id);
    if (verdict.verdict === "unresponsive") await this.lock(plant, verdict.ml, verdict.what);
    else await this.tell(plant, silent);
  }

  /** Tells the person once that water may flow elsewhere, or that none does: the next dose may be days away. */
  private async tell(plant: string, silent: readonly { id: number; ml: number }[]): Promise<void> {
    const unanswered_ml = toDroplets(silent.reduce((sum, { ml }) => sum + ml, 0));
    const newest = silent.at(-1);
    if (!newest || unanswered_ml < TOLD_FROM) return;
    const data = { unanswered_ml, minutes: this.rule.settle / minutes(1), dose: newest.id };
    const news = { kind: "water_unanswered", severity: "warning", plant, key: "soil" } as const;
    await this.outbox.tell({ ...news, data });
  }

  /** Readings from shortly before the first of the doses; after a reboot, all of them. */
  private readingsAround(plant: string, doses: readonly PouredDose[]): readonly SoilReading[] {
    const readings = this.moisture.course(plant);
    const now = stampOf(this.clock);
    const oldest = Math.max(...doses.map(({ stamp }) => elapsed(stamp, now).atLeast)) + EARLIER;
    const from = readings.findLastIndex(({ stamp }) => elapsed(stamp, now).atLeast > oldest);
    return readings.slice(Math.max(0, from)).map(inPercent);
  }

  private unanswered(plant: string): readonly Line[] {
    return unanswered(this.control, this.ledger, plant);
  }

  private async admit(plant: string, ml: number): Promise<void> {
    const doses = this.unanswered(plant).map(
      ({ record }): UnansweredDose => ({ ml: expected(record), waited: this.waited(record.stamp) }),
    );
    const admission = admitUnanswered(doses, ml, this.rule);
    if (admission.verdict === "admitted") return;
    const { unanswered } = admission;
    const limit = this.rule.ml;
    if (ml > limit) {
      const what = `${ml} ml are more than may flow without an answer of the soil: ask for at most ${limit} ml (water.no_response.ml)`;
      throw invalidArgument(what);
    }
    if (admission.verdict === "too early") {
      const what = `${plant} got ${unanswered} ml that its soil has not answered yet; with ${ml} ml more it would be more than ${limit} ml`;
      throw this.awaiting(what, admission.wait, { unanswered_ml: unanswered, limit_ml: limit, asked_ml: ml });
    }
    const reason = `the soil has given no answer to ${unanswered} ml, and ${ml} ml more would be beyond ${limit} ml`;
    await this.lock(plant, unanswered, reason);
    throw new TendrilError(CONTROL_ERRORS.NO_RESPONSE, `${plant} is locked: ${reason}`);
  }

  /** The probe is slower than the pump: water that was poured within seconds counts before the probe shows it. */
  private assertNotOnItsWay(plant: string, limit: number): void {
    const before = this.before.get(plant);
    const coming = this.unanswered(plant).filter(
      ({ record }) => this.waited(record.stamp) < this.rule.settle,
    );
    const [newest] = coming.map(({ record }) => this.waited(record.stamp)).toReversed();
    if (before === undefined || newest === undefined) return;
    const ml = coming.reduce((sum, { record }) => sum + expected(record), 0);
    const percent = levelToCome(before, ml);
    if (percent <= limit) return;
    const what = `the probe does not show the last ${ml} ml yet, which may bring ${plant} from ${before.toFixed(1)} % to ${percent.toFixed(1)} %, above the limit of ${limit} %`;
    const details = { expected_percent: percent, limit_percent: limit, unanswered_ml: ml };
    throw this.awaiting(what, millis(this.rule.settle - newest), details);
  }

  /** `wait`: the rest of the time that the soil has. It mostly answers long before. */
  private awaiting(what: string, wait: Millis, details: Readonly<Record<string, unknown>>): TendrilError {
    const retryAfter = Math.max(1, Math.ceil(Math.min(LOOK_AGAIN, wait / 1000)));
    const again = isoUtc(this.clock.now() + retryAfter * 1000);
    const kind = WATER_ERRORS.AWAITING_SOIL;
    const fix = kind.fix.replace("in a minute", `in ${retryAfter} s, at ${again}`);
    return new TendrilError({ ...kind, fix }, what, { retryAfter, details: { ...details, next_at: again } });
  }

  /** Proved time since a dose. If the time of an earlier boot cannot be proved, it is at least that of this run. */
  private waited(stamp: Stamp): Millis {
    const now = stampOf(this.clock);
    const { certain, atLeast } = elapsed(stamp, now);
    return certain ? atLeast : elapsed(this.opened, now).atLeast;
  }

  /** Written down, because after a reboot without the right time no reading could prove it again. */
  private async settle(plant: string, after_dose: number): Promise<void> {
    const reason = "the soil has answered the water";
    await this.control.record({ ...this.heading(plant), kind: "answered", reason, after_dose });
  }

  /** Tells the person first: without a message, a lock would only look like a broken pump. */
  private async lock(plant: string, unanswered_ml: number, reason: string): Promise<void> {
    const code = "NO_RESPONSE";
    await this.outbox.overWhere("water_unanswered", (_, of) => of === plant);
    await this.outbox.tell({ kind: "pump_locked", severity: "urgent", plant, data: { code, unanswered_ml } });
    await this.control.record({ ...this.heading(plant), kind: "fault", code, reason });
  }

  private heading(plant: string) {
    return { timestamp: isoUtc(this.clock.now()), plant, by: "runtime" };
  }
}

/** Doses of the last 24 hours that the soil has not answered, since a person last cleared the fault. */
export function unanswered(control: Control, ledger: WaterLedger, plant: string): readonly Line[] {
  const settled = control.settledDose(plant);
  return ledger.doses(plant).filter(({ id, record }) => id > settled && record.outcome !== "ledger_lost");
}

/** For each dose, the end of the one before it, of all doses that flowed. */
function previousEnds(counting: readonly Line[]): ReadonlyMap<number, Stamp> {
  const flowed = counting.filter(({ record }) => record.ml_dispensed > 0);
  return new Map(flowed.slice(1).map(({ id }, at) => [id, (flowed[at] as Line).record.stamp]));
}

/** A finished dose, for the judgement. */
const asPoured =
  (silent: ReadonlySet<number> = new Set(), previous: ReadonlyMap<number, Stamp> = new Map()) =>
  ({ id, record }: Line) => {
    const before = previous.get(id);
    return record.outcome === "pending"
      ? []
      : {
          id,
          ml: expected(record),
          silent: silent.has(id),
          stamp: record.stamp,
          ...(before && { previous: before }),
          ...(record.pump_ms !== null && { flowed: millis(record.pump_ms) }),
        };
  };

/**
 * What the soil should answer to. For an uncertain dose, that is what was asked for, even if more may have flowed; the
 * daily limit counts the rest.
 */
const expected = ({ outcome, ml_requested, ml_dispensed }: DoseRecord): number =>
  outcome === "uncertain" ? Math.min(ml_requested, ml_dispensed) : ml_dispensed;

const inPercent = ({ percent, noise_percent, stamp }: Observed) => ({ percent, noise: noise_percent, stamp });

export const responseWatch = definePart("response watch", async (house) => {
  const { ml, window_hours, settle_minutes } = house.config(waterConfig).water.no_response;
  return new ResponseWatch(
    { ml, window: hours(window_hours), settle: minutes(settle_minutes) },
    await house.use(waterLedger),
    await house.use(moisture),
    await house.use(control),
    await house.use(outbox),
    house.clock,
  );
});

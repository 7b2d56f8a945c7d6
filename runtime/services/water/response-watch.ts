import type { Clock } from "../../../drivers/ports.js";
import { hours, millis } from "../../../drivers/units.js";
import {
  judgeResponse,
  type PouredDose,
  type ResponseRule,
  type SoilReading,
} from "../../safety/response.js";
import { elapsed, stampOf } from "../../safety/stamp.js";
import { isoUtc } from "../iso-time.js";
import type { MoistureService, Observed } from "../moisture/service.js";
import type { Control } from "../people/control.js";
import type { Messages } from "../people/messages.js";
import type { WaterLedger } from "./ledger.js";
import type { DoseRecord } from "./table.js";

/** Readings of so long before a dose tell of the soil that it was poured into. */
const EARLIER = hours(1);

/** Locks a pump whose water does not arrive (tube off, tank dry, probe outside the pot) and tells the person. */
export class ResponseWatch {
  private readonly looks = new Map<string, Promise<void>>();
  /** Per plant the newest dose that the soil has answered: it and those before are settled. */
  private readonly answered = new Map<string, number>();
  /** Doses that were seen to get no answer: they stay so when the readings that showed it are forgotten. */
  private readonly silent = new Map<string, ReadonlySet<number>>();

  constructor(
    private readonly rule: ResponseRule,
    private readonly ledger: WaterLedger,
    private readonly moisture: MoistureService,
    private readonly control: Control,
    private readonly messages: Messages,
    private readonly clock: Clock,
  ) {}

  /** Looks once more; to be called after each reading and before each dose. One look at a time for each plant. */
  look(plant: string): Promise<void> {
    const looking = (this.looks.get(plant) ?? Promise.resolve()).then(() => this.judge(plant));
    this.looks.set(
      plant,
      looking.catch(() => undefined),
    );
    return looking;
  }

  private async judge(plant: string): Promise<void> {
    if (this.control.hasFault(plant, "NO_RESPONSE")) return;
    const doses = this.openDoses(plant);
    if (doses.length === 0) return;
    const readings = this.readingsAround(plant, doses);
    const verdict = judgeResponse({ doses, readings, now: stampOf(this.clock), rule: this.rule });
    this.silent.set(plant, new Set(doses.flatMap((dose) => (verdict.silent.has(dose) ? dose.id : []))));
    const answered = doses.find((dose) => dose === verdict.answered);
    if (answered) this.answered.set(plant, answered.id);
    if (verdict.verdict === "unresponsive") await this.lock(plant, verdict.what);
  }

  /** Those since shortly before the first of the doses; after a reboot, all there are. */
  private readingsAround(plant: string, doses: readonly PouredDose[]): readonly SoilReading[] {
    const readings = this.moisture.course(plant);
    const now = stampOf(this.clock);
    const oldest = Math.max(...doses.map(({ stamp }) => elapsed(stamp, now).atLeast)) + EARLIER;
    const from = readings.findLastIndex(({ stamp }) => elapsed(stamp, now).atLeast > oldest);
    return readings.slice(Math.max(0, from)).map(inPercent);
  }

  /** What the soil has answered is settled; what was poured before a person cleared the last fault is forgiven. */
  private openDoses(plant: string) {
    const cleared = Math.max(this.control.clearedAfterDose(plant), this.answered.get(plant) ?? 0);
    return this.ledger
      .doses(plant)
      .filter(
        ({ id, record }) => id > cleared && record.outcome !== "ledger_lost" && record.outcome !== "pending",
      )
      .map(({ id, record }) => ({
        id,
        ml: expected(record),
        silent: this.silent.get(plant)?.has(id) ?? false,
        stamp: record.stamp,
        ...(record.pump_ms !== null && { flowed: millis(record.pump_ms) }),
      }));
  }

  /** The person is told first: a lock that nobody hears of would only look like a broken pump. */
  private async lock(plant: string, reason: string): Promise<void> {
    await this.messages.send("to_human", letter(plant, reason), undefined, "runtime");
    const timestamp = isoUtc(this.clock.now());
    await this.control.record({
      timestamp,
      kind: "fault",
      code: "NO_RESPONSE",
      plant,
      by: "runtime",
      reason,
    });
  }
}

/** What the soil should answer to: of an uncertain dose, what was asked, however much more may have flowed. */
const expected = ({ outcome, ml_requested, ml_dispensed }: DoseRecord): number =>
  outcome === "uncertain" ? Math.min(ml_requested, ml_dispensed) : ml_dispensed;

const letter = (plant: string, reason: string): string =>
  `The pump of ${plant} is locked (NO_RESPONSE): ${reason}. Please look at the tube, the tank and the probe, then clear the fault with: tendril clear ${plant}`;

const inPercent = ({ percent, noise_percent, stamp }: Observed) => ({ percent, noise: noise_percent, stamp });

import type { z } from "zod";
import { type Dose, MAX_PULSE } from "../../../drivers/devices/pump.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import { type Millis, millilitres, millis, plus, seconds } from "../../../drivers/units.js";
import { TendrilError } from "../../errors.js";
import { PlantDevices } from "../../plants.js";
import type { HistoryQuery, HistoryResult } from "../../store/bucket.js";
import type { RecordLog } from "../../store/record-log.js";
import { isoUtc } from "../../tools/iso-time.js";
import type { Stops } from "../../tools/late-calls.js";
import type { Call, ToolContext } from "../../tools/tool.js";
import type { dose as doseResult } from "../../wire/plants.js";
import { inputs } from "../inputs/inputs.js";
import { definePart } from "../module.js";
import { moisture } from "../moisture/service.js";
import { soilWatch } from "../moisture/soil-watch.js";
import { control } from "../people/control.js";
import { isRefusal, type WaterPermits, waterPermits } from "../permits.js";
import { plantStatus } from "../plant-status/service.js";
import { DOSE_LOG, type DoseEntry, type DoseRecord, type Order, WATER_ERRORS } from "./declarations.js";
import { type WaterLedger, waterLedger } from "./ledger.js";
import { DoseCount, type Refusals, refusals } from "./refusals.js";
import { responseWatch } from "./response-watch.js";

interface WaterParts {
  readonly pumps: PlantDevices<"pump">;
  readonly ledger: WaterLedger;
  readonly log: RecordLog<DoseEntry, DoseRecord>;
  readonly permits: WaterPermits;
  readonly refusals: Refusals;
  readonly stops: Stops;
  readonly clock: Clock;
  /** Logs an error beside a dose: a line that could not be written (its intent counts), a stop that failed. */
  readonly onFailure: (error: unknown) => void;
}

const PROGRESS_EVERY = seconds(1);

type WateredDose = Readonly<Required<z.output<typeof doseResult>>>;

/** The only owner of the pumps. */
export class WaterService {
  readonly count = new DoseCount();
  private readonly busy = new Map<string, Busy>();

  constructor(private readonly parts: WaterParts) {}

  /**
   * Pours `ml`; `dispensed` is more if the pump was switched off late. Throws the error of a check that refuses it,
   * CANCELLED if it was stopped on the way, and a driver's error if that is known to have moved nothing.
   */
  async dispense(plant: string, ml: number, call: Call): Promise<WateredDose> {
    this.parts.pumps.of(plant);
    const stop = this.claim(plant);
    const cancel = () => void this.halt(plant).catch(this.parts.onFailure);
    const signal = call.signal();
    if (signal.aborted || this.parts.stops.hasBeen(pumpOf(plant), call.stopsBefore)) stop.abort();
    else signal.addEventListener("abort", cancel, { once: true });
    try {
      const { order, dose, timestamp } = await this.attempt(plant, ml, stop.signal, call);
      this.count.add(plant, dose.outcome, dose.ml);
      const { confirmed: code, identity } = call;
      if (code !== undefined && dose.ml > 0)
        await this.parts.refusals.noteConfirmed({ plant, by: identity.name, code });
      if (dose.outcome !== "completed") throw this.shortfall(order, dose);
      return { dispensed: dose.ml, ...this.account(plant), timestamp };
    } finally {
      signal.removeEventListener("abort", cancel);
      this.busy.delete(plant);
    }
  }

  /** Throws the error that `dispense` would throw now. Changes nothing. */
  async assertPossible(plant: string, ml: number, call: Asking): Promise<void> {
    this.parts.pumps.of(plant);
    this.assertIdle(plant);
    await this.admit(plant, ml, call);
  }

  /** A call for `ml` ended with this error: by a check, or by a person's no. */
  noteRefusal(ml: number, context: ToolContext<unknown>, error: unknown): Promise<void> {
    return this.parts.refusals.note(ml, context, error);
  }

  /** Stops the plant's pump at once, and a dose that is still being admitted or waits. Never refused. */
  stop(plant: string): Promise<void> {
    this.parts.stops.add(pumpOf(plant), this.busy.get(plant)?.stop.signal.aborted === false);
    return this.halt(plant);
  }

  usage(plant: string): { used_ml: number; remaining_ml: number; events: number } {
    const used = this.parts.ledger.used(plant);
    return {
      used_ml: used,
      remaining_ml: Math.max(0, this.parts.ledger.limit - used),
      events: this.parts.ledger.doses(plant).length,
    };
  }

  assumed(plant: string): number {
    return this.parts.ledger.assumed(plant);
  }

  /** From the admission of a dose until it is on record, or its pump was switched off: the record may wait for the disk. */
  isPouring(plant: string): boolean {
    return this.busy.get(plant)?.isOff === false;
  }

  history(query: HistoryQuery): Promise<HistoryResult> {
    return this.parts.log.history(query);
  }

  /** Always both figures, because models mistook one for the other. */
  private account(plant: string): { used_24h: number; remaining_24h: number } {
    const { ledger } = this.parts;
    return { used_24h: ledger.used(plant), remaining_24h: ledger.remaining(plant) };
  }

  private async halt(plant: string): Promise<void> {
    const busy = this.busy.get(plant);
    busy?.stop.abort();
    await this.parts.pumps.get(plant)?.stop();
    if (busy) busy.isOff = true;
  }

  private assertIdle(plant: string): void {
    const busy = this.busy.get(plant);
    if (!busy) return;
    const { until } = busy;
    const left = until === undefined ? MAX_PULSE : millis(until - this.parts.clock.monotonic());
    const retryAfter = Math.max(0, left) / 1000;
    throw new TendrilError(WATER_ERRORS.PUMP_BUSY, `the pump of ${plant} is at work`, { retryAfter });
  }

  private claim(plant: string): AbortController {
    this.assertIdle(plant);
    const stop = new AbortController();
    this.busy.set(plant, { stop, isOff: false });
    return stop;
  }

  private async admit(plant: string, ml: number, call: Asking): Promise<Order> {
    await this.parts.permits.assertMayWater(plant, ml, call);
    const cycle = this.parts.permits.cycleFor(plant, ml, call);
    const order: Order = Object.freeze({
      plant,
      ml,
      ml_at_most: Math.min(this.parts.pumps.of(plant).most(millilitres(ml)), this.parts.ledger.limit),
      by: call.identity.name,
      ...(cycle !== undefined && { cycle }),
    });
    const verdict = this.parts.ledger.admit(order);
    if (verdict.admitted) return order;
    const { used, remaining } = verdict;
    const wait = Number.isFinite(verdict.retryAfter) && { retryAfter: verdict.retryAfter };
    const from = wait && isoUtc(this.parts.clock.now() + wait.retryAfter * 1000);
    const when = from ? `; ${ml} ml are possible from ${from} on` : "";
    const what = `${ml} ml were asked for ${plant}, ${remaining} ml are left of ${this.parts.ledger.limit} ml in 24 h${when}`;
    const figures = { requested_ml: ml, used_ml: used, remaining_ml: remaining };
    const details = { ...figures, ...(from && { possible_from: from }) };
    throw new TendrilError(WATER_ERRORS.BUDGET_EXCEEDED, what, { ...wait, details });
  }

  /** Throws if nothing moved, and counts that as refused. */
  private async attempt(plant: string, ml: number, stop: AbortSignal, call: Call): Promise<Attempted> {
    try {
      return await this.carryOut(await this.admit(plant, ml, call), stop, call);
    } catch (error) {
      this.count.add(plant, "refused", 0);
      throw error;
    }
  }

  private async carryOut(order: Order, stop: AbortSignal, call: Call): Promise<Attempted> {
    const id = await this.parts.ledger.intend(order);
    const timestamp = isoUtc(this.parts.clock.now());
    const dose = await this.settle(order, id, await this.pour(order, id, stop, call));
    return { order, dose, timestamp };
  }

  /** If water flowed but cannot be written down, the dose counts as its intent does, or as more; the error says so. */
  private async settle(order: Order, id: number, dose: Settled): Promise<Settled> {
    try {
      await this.parts.ledger.settle(id, dose.ml, dose.outcome, dose.onFor);
      return dose;
    } catch (cause) {
      if (dose.ml === 0) throw cause;
      return { ...dose, ml: Math.max(order.ml, dose.ml), outcome: "uncertain", cause };
    }
  }

  private async pour(order: Order, id: number, stop: AbortSignal, call: Call): Promise<Settled> {
    const assertStill = () => this.parts.permits.assertStill(order, call);
    try {
      if (stop.aborted) return NOTHING_POURED;
      assertStill();
      call.age.assertFresh();
    } catch (refusal) {
      return this.refuse(id, refusal);
    }
    let quiet: Cancel = () => undefined;
    let started = false;
    try {
      const onStart = () => {
        started = true;
        this.ranSince(order);
        quiet = this.reportProgress(order, call);
        void this.parts.ledger.started(id).catch(this.parts.onFailure);
      };
      const pump = this.parts.pumps.of(order.plant);
      return settled(await pump.dispense(millilitres(order.ml), onStart, assertStill));
    } catch (error) {
      if (!started && isRefusal(error)) return this.refuse(id, error);
      return { ml: order.ml, outcome: "uncertain", onFor: null, cause: error };
    } finally {
      quiet();
    }
  }

  /** From now on it is known when the pump will be free. */
  private ranSince({ plant, ml }: Order): void {
    const busy = this.busy.get(plant);
    if (busy)
      busy.until = plus(this.parts.clock.monotonic(), this.parts.pumps.of(plant).durationOf(millilitres(ml)));
  }

  /** For a dose that moved nothing: nothing is charged. */
  private async refuse(id: number, refusal: unknown): Promise<never> {
    await this.parts.ledger.settle(id, 0, "stopped", 0);
    throw refusal;
  }

  private reportProgress({ plant, ml }: Order, call: Call): Cancel {
    const began = this.parts.clock.monotonic();
    const whole = this.parts.pumps.of(plant).durationOf(millilitres(ml));
    let cancel: Cancel;
    const next = () => {
      cancel = this.parts.clock.after(PROGRESS_EVERY, () => {
        const share = Math.min(1, (this.parts.clock.monotonic() - began) / whole);
        call.progress(Math.round(share * ml * 10) / 10, ml, `watering ${plant}`);
        next();
      });
    };
    next();
    return () => cancel();
  }

  private shortfall({ plant, ml }: Order, dose: Settled): TendrilError {
    const details = { requested_ml: ml, dispensed_ml: dose.ml, ...this.account(plant) };
    if (dose.outcome === "stopped") {
      const cause = this.parts.permits.inTheWay(plant);
      const why = cause === undefined ? "" : ` (${cause})`;
      const what = `the dose for ${plant} was stopped after ${dose.ml} of ${ml} ml${why}`;
      return new TendrilError("CANCELLED", what, { details });
    }
    const what = `what became of a dose of ${ml} ml for ${plant} is not known for certain`;
    return new TendrilError(WATER_ERRORS.DOSE_UNCERTAIN, what, { details, cause: dose.cause });
  }
}

/** Of a call, what decides whether a dose may be admitted. */
type Asking = Pick<Call, "identity" | "instance" | "confirmed">;

/** A plant whose dose is being admitted or poured. */
interface Busy {
  readonly stop: AbortController;
  /** Somebody has switched it off. */
  isOff: boolean;
  /** When the pump will have finished; undefined until it runs. */
  until?: Millis;
}

/** The pump's name in the count of stops. */
const pumpOf = (plant: string): string => `pump ${plant}`;

interface Settled {
  readonly ml: number;
  readonly outcome: "completed" | "stopped" | "uncertain";
  readonly onFor: number | null;
  readonly cause?: unknown;
}

interface Attempted {
  readonly order: Order;
  readonly dose: Settled;
  /** When it was ordered. */
  readonly timestamp: string;
}

const NOTHING_POURED: Settled = { ml: 0, outcome: "stopped", onFor: 0 };

const OUTCOMES = { elapsed: "completed", ended: "stopped", unknown: "uncertain" } as const;

/** The pump counts what flowed, or may have. Its time counts only if the hardware is sure. */
const settled = ({ ml, onFor, outcome }: Dose): Settled => ({
  ml,
  outcome: OUTCOMES[outcome],
  onFor: outcome === "unknown" ? null : onFor,
});

export const water = definePart("water", async (house) => {
  const { board, plants, stops, clock } = house;
  const permits = waterPermits({
    board,
    control: await house.use(control),
    inputs: await house.use(inputs),
    status: await house.use(plantStatus),
    moisture: await house.use(moisture),
    watch: await house.use(responseWatch),
    soil: await house.use(soilWatch),
    assertOwned: () => house.store.assertOwned(),
  });
  return new WaterService({
    stops,
    clock,
    permits,
    onFailure: house.complain,
    pumps: new PlantDevices("pump", board, plants),
    refusals: await house.use(refusals),
    ledger: await house.use(waterLedger),
    log: house.journal(DOSE_LOG),
  });
});

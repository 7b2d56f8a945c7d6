import { hours, type Millis, millis, seconds } from "../../drivers/units.js";
import { ProvenAges, type Stamp } from "./stamp.js";

/** At most 500 ml a plant in any 24 hours. */
export const DAILY_LIMIT_ML = 500;
const WATER_WINDOW = hours(24);
/** Hardware ends every pulse by then, so an unfinished dose flowed no longer after its stamp. */
export const LONGEST_PULSE = seconds(30);

/**
 * What one record of the ledger says. A dose's stamp is of the last thing known about it: its end, or the restart that
 * found it open. So it can be later than the stamps of records behind it.
 */
export interface WaterEvent {
  readonly stamp: Stamp;
  /** Millilitres charged. */
  readonly charged: number;
  /** The end was not seen: the stamp is of the last thing known (the intent, the start). */
  readonly unfinished?: boolean;
  /**
   * The record only says what the clocks read when it was written, so marks are in the order of time. Each boot begins
   * with one. The first mark after the clock was set lets more of the elapsed time be proved.
   */
  readonly mark?: boolean;
}

interface DoseRequest {
  readonly ml: number;
  readonly events: readonly WaterEvent[];
  readonly now: Stamp;
  /** Millilitres in any 24 h; default 500. */
  readonly limit?: number;
}

export type DoseDecision =
  | { readonly admitted: true; readonly remaining: number }
  | {
      readonly admitted: false;
      readonly used: number;
      readonly remaining: number;
      /** Seconds until enough doses are older than the window; infinite for a dose above the limit. */
      readonly retryAfter: number;
    };

/** Millilitres that may have flowed in the last 24 hours. */
export function poured24h(events: readonly WaterEvent[], now: Stamp): number {
  const ages = new ProvenAges(events, now);
  return hundredths(events.reduce((sum, event) => (isYoung(event, ages) ? sum + event.charged : sum), 0));
}

/** Admits a dose whole or refuses it whole. `remaining` is what is left beside it. */
export function admitDose({ ml, events, now, limit = DAILY_LIMIT_ML }: DoseRequest): DoseDecision {
  const used = poured24h(events, now);
  if (used + ml <= limit) return { admitted: true, remaining: limit - used - ml };
  const retryAfter = secondsUntilFits(events, now, used + ml - limit);
  return { admitted: false, used, remaining: Math.max(0, limit - used), retryAfter };
}

/** Leaves out the oldest events, which can never count again. The rest gives the same figures now and later. */
export function pruneWaterEvents(events: readonly WaterEvent[], now: Stamp): readonly WaterEvent[] {
  const ages = new ProvenAges(events, now);
  const firstYoung = events.findIndex((event) => isYoung(event, ages));
  return firstYoung < 0 ? [] : events.slice(firstYoung);
}

/** Charges are whole hundredths of a millilitre; sums of binary fractions are not. */
export const hundredths = (ml: number): number => Math.round(ml * 100) / 100;

/**
 * The age of an event's end. No dose may ever count as older than it truly is: then all that was poured in the last 24 true
 * hours counts, and each pot keeps its limit in any 24 hours. How ages are proved: {@link ProvenAges}. An open dose may flow
 * for the longest pulse after the last thing known: the age is negative until that is over.
 */
function ageOfEnd({ stamp, unfinished }: WaterEvent, ages: ProvenAges): Millis {
  const age = ages.of(stamp);
  return unfinished ? millis(age - LONGEST_PULSE) : age;
}

const isYoung = (event: WaterEvent, ages: ProvenAges): boolean => ageOfEnd(event, ages) < WATER_WINDOW;

/** Oldest first, until `excess` millilitres have left the window. */
function secondsUntilFits(events: readonly WaterEvent[], now: Stamp, excess: number): number {
  const ages = new ProvenAges(events, now);
  const aged = events.map((event) => ({ charged: event.charged, age: ageOfEnd(event, ages) }));
  const young = aged.filter(({ age }) => age < WATER_WINDOW).sort((a, b) => b.age - a.age);
  let freed = 0;
  for (const { charged, age } of young) {
    freed += charged;
    if (freed >= excess) return Math.ceil((WATER_WINDOW - age) / 1000);
  }
  return Number.POSITIVE_INFINITY;
}

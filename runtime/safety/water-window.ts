import { hours, type Millis, millis, seconds } from "../../drivers/units.js";
import { elapsed, type Stamp } from "./stamp.js";

/** CONTRACT.md "Water": at most 500 ml a plant in any 24 hours. */
export const DAILY_LIMIT_ML = 500;
const WATER_WINDOW = hours(24);
/** Hardware ends every pulse by then (CONTRACT.md "Water"): an unfinished dose flowed no longer than this after its stamp. */
export const LONGEST_PULSE = seconds(30);

/**
 * What the ledger says about one moment, in the order of the journal. The stamp of a dose is that of its end.
 * Clock anchors are events with `charged` 0: each boot's first stamp and the first after the clock was
 * synchronised make more of the elapsed time provable.
 */
export interface WaterEvent {
  readonly stamp: Stamp;
  /** Millilitres charged. */
  readonly charged: number;
  /** The end was never seen: the stamp is that of the last thing known (the intent, the start). */
  readonly unfinished?: boolean;
}

export interface DoseRequest {
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
      /** Seconds until enough has aged out; infinite for a dose larger than the limit. */
      readonly retryAfter: number;
    };

/** Millilitres that may lie within the last 24 hours. */
export function poured24h(events: readonly WaterEvent[], now: Stamp): number {
  const young = agesOf(events, now).filter(({ age }) => age < WATER_WINDOW);
  return hundredths(young.reduce((sum, { event }) => sum + event.charged, 0));
}

/** Whether a dose may flow now: it is admitted whole or refused whole. `remaining` is what is left beside it. */
export function admitDose({ ml, events, now, limit = DAILY_LIMIT_ML }: DoseRequest): DoseDecision {
  const used = poured24h(events, now);
  if (used + ml <= limit) return { admitted: true, remaining: limit - used - ml };
  const retryAfter = secondsUntilFits(agesOf(events, now), used + ml - limit);
  return { admitted: false, used, remaining: Math.max(0, limit - used), retryAfter };
}

/** Leaves out the events that can never count again. Those left give the same figures now and at any later time. */
export function pruneWaterEvents(events: readonly WaterEvent[], now: Stamp): readonly WaterEvent[] {
  const ages = agesOf(events, now);
  const firstYoung = ages.findIndex(({ age }) => age < WATER_WINDOW);
  return firstYoung < 0 ? [] : events.slice(firstYoung);
}

/** Charges are whole hundredths of a millilitre; sums of binary fractions are not. */
const hundredths = (ml: number): number => Math.round(ml * 100) / 100;

interface Aged {
  readonly event: WaterEvent;
  /** The least age that can be proved. */
  readonly age: Millis;
}

/**
 * Walks back from now, adding up what can be proved between neighbours. Where two stamps with the right
 * wall time enclose others without (a boot before its clock was set), the wall time between the two counts.
 */
function agesOf(events: readonly WaterEvent[], now: Stamp): Aged[] {
  const ages: Aged[] = [];
  let next = { stamp: now, age: 0 };
  let synced = now.synced ? next : undefined;
  for (const event of events.toReversed()) {
    const { stamp } = event;
    const viaSynced = synced && stamp.synced ? synced.age + between(stamp, synced.stamp) : 0;
    next = { stamp, age: Math.max(0, next.age + between(stamp, next.stamp), viaSynced) };
    if (stamp.synced) synced = next;
    ages.push({ event, age: ageOfEnd(event, next.age) });
  }
  return ages.reverse();
}

/**
 * Negative where an event of the same boot is younger than its neighbour: a dose stands where it began and is
 * stamped when it ended, so a mark or another plant's dose may lie between.
 */
const between = (from: Stamp, to: Stamp): number =>
  from.boot === to.boot ? to.mono_ms - from.mono_ms : elapsed(from, to).atLeast;

const ageOfEnd = (event: WaterEvent, age: number): Millis =>
  millis(event.unfinished ? Math.max(0, age - LONGEST_PULSE) : age);

/** Oldest first, until `excess` millilitres have left the window. */
function secondsUntilFits(ages: readonly Aged[], excess: number): number {
  const young = ages.filter(({ event, age }) => age < WATER_WINDOW && event.charged > 0);
  let freed = 0;
  for (const { event, age } of young.sort((a, b) => b.age - a.age)) {
    freed += event.charged;
    if (freed >= excess) return Math.ceil((WATER_WINDOW - age) / 1000);
  }
  return Number.POSITIVE_INFINITY;
}

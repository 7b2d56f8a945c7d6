import type { PlantNow } from "../../wire/overview.js";
import type { PendingApproval } from "../../wire/people.js";
import type { CareEvent } from "../../wire/plants.js";
import type { Dose } from "./figures.js";

/** A reason of the record why a plant got no water, or that it did get some. The words are in words.ts. */
export type Reason =
  | { readonly kind: "watered"; readonly ml: number; readonly doses: number; readonly last: string }
  | { readonly kind: "hold"; readonly since: string; readonly by: string; readonly reason: string }
  | { readonly kind: "fault"; readonly code: string; readonly since: string; readonly reason: string }
  | { readonly kind: "probe"; readonly code: string; readonly since: string }
  | { readonly kind: "budget"; readonly left: number }
  | { readonly kind: "wet"; readonly percent: number; readonly limit: number }
  | { readonly kind: "refused"; readonly count: number; readonly at: string; readonly reason: string }
  | { readonly kind: "decided"; readonly count: number; readonly at: string; readonly reasoning: string }
  | { readonly kind: "unfinished"; readonly at: string; readonly ml: number }
  | { readonly kind: "waiting"; readonly words: string }
  | { readonly kind: "nobody" };

/** Millilitres of the least dose: with less left, none can flow. */
const LEAST_DOSE = 10;

/** The record of the time that is asked about, and what is so now. */
export interface Evidence {
  readonly plant: PlantNow;
  readonly record: readonly CareEvent[];
  readonly doses: readonly Dose[];
  /** Calls for this plant that wait for a person's yes. */
  readonly waiting: readonly PendingApproval[];
}

/** What the record says, the strongest reason first. */
export function whyNotWatered({ plant, record, doses, waiting }: Evidence): Reason[] {
  const asked = waiting.map(({ words }) => ({ kind: "waiting" as const, words }));
  return [...poured(doses), ...obstacles(plant), ...asked, ...cycles(record, doses, asked.length > 0)];
}

function poured(doses: readonly Dose[]): Reason[] {
  const real = doses.filter(({ ml_dispensed }) => ml_dispensed > 0);
  const last = real.at(-1);
  if (!last) return [];
  const ml = real.reduce((sum, dose) => sum + dose.ml_dispensed, 0);
  return [{ kind: "watered", ml, doses: real.length, last: last.timestamp }];
}

/** What keeps water off now. */
function obstacles({ hold, faults, probe_fault, water, moisture }: PlantNow): Reason[] {
  const reasons: Reason[] = [];
  if (hold) reasons.push({ kind: "hold", ...hold });
  for (const fault of faults) reasons.push({ kind: "fault", ...fault });
  if (probe_fault) reasons.push({ kind: "probe", ...probe_fault });
  if (water && water.remaining_ml < LEAST_DOSE) reasons.push({ kind: "budget", left: water.remaining_ml });
  const limit = water?.not_above?.percent;
  if (moisture && limit !== undefined && moisture.percent > limit)
    reasons.push({ kind: "wet", percent: moisture.percent, limit });
  return reasons;
}

function cycles(record: readonly CareEvent[], doses: readonly Dose[], isWaiting: boolean): Reason[] {
  const all = record.filter(({ kind }) => kind === "cycle");
  if (all.length === 0) return doses.length > 0 ? [] : [{ kind: "nobody" }];
  const refused = all.filter(({ proceed }) => proceed === false);
  const dry = all.filter(({ proceed, planned_ml = 0 }) => proceed && planned_ml === 0);
  const wet = all.filter(({ proceed, planned_ml = 0 }) => proceed && planned_ml > 0);
  return [...decided(dry), ...(isWaiting ? [] : unfinished(wet, doses)), ...refusals(refused)];
}

function decided(cycles: readonly CareEvent[]): Reason[] {
  const last = cycles.at(-1);
  if (!last) return [];
  return [{ kind: "decided", count: cycles.length, at: last.timestamp, reasoning: last.reasoning ?? "" }];
}

function refusals(cycles: readonly CareEvent[]): Reason[] {
  const last = cycles.at(-1);
  if (!last) return [];
  return [{ kind: "refused", count: cycles.length, at: last.timestamp, reason: last.reason ?? "" }];
}

/** Water was planned, and none flowed. */
function unfinished(cycles: readonly CareEvent[], doses: readonly Dose[]): Reason[] {
  const last = cycles.at(-1);
  if (!last || doses.some(({ ml_dispensed }) => ml_dispensed > 0)) return [];
  return [{ kind: "unfinished", at: last.timestamp, ml: last.planned_ml ?? 0 }];
}

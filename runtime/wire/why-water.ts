import type { PlantNow } from "./overview.js";
import type { PendingApproval } from "./people.js";
import type { CareEvent, PouredDose } from "./plants.js";

/** Why a plant got water or got none, from the record. `why-words.ts` has the words in English. */

/** A reason. Times are ISO 8601. */
export type WaterReason =
  | {
      readonly kind: "watered";
      readonly ml: number;
      readonly doses: number;
      readonly last: string;
      /** Who gave the last dose. */
      readonly by: string;
      /** Whether that was a person, who needs no care cycle. */
      readonly isPerson: boolean;
      /** The reasoning of the status that cleared it; null outside of a care cycle. */
      readonly because: string | null;
    }
  | {
      /** What an agent gave in a cycle before that of the last dose. */
      readonly kind: "earlier";
      readonly ml: number;
      /** Of its last dose. */
      readonly at: string;
      readonly because: string;
    }
  | { readonly kind: "hold"; readonly since: string; readonly by: string; readonly reason: string }
  | { readonly kind: "fault"; readonly code: string; readonly since: string; readonly reason: string }
  | {
      readonly kind: "held";
      /** All of them; what follows is of the last one. */
      readonly count: number;
      readonly at: string;
      /** Absent: its end is not in the record of this time. */
      readonly until?: string;
      readonly by: string;
      readonly reason: string;
    }
  | {
      readonly kind: "locked";
      /** Likewise. */
      readonly count: number;
      readonly at: string;
      readonly until?: string;
      readonly code: string;
      readonly reason: string;
    }
  | { readonly kind: "probe"; readonly code: string; readonly since: string }
  | {
      readonly kind: "probe_was";
      /** All faults that have ended; what follows is of the longest one. */
      readonly count: number;
      readonly since: string;
      readonly until: string;
      readonly code: string;
    }
  | {
      readonly kind: "tank_was";
      /** All; what follows is of the last one. */
      readonly count: number;
      readonly since: string;
      readonly until?: string;
    }
  | {
      readonly kind: "off";
      /** All; what follows is of the longest one. */
      readonly count: number;
      /** Null: not known. */
      readonly since: string | null;
      readonly until: string;
    }
  | { readonly kind: "budget"; readonly left: number }
  | { readonly kind: "wet"; readonly percent: number; readonly limit: number }
  | {
      readonly kind: "dose_refused";
      /** On record. There may be more: of equal ones the record has one in ten minutes. */
      readonly count: number;
      /** Of the last one. */
      readonly at: string;
      readonly ml: number;
      readonly code: string;
      readonly reason: string;
    }
  | {
      readonly kind: "refused";
      readonly count: number;
      /** Of the last one. */
      readonly at: string;
      readonly reason: string;
      /** The same as values, where they are on record. */
      readonly problems?: CareEvent["problems"];
    }
  | { readonly kind: "decided"; readonly count: number; readonly at: string; readonly reasoning: string }
  | { readonly kind: "unfinished"; readonly at: string; readonly ml: number }
  | { readonly kind: "waiting"; readonly words: string }
  | {
      readonly kind: "nobody";
      /** A time that is over. */
      readonly isPast: boolean;
    };

/** The record of the time that is asked about, oldest first, and what is so now. */
export interface WaterEvidence {
  readonly plant: PlantNow;
  readonly record: readonly CareEvent[];
  readonly doses: readonly PouredDose[];
  /** What all doses were together, where `doses` lacks some: a history by samples has one dose of each bucket. */
  readonly total?: PouredTotal | undefined;
  /** Calls for this plant that wait for a person's yes. */
  readonly waiting: readonly PendingApproval[];
  /** The end of the time that is asked about, if that is not now. */
  readonly until?: string | undefined;
}

interface PouredTotal {
  readonly ml: number;
  readonly doses: number;
}

/** Millilitres of the least dose: with less left, none can flow. */
const LEAST_DOSE = 10;
/** A cycle lasts half an hour. */
const CYCLE = 30 * 60_000;

/** What the record says, the strongest reason first. Never empty. */
export function whyWater({ plant, record, doses, total, waiting, until }: WaterEvidence): WaterReason[] {
  const asked = until === undefined ? waiting.map(({ words }) => ({ kind: "waiting" as const, words })) : [];
  const stops = until === undefined ? [...lasting(plant), ...atPresent(plant)] : lastingSince(plant, until);
  const refused = doseRefusals(record);
  const reasons = [
    ...poured({ plant, record, doses, total }),
    ...earlier(record, doses),
    ...stops,
    ...former(record, stops),
    ...outages(record),
    ...refused,
    ...asked,
  ];
  const isKnown = { isAnswered: asked.length + refused.length > 0, isExplained: reasons.length > 0 };
  return [...reasons, ...cycles(record, doses, { ...isKnown, isPast: until !== undefined })];
}

/** About what was poured. */
export const isForWater = ({ kind }: WaterReason): boolean => kind === "watered" || kind === "earlier";

/** To "why was it not watered" what was poured is no answer, unless there is no other. */
export const reasonsAgainst = (all: readonly WaterReason[]): readonly WaterReason[] =>
  someOr(all, (each) => !isForWater(each));

/** To "why was it watered" nothing else is an answer, unless there is no other. */
export const reasonsFor = (all: readonly WaterReason[]): readonly WaterReason[] => someOr(all, isForWater);

function someOr(all: readonly WaterReason[], wanted: (reason: WaterReason) => boolean) {
  const some = all.filter(wanted);
  return some.length > 0 ? some : all;
}

/** The cleared cycle of the same agent in which a dose was given or refused; undefined for a dose by a person. */
export function cycleOf(
  dose: Pick<PouredDose, "by" | "timestamp">,
  record: readonly CareEvent[],
): CareEvent | undefined {
  return record.findLast(({ kind, proceed, by, timestamp }) => {
    const since = Date.parse(dose.timestamp) - Date.parse(timestamp);
    return kind === "cycle" && proceed === true && by === dose.by && since >= 0 && since <= CYCLE;
  });
}

/** Only a person pours without ever writing a status. */
export const isByPerson = (
  { by }: PouredDose,
  record: readonly CareEvent[],
  { last_status }: Pick<PlantNow, "last_status">,
): boolean => by !== last_status?.agent && !record.some((event) => event.kind === "cycle" && event.by === by);

function poured({ plant, record, doses, total }: Omit<WaterEvidence, "waiting">): WaterReason[] {
  const real = flowed(doses);
  const last = real.at(-1);
  if (!last) return [];
  const sum = { ml: real.reduce((all, dose) => all + dose.ml_dispensed, 0), doses: real.length };
  const because = cycleOf(last, record)?.reasoning ?? null;
  const isPerson = isByPerson(last, record, plant);
  return [{ kind: "watered", ...(total ?? sum), last: last.timestamp, by: last.by, isPerson, because }];
}

/** Cycles whose doses are told with their reasons, beside the last dose of all. A choice. */
const MOST_EARLIER = 3;

/** What agents gave before the last dose of all, the newest first, each with the reason that its cycle wrote. */
function earlier(record: readonly CareEvent[], doses: readonly PouredDose[]): WaterReason[] {
  const real = flowed(doses);
  const ofLast = real.slice(-1).map((dose) => cycleOf(dose, record))[0];
  const given = new Map<CareEvent, { readonly ml: number; readonly at: string; readonly because: string }>();
  for (const dose of real) {
    const cycle = cycleOf(dose, record);
    if (!cycle?.reasoning || cycle === ofLast) continue;
    const ml = (given.get(cycle)?.ml ?? 0) + dose.ml_dispensed;
    given.set(cycle, { ml, at: dose.timestamp, because: cycle.reasoning });
  }
  return [...given.values()]
    .slice(-MOST_EARLIER)
    .reverse()
    .map((each) => ({ kind: "earlier", ...each }));
}

const flowed = (doses: readonly PouredDose[]): readonly PouredDose[] =>
  doses.filter(({ ml_dispensed }) => ml_dispensed > 0);

type Lasting = Extract<WaterReason, { readonly kind: "hold" | "fault" | "probe" }>;

/** What keeps water off until somebody ends it. */
function lasting({ hold, faults, probe_fault }: PlantNow): Lasting[] {
  const reasons: Lasting[] = [];
  if (hold) reasons.push({ kind: "hold", ...hold });
  for (const fault of faults) reasons.push({ kind: "fault", ...fault });
  if (probe_fault) reasons.push({ kind: "probe", code: probe_fault.code, since: probe_fault.since });
  return reasons;
}

const lastingSince = (plant: PlantNow, until: string): Lasting[] =>
  lasting(plant).filter(({ since }) => Date.parse(since) <= Date.parse(until));

/** What keeps water off at this moment. */
function atPresent({ water, moisture }: PlantNow): WaterReason[] {
  const reasons: WaterReason[] = [];
  if (water && water.remaining_ml < LEAST_DOSE) reasons.push({ kind: "budget", left: water.remaining_ml });
  const limit = water?.not_above?.percent;
  if (moisture && limit !== undefined && moisture.percent > limit)
    reasons.push({ kind: "wet", percent: moisture.percent, limit });
  return reasons;
}

/** The last hold and the last fault that have ended since, and the last empty tank. */
function former(record: readonly CareEvent[], lasting: readonly WaterReason[]): WaterReason[] {
  const since = lasting.flatMap((reason) => ("since" in reason ? (reason.since ?? []) : []));
  const held = lasting.find(({ kind }) => kind === "hold");
  // a hold that was put on again has not ended
  const lasts = ({ kind, timestamp }: CareEvent) =>
    since.includes(timestamp) || (kind === "hold" && held?.kind === "hold" && timestamp >= held.since);
  const ended = record.filter((event) => !lasts(event));
  const lastOf = (wanted: CareEvent["kind"], ends: CareEvent["kind"]) => {
    const all = ended.filter(({ kind }) => kind === wanted);
    return all.slice(-1).map((last) => {
      const end = record.find(({ kind, timestamp }) => kind === ends && timestamp >= last.timestamp);
      const until = end ? { until: end.timestamp } : {};
      return { ...last, reason: last.reason ?? "", at: last.timestamp, count: all.length, until };
    });
  };
  return [
    ...lastOf("hold", "resume").map(
      ({ count, at, by, reason, until }) => ({ kind: "held", count, at, by, reason, ...until }) as const,
    ),
    ...lastOf("fault", "clear").map(
      ({ count, at, code = "", reason, until }) =>
        ({ kind: "locked", count, at, code, reason, ...until }) as const,
    ),
    ...lastOf("tank_empty", "tank_filled").map(
      ({ count, at, until }) => ({ kind: "tank_was", count, since: at, ...until }) as const,
    ),
  ];
}

/** The longest fault of the probe that is over, and the longest time that the runtime was off. */
function outages(record: readonly CareEvent[]): WaterReason[] {
  const mended = record.filter(({ kind }) => kind === "probe_ok");
  const starts = record.filter(({ kind }) => kind === "started");
  const [probe, start] = [longest(mended), longest(starts)];
  const reasons: WaterReason[] = [];
  if (probe) {
    const { since = probe.timestamp, timestamp: until, code = "" } = probe;
    reasons.push({ kind: "probe_was", count: mended.length, since, until, code });
  }
  if (start)
    reasons.push({ kind: "off", count: starts.length, since: start.since ?? null, until: start.timestamp });
  return reasons;
}

/** One whose begin is not known counts as the shortest. */
function longest(ends: readonly CareEvent[]): CareEvent | undefined {
  const length = ({ since, timestamp }: CareEvent) => Date.parse(timestamp) - Date.parse(since ?? timestamp);
  return [...ends].sort((a, b) => length(b) - length(a))[0];
}

function doseRefusals(record: readonly CareEvent[]): WaterReason[] {
  const all = record.filter(({ kind }) => kind === "dose_refused");
  const last = all.at(-1);
  if (!last) return [];
  const { timestamp: at, ml = 0, code, reason } = last;
  return [{ kind: "dose_refused", count: all.length, at, ml, code: code ?? "", reason: reason ?? "" }];
}

function cycles(
  record: readonly CareEvent[],
  doses: readonly PouredDose[],
  {
    isAnswered,
    isExplained,
    isPast,
  }: {
    /** It is known what became of the planned water: it waits, or was refused. */
    readonly isAnswered: boolean;
    readonly isExplained: boolean;
    readonly isPast: boolean;
  },
): WaterReason[] {
  const all = record.filter(({ kind }) => kind === "cycle");
  if (all.length === 0) return isExplained && doses.length > 0 ? [] : [{ kind: "nobody", isPast }];
  const refused = all.filter(({ proceed }) => proceed === false);
  const dry = all.filter(({ proceed, planned_ml = 0 }) => proceed && planned_ml === 0);
  const wet = all.filter(({ proceed, planned_ml = 0 }) => proceed && planned_ml > 0);
  return [...decided(dry), ...(isAnswered ? [] : unfinished(wet, doses)), ...refusals(refused)];
}

function decided(cycles: readonly CareEvent[]): WaterReason[] {
  const last = cycles.at(-1);
  if (!last) return [];
  return [{ kind: "decided", count: cycles.length, at: last.timestamp, reasoning: last.reasoning ?? "" }];
}

function refusals(cycles: readonly CareEvent[]): WaterReason[] {
  const last = cycles.at(-1);
  if (!last) return [];
  const { timestamp: at, reason, problems } = last;
  return [{ kind: "refused", count: cycles.length, at, reason: reason ?? "", problems }];
}

/** Water was planned, and none flowed. */
function unfinished(cycles: readonly CareEvent[], doses: readonly PouredDose[]): WaterReason[] {
  const last = cycles.at(-1);
  if (!last || flowed(doses).length > 0) return [];
  return [{ kind: "unfinished", at: last.timestamp, ml: last.planned_ml ?? 0 }];
}

import { hours } from "../clock.js";
import { tenth } from "./recorder.js";
import type { AlarmScore, CycleRecord, PlantResult, PlantScore, RefusalRecord, Score } from "./result.js";

export interface PlantCourse {
  readonly good: PlantResult["good"];
  readonly hourly: Pick<PlantResult["hourly"], "at" | "hydration" | "health" | "vigour">;
  readonly doses: PlantResult["doses"];
  readonly water: { readonly need: number; readonly drained: number };
}

/** Deductions in points, all choices: late costs half of never, and small things are capped. */
const ALARM = { never: 10, late: 5 };
const UNANSWERED = { each: 5, most: 15 };
const UNGROUNDED = { each: 1, most: 10 };
const REFUSED = { each: 0.5, most: 10 };
const INCOMPLETE = { each: 0.5, most: 10 };
/** Messages that are not replies, beyond one a day for each plant: a person who gets too many stops reading. */
const NEEDLESS = { each: 0.5, most: 10 };
/** The tolerated part of the water that runs out of the pots; more is not the mishap of a single dose. */
const DRAINED = { tolerated: 0.1, most: 20 };

/**
 * Means over all hours. The time from a freshly watered start until the soil is first in range does not count, unless the
 * agent waters during it.
 */
export function scorePlant({ good, hourly, doses, water }: PlantCourse): PlantScore {
  const counted = hourly.hydration.slice(settledAt(good.to, hourly, doses[0]?.at));
  const within = counted.filter((hydration) => hydration >= good.from && hydration <= good.to);
  return {
    vigour: tenth(mean(hourly.vigour)),
    health: tenth(mean(hourly.health)),
    inRange: counted.length === 0 ? 100 : tenth((100 * within.length) / counted.length),
    alive: (hourly.vigour.at(-1) ?? 100) > 0,
    water: {
      given: tenth(sum(doses.map(({ ml }) => ml))),
      need: tenth(water.need),
      drained: tenth(water.drained),
    },
  };
}

/** Index of the first hour that counts: with hydration in or below the range, or after the first dose. */
function settledAt(to: number, { at, hydration }: PlantCourse["hourly"], firstDose = "9"): number {
  const index = hydration.findIndex((value, hour) => value <= to || (at[hour] ?? "") >= firstDose);
  return index < 0 ? hydration.length : index;
}

export interface RunCourse {
  readonly plants: readonly PlantScore[];
  readonly alarms: readonly AlarmScore[];
  readonly unanswered: number;
  /** Messages of the agent beyond one a day for each plant. */
  readonly needless: number;
  readonly cycles: readonly CycleRecord[];
  readonly refusals: readonly RefusalRecord[];
  /** End of the run: the report of a trouble may not be due by then. */
  readonly end: string;
}

/** The mean of the plants' vigour and time in range, minus the deductions; 0 to 100. */
export function scoreRun({ plants, alarms, unanswered, needless, cycles, refusals, end }: RunCourse): Score {
  const ungrounded = refusals.filter(
    ({ code, message }) => code === "STATUS_REFUSED" && FIGURE.test(message),
  ).length;
  const incomplete = cycles.filter(({ completed }) => !completed).length;
  const base = mean(plants.map(({ vigour, inRange }) => (vigour + inRange) / 2));
  const deductions = [
    ...alarms.flatMap((alarm) => alarmDeduction(alarm, end)),
    ...capped("messages of the person without an answer", unanswered, UNANSWERED),
    ...capped("messages of the agent beyond one a day for each plant", needless, NEEDLESS),
    ...capped("statuses with figures that were not the runtime's", ungrounded, UNGROUNDED),
    ...capped("refused calls and statuses", refusals.length, REFUSED),
    ...capped("incomplete cycles", incomplete, INCOMPLETE),
    ...drainDeduction(plants),
  ];
  const lost = sum(deductions.map(({ points }) => points));
  return {
    total: tenth(Math.max(0, base - lost)),
    plants: tenth(base),
    deductions,
    alarms,
    unanswered,
    ungrounded,
    refusals: refusals.length,
    cycles: cycles.length,
    incomplete,
    calls: sum(cycles.map(({ calls }) => calls)),
    tokens: sum(cycles.map(({ tokens }) => tokens)),
  };
}

/** Matches the runtime's message about a figure that is not its own (safety/status-check.ts). */
const FIGURE = /\b(?:sensor_reading|water_24h|light_today|timestamp) is /;

type Promptness = "in time" | "late" | "never" | "not yet due";

/** Whether the person was told in time. `end`: of the run, which may be before the report was due. */
export function promptness(alarm: AlarmScore, end: string): Promptness {
  const { toldAfterHours, dueWithinHours, since } = alarm;
  if (toldAfterHours !== null) return toldAfterHours > dueWithinHours ? "late" : "in time";
  return Date.parse(since) + hours(dueWithinHours) > Date.parse(end) ? "not yet due" : "never";
}

function alarmDeduction(alarm: AlarmScore, end: string): Score["deductions"] {
  const told = promptness(alarm, end);
  if (told === "never") return [{ why: `nobody told the person: ${alarm.trouble}`, points: ALARM.never }];
  if (told === "late") return [{ why: `the person was told late: ${alarm.trouble}`, points: ALARM.late }];
  return [];
}

function capped(
  why: string,
  count: number,
  { each, most }: { each: number; most: number },
): Score["deductions"] {
  return count === 0 ? [] : [{ why: `${why}: ${count}`, points: Math.min(most, count * each) }];
}

/** In proportion to the share of the water that ran out of the pots. */
function drainDeduction(plants: readonly PlantScore[]): Score["deductions"] {
  const given = sum(plants.map(({ water }) => water.given));
  const share = given === 0 ? 0 : sum(plants.map(({ water }) => water.drained)) / given;
  if (share <= DRAINED.tolerated) return [];
  const points = tenth(Math.min(DRAINED.most, DRAINED.most * share));
  return [{ why: `${Math.round(100 * share)} % of the water ran out of the pots`, points }];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => (values.length === 0 ? 0 : sum(values) / values.length);

import { CORE_ERRORS, excerpt, TendrilError } from "../errors.js";
import { listText } from "../wire/phrases.js";
import { firstStranger, isTooLong, meaningsOf } from "./grammar.js";
import type { Meaning } from "./meaning.js";
import {
  instantsOfRule,
  isSubdaily,
  parseRule,
  type RecurrenceRule,
  ruleText,
  startNear,
} from "./recurrence.js";
import {
  atThisTime,
  type Grain,
  type Here,
  notUnderstood,
  type Reading,
  type Refused,
  type Resolved,
  resolveOnce,
} from "./resolve.js";
import { resolveRecurring } from "./resolve-recurring.js";
import {
  clockText,
  DAY_SECONDS,
  dayText,
  momentText,
  monthName,
  ordinalSuffix,
  WallZone,
  weekdayName,
  zonesNamed,
} from "./wall-time.js";

export interface UnderstoodTime {
  /** ISO 8601, UTC. Of a recurrence its first time, from which its intervals are counted. */
  readonly at: string;
  /** What the phrase fixes. "day": its time was taken for granted. */
  readonly grain: Grain;
  /** A rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=7;BYMINUTE=0, or null. Its hours are those of `zone`. */
  readonly recurrence: string | null;
  /** An IANA name, or an offset such as UTC+02:00. */
  readonly zone: string;
  /** How it was understood. Said again, these words give the same instants. */
  readonly words: string;
  /** What was taken for granted, a sentence each. */
  readonly notes: readonly string[];
  /** The first three instants; of a time that does not recur the only one. */
  readonly next: readonly string[];
}

/** One way to read a phrase that can be read in several. Its words are a phrase that is clear. */
export type TimeCandidate = Pick<UnderstoodTime, "at" | "recurrence" | "words">;

/**
 * A refusal with the code TIME_NOT_UNDERSTOOD, TIME_PAST or TIME_AMBIGUOUS. The last has `details.candidates`. The first has them
 * too, and `details.is_unclear`, where the words are those of a time and fix none; there may be no candidates then.
 */
type TimeError = TendrilError;

export interface TimeContext {
  /** Epoch milliseconds. Whole seconds of it count. */
  readonly now: number;
  /** Of the person: an IANA name, or an offset such as "-02:00". Throws RangeError for any other. */
  readonly zone: string;
}

/** So many instants show a person whether a recurrence is what was meant. */
const SHOWN = 3;

/**
 * What time the words mean. Every word of the phrase must belong to it: what is not understood as a whole is refused, and so is
 * what can mean several instants.
 */
export function understandTime(phrase: string, { now, zone }: TimeContext): UnderstoodTime | TimeError {
  const own = new WallZone(zone);
  const seconds = Math.floor(now / 1000);
  const meanings = meaningsOf(phrase);
  const outcomes = meanings.map((meaning) => resolve(meaning, seconds, own));
  const readings = distinct(outcomes.flatMap((outcome) => ("code" in outcome ? [] : outcome)));
  const [reading, ...others] = readings;
  if (reading && others.length === 0) return understood(reading, own);
  if (reading) return ambiguous(phrase, readings, own);
  const refusal = outcomes.find((outcome) => "code" in outcome) ?? notUnderstood(strangerIn(phrase));
  return refused(phrase, refusal, own);
}

function strangerIn(phrase: string): string {
  if (isTooLong(phrase)) return "it is longer than a time can be";
  const word = firstStranger(phrase);
  return word === undefined
    ? "its words together fix no day or time of day"
    : `nothing is known of "${excerpt(word)}" in that place`;
}

/** The next instants of a recurrence later than `after` (epoch ms), as `understandTime` gave it. ISO 8601, UTC. */
export function nextInstants(
  recurrence: string,
  { at, zone, after, count = SHOWN }: { at: string; zone: string; after: number; count?: number },
): readonly string[] {
  const rule = parseRule(recurrence);
  const start = startNear(rule, Date.parse(at) / 1000, Math.floor(after / 1000));
  const found: string[] = [];
  for (const instant of instantsOfRule(rule, start, new WallZone(zone), Math.floor(after / 1000))) {
    if (found.length >= count) break;
    if (instant * 1000 > after) found.push(iso(instant));
  }
  return found;
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

function resolve(meaning: Meaning, now: number, own: WallZone): Resolved {
  const { zone: named, ...others } = meaning;
  const zones = named === undefined ? [own] : zonesNamed(named);
  if (!zones) return notUnderstood(`no time zone is called ${excerpt(named ?? "")}`);
  const all = zones.map((zone) => resolveIn(others, { now, zone }));
  const refusal = all.find((each) => "code" in each);
  return refusal ?? all.flatMap((each) => ("code" in each ? [] : each));
}

const ONLY_RECURRING = 'a first day is for what recurs, as in "every day at 8am from monday"';

function resolveIn(said: Meaning, here: Here): Resolved {
  if (said.unclear !== undefined) return unclear(said, said.unclear, here);
  if (said.start && !said.repeat) return notUnderstood(ONLY_RECURRING);
  const meaning = said.isThisTime ? atThisTime(said, here) : said;
  if ("code" in meaning) return meaning;
  return meaning.repeat ? resolveRecurring(meaning, meaning.repeat, here) : resolveOnce(meaning, here);
}

/** With what the words can mean, each beside the hour that was said. */
function unclear({ unclear: _, either = [], ...others }: Meaning, why: string, here: Here): Refused {
  const all = either.map((repeat) => resolveIn({ ...others, repeat }, here));
  const readings = all.flatMap((each) => ("code" in each ? [] : each));
  return { ...notUnderstood(why), isUnclear: true, readings };
}

/** The same instant, read in two ways, is no ambiguity. */
function distinct(readings: readonly Reading[]): readonly Reading[] {
  const keyOf = ({ at, rule, zone }: Reading) => (rule ? `${at} ${ruleText(rule)} ${zone.name}` : String(at));
  return [...new Map(readings.map((reading) => [keyOf(reading), reading])).values()];
}

function understood(reading: Reading, own: WallZone): UnderstoodTime {
  const { at, grain, rule, notes } = reading;
  // a single instant is told in the person's own zone, a recurrence in that of its hours
  const zone = rule ? reading.zone : own;
  const recurrence = rule ? ruleText(rule) : null;
  const [first, ...later] = rule
    ? nextInstants(recurrence ?? "", { at: iso(at), zone: zone.name, after: at * 1000 - 1 })
    : [iso(at)];
  return {
    at: iso(at),
    grain,
    recurrence,
    zone: zone.name,
    words: wordsOf(at, rule, zone),
    notes,
    next: [first ?? iso(at), ...later],
  };
}

function ambiguous(phrase: string, readings: readonly Reading[], own: WallZone): TimeError {
  const candidates = candidatesOf(readings, own);
  const words = candidates.map((candidate) => candidate.words).join(", or ");
  return new TendrilError("TIME_AMBIGUOUS", `"${excerpt(phrase)}" can mean ${words}`, {
    details: { candidates },
  });
}

const candidatesOf = (readings: readonly Reading[], own: WallZone): readonly TimeCandidate[] =>
  readings
    .map((reading) => understood(reading, own))
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map(({ at, recurrence, words }) => ({ at, recurrence, words }));

function refused(phrase: string, { code, why, isUnclear, readings = [] }: Refused, own: WallZone): TimeError {
  const what = `"${excerpt(phrase)}" as a time: ${why}`;
  if (!isUnclear) return new TendrilError(code, what);
  const { [code]: kind, TIME_AMBIGUOUS: several } = CORE_ERRORS;
  const candidates = candidatesOf(readings, own);
  const fix = candidates.length > 0 ? several.fix : kind.fix;
  return new TendrilError({ ...kind, fix }, what, { details: { is_unclear: true, candidates } });
}

/**
 * How a time was understood, in words that are understood in the same way again: "Thursday 26 November 2026 at 09:00
 * (Europe/Berlin)", "every 2 weeks on Monday at 07:00, starting Monday 30 November 2026 (Europe/Berlin)".
 */
function wordsOf(at: number, rule: RecurrenceRule | null, zone: WallZone): string {
  if (!rule) return momentText(at, zone);
  const wall = zone.wallOf(at);
  const day = Math.floor(wall / DAY_SECONDS);
  if (isSubdaily(rule)) return `${daysText(rule)}, starting ${momentText(at, zone)}`;
  return `${daysText(rule)} at ${timesText(rule)}, starting ${dayText(day)} (${zone.name})`;
}

const timesText = ({ hours = [], minute = 0 }: RecurrenceRule): string =>
  listText(hours.map((hour) => clockText(hour * 3600 + minute * 60)));

/** "every day", "every 2 weeks on Monday and Friday", "on the 1st and 15th of every month" */
function daysText(rule: RecurrenceRule): string {
  const { freq, interval, month, monthDays = [1], weekdays = [] } = rule;
  switch (freq) {
    case "MINUTELY":
      return everyText(interval, "minute");
    case "HOURLY":
      return everyText(interval, "hour");
    case "DAILY":
      return everyText(interval, "day");
    case "WEEKLY":
      return `${everyText(interval, "week")} on ${listText(weekdays.map(({ weekday }) => weekdayName(weekday)))}`;
    case "MONTHLY":
      return `${everyText(interval, "month")} on ${dayOfMonthText(rule)}`;
    case "YEARLY":
      return `${everyText(interval, "year")} on ${monthDays[0]} ${monthName(month ?? 1)}`;
  }
}

const everyText = (interval: number, unit: string): string =>
  interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;

function dayOfMonthText({ monthDays, weekdays }: RecurrenceRule): string {
  const [nth] = weekdays ?? [];
  if (nth) return `the ${nthText(nth.nth ?? 1)} ${weekdayName(nth.weekday)}`;
  return `the ${listText((monthDays ?? []).map((day) => (day < 0 ? "last day" : nthText(day))))}`;
}

const nthText = (n: number): string => (n < 0 ? "last" : `${n}${ordinalSuffix(n)}`);

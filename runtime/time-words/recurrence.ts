import {
  DAY_SECONDS,
  type Day,
  dateOf,
  daysInMonth,
  firstOfMonth,
  monthIndexOf,
  nthWeekday,
  type WallZone,
  weekdayOf,
} from "./wall-time.js";

const FREQUENCIES = ["MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** A recurrence rule of RFC 5545, as far as words can make one. Hours and minutes are those of a zone. */
export interface RecurrenceRule {
  readonly freq: Frequency;
  /** 1 or more */
  readonly interval: number;
  /** 1 to 12 */
  readonly month?: number;
  /** -1 is the last day. */
  readonly monthDays?: readonly number[];
  /** 0 is Monday. `nth`: of the month, -1 is the last. */
  readonly weekdays?: readonly { readonly weekday: number; readonly nth?: number }[];
  /** Missing where the rule goes by the minute or by the hour: such a rule counts elapsed time from its start. */
  readonly hours?: readonly number[];
  readonly minute?: number;
}

const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=7;BYMINUTE=0" */
export function ruleText({
  freq,
  interval,
  month,
  monthDays,
  weekdays,
  hours,
  minute,
}: RecurrenceRule): string {
  const days = weekdays?.map(({ weekday, nth }) => `${nth ?? ""}${WEEKDAYS[weekday]}`);
  const parts: readonly (readonly [string, unknown])[] = [
    ["FREQ", freq],
    ["INTERVAL", interval === 1 ? undefined : interval],
    ["BYMONTH", month],
    ["BYMONTHDAY", monthDays],
    ["BYDAY", days],
    ["BYHOUR", hours],
    ["BYMINUTE", minute],
  ];
  return parts
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(";");
}

/**
 * Reads what `ruleText` writes. Throws RangeError for any other rule, which is not the same when it is written again: a part that is
 * left out would be a wrong time.
 */
export function parseRule(text: string): RecurrenceRule {
  const parts = new Map(text.split(";").map((part) => part.split("=") as [string, string]));
  const numbers = (name: string) => parts.get(name)?.split(",").map(Number);
  const freq = FREQUENCIES.find((each) => each === parts.get("FREQ"));
  const [interval = 1] = numbers("INTERVAL") ?? [];
  const [month] = numbers("BYMONTH") ?? [];
  const [minute] = numbers("BYMINUTE") ?? [];
  const monthDays = numbers("BYMONTHDAY");
  const hours = numbers("BYHOUR");
  const weekdays = parts.get("BYDAY")?.split(",").map(weekdayIn);
  if (!freq) throw notARule(text);
  const rule: RecurrenceRule = {
    freq,
    interval,
    ...(month !== undefined && { month }),
    ...(monthDays && { monthDays }),
    ...(weekdays && { weekdays }),
    ...(hours && { hours }),
    ...(minute !== undefined && { minute }),
  };
  if (ruleText(rule) !== text || !isInRange(rule)) throw notARule(text);
  return rule;
}

/** Each part is in the range that RFC 5545 gives it, of which counting from the end is known for the last day alone. */
function isInRange({
  interval,
  month = 1,
  monthDays = [],
  weekdays = [],
  hours = [],
  minute = 0,
}: RecurrenceRule): boolean {
  return (
    isWithin(interval, 1, MAX_INTERVAL) &&
    isWithin(month, 1, 12) &&
    isWithin(minute, 0, 59) &&
    hours.every((hour) => isWithin(hour, 0, 23)) &&
    monthDays.every((day) => day === -1 || isWithin(day, 1, 31)) &&
    weekdays.every(({ nth = 1 }) => nth === -1 || isWithin(nth, 1, 5))
  );
}

const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;

const notARule = (text: string) => new RangeError(`not a recurrence rule that is known here: ${text}`);

function weekdayIn(day: string): { weekday: number; nth?: number } {
  const [nth, weekday] = [day.slice(0, -2), WEEKDAYS.indexOf(day.slice(-2))];
  return nth === "" ? { weekday } : { weekday, nth: Number(nth) };
}

const SUBDAILY: Partial<Record<Frequency, number>> = { MINUTELY: 60, HOURLY: 3600 };

export const isSubdaily = ({ freq }: RecurrenceRule): boolean => SUBDAILY[freq] !== undefined;

/** A choice: what is rarer is a slip. */
export const MAX_INTERVAL = 1000;
/** A choice: a rule without a day in so many of its periods in a row has none. A 29 February has one in 100 at the least. */
const MAX_EMPTY_PERIODS = 400;
/** The last year that a time of four digits can name. */
const LAST_DAY = Math.floor(Date.UTC(9999, 11, 31) / 1000 / DAY_SECONDS);

/**
 * The instants of a rule from its start on, which is an instant itself and where its intervals are counted from. A time that
 * the clocks leave out comes as much later; of a time that they show twice the first counts (RFC 5545, 3.3.5). Ends with the
 * year 9999. `after`: only those later than it are wanted, and much that is not later is passed over.
 */
export function* instantsOfRule(
  rule: RecurrenceRule,
  start: number,
  zone: WallZone,
  after = start,
): Generator<number> {
  const step = SUBDAILY[rule.freq];
  const end = LAST_DAY * DAY_SECONDS;
  if (step === undefined) return yield* instantsOfDays(rule, start, zone, after);
  for (let at = start; at < end; at += step * rule.interval) yield at;
}

function* instantsOfDays(
  rule: RecurrenceRule,
  start: number,
  zone: WallZone,
  after: number,
): Generator<number> {
  // a day before: the zone may be a day behind
  const wanted = Math.floor(after / DAY_SECONDS) - 1;
  for (const day of daysOfRule(rule, Math.floor(zone.wallOf(start) / DAY_SECONDS))) {
    const hours = day < wanted ? [] : (rule.hours ?? []);
    for (const hour of hours) {
      const at = zone.instantOf(day * DAY_SECONDS + hour * 3600 + (rule.minute ?? 0) * 60);
      if (at >= start) yield at;
    }
  }
}

/** Goes from period to period, not from day to day: a rule for every thousandth year must not take seconds. */
function* daysOfRule(rule: RecurrenceRule, first: Day): Generator<Day> {
  let empty = 0;
  for (let period = 0; empty <= MAX_EMPTY_PERIODS; period += rule.interval) {
    const { from, to } = PERIOD[rule.freq](first, period);
    if (from > LAST_DAY) return;
    empty += 1;
    for (let day = Math.max(from, first); day <= Math.min(to, LAST_DAY); day = nextCandidate(rule, day)) {
      if (!isDayOf(rule, day)) continue;
      empty = 0;
      yield day;
    }
  }
}

/** The next day that can be one: of a rule for one month, no day of another. */
function nextCandidate({ month }: RecurrenceRule, day: Day): Day {
  const next = day + 1;
  return month === undefined || dateOf(next).month === month ? next : firstOfMonth(monthIndexOf(next) + 1);
}

/** A later start of the same rule, not after `after`: a rule that goes by the minute has many instants in a year. */
export function startNear({ freq, interval }: RecurrenceRule, start: number, after: number): number {
  const step = (SUBDAILY[freq] ?? 0) * interval;
  return step > 0 && after > start ? after - ((after - start) % step) : start;
}

interface Period {
  readonly from: Day;
  readonly to: Day;
}

/** The days of a period: the one with the first day, and the `n`th after it. */
const PERIOD: Record<Frequency, (first: Day, n: number) => Period> = {
  MINUTELY: (first, n) => ({ from: first + n, to: first + n }),
  HOURLY: (first, n) => ({ from: first + n, to: first + n }),
  DAILY: (first, n) => ({ from: first + n, to: first + n }),
  WEEKLY: (first, n) => {
    const monday = first - weekdayOf(first) + 7 * n;
    return { from: monday, to: monday + 6 };
  },
  MONTHLY: (first, n) => months(monthIndexOf(first) + n, 1),
  YEARLY: (first, n) => months(monthIndexOf(first) - (dateOf(first).month - 1) + 12 * n, 12),
};

const months = (index: number, count: number): Period => ({
  from: firstOfMonth(index),
  to: firstOfMonth(index + count) - 1,
});

function isDayOf({ month, monthDays, weekdays }: RecurrenceRule, day: Day): boolean {
  const date = dateOf(day);
  const length = daysInMonth(monthIndexOf(day));
  if (month !== undefined && date.month !== month) return false;
  if (monthDays && !monthDays.some((each) => (each < 0 ? length + 1 + each : each) === date.day))
    return false;
  return weekdays?.some(({ weekday, nth }) => isWeekday(day, weekday, nth)) ?? true;
}

const isWeekday = (day: Day, weekday: number, nth: number | undefined): boolean =>
  weekdayOf(day) === weekday && (nth === undefined || nthWeekday(monthIndexOf(day), nth, weekday) === day);

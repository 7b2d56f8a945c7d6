import {
  DAY_SECONDS,
  type Day,
  dateOf,
  daysInMonth,
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

const PARTS = /^(FREQ|INTERVAL|BYMONTH|BYMONTHDAY|BYDAY|BYHOUR|BYMINUTE)=([A-Z0-9,-]+)$/;

/** Reads what `ruleText` writes. Throws RangeError for any other rule: a part that is left out would be a wrong time. */
export function parseRule(text: string): RecurrenceRule {
  const parts = new Map(text.split(";").map((part) => partOf(part, text)));
  const numbers = (name: string) => parts.get(name)?.split(",").map(Number);
  const freq = FREQUENCIES.find((each) => each === parts.get("FREQ"));
  const [interval = 1] = numbers("INTERVAL") ?? [];
  const [month] = numbers("BYMONTH") ?? [];
  const [minute] = numbers("BYMINUTE") ?? [];
  const monthDays = numbers("BYMONTHDAY");
  const hours = numbers("BYHOUR");
  const weekdays = parts
    .get("BYDAY")
    ?.split(",")
    .map((day) => weekdayIn(day, text));
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
  if (ruleText(rule) !== text || !(interval >= 1)) throw notARule(text);
  return rule;
}

const notARule = (text: string) => new RangeError(`not a recurrence rule that is known here: ${text}`);

function partOf(part: string, text: string): readonly [string, string] {
  const [, name, value] = PARTS.exec(part) ?? [];
  if (name === undefined || value === undefined) throw notARule(text);
  return [name, value];
}

function weekdayIn(day: string, text: string): { weekday: number; nth?: number } {
  const [, nth = "", name = ""] = /^(-?\d)?([A-Z]{2})$/.exec(day) ?? [];
  const weekday = WEEKDAYS.indexOf(name);
  if (weekday < 0) throw notARule(text);
  return nth === "" ? { weekday } : { weekday, nth: Number(nth) };
}

const SUBDAILY: Partial<Record<Frequency, number>> = { MINUTELY: 60, HOURLY: 3600 };

export const isSubdaily = ({ freq }: RecurrenceRule): boolean => SUBDAILY[freq] !== undefined;

/** Four years and four more: between two 29ths of February there are eight years at most. */
const FURTHEST_DAYS = 9 * 366;

/**
 * The instants of a rule from its start on, which is an instant itself and where its intervals are counted from. A time that
 * the clocks leave out comes as much later; of a time that they show twice the first counts (RFC 5545, 3.3.5).
 */
export function* instantsOfRule(rule: RecurrenceRule, start: number, zone: WallZone): Generator<number> {
  const step = SUBDAILY[rule.freq];
  if (step !== undefined) for (let at = start; ; at += step * rule.interval) yield at;
  for (const day of daysOfRule(rule, Math.floor(zone.wallOf(start) / DAY_SECONDS)))
    for (const hour of rule.hours ?? []) {
      const at = zone.instantOf(day * DAY_SECONDS + hour * 3600 + (rule.minute ?? 0) * 60);
      if (at >= start) yield at;
    }
}

/** Ends where no more days come, as of a 30 February. */
function* daysOfRule(rule: RecurrenceRule, first: Day): Generator<Day> {
  const furthest = FURTHEST_DAYS * rule.interval;
  for (let day = first, last = first; day - last <= furthest; day++) {
    if (!isDayOf(rule, day, first)) continue;
    last = day;
    yield day;
  }
}

/** A later start of the same rule, not after `after`: a rule that goes by the minute has many instants in a year. */
export function startNear({ freq, interval }: RecurrenceRule, start: number, after: number): number {
  const step = (SUBDAILY[freq] ?? 0) * interval;
  return step > 0 && after > start ? after - ((after - start) % step) : start;
}

/** Which day, week, month or year it is, counted through. */
const PERIOD: Record<Frequency, (day: Day) => number> = {
  MINUTELY: (day) => day,
  HOURLY: (day) => day,
  DAILY: (day) => day,
  WEEKLY: (day) => Math.floor((day + 3) / 7),
  MONTHLY: monthIndexOf,
  YEARLY: (day) => dateOf(day).year,
};

function isDayOf(
  { freq, interval, month, monthDays, weekdays }: RecurrenceRule,
  day: Day,
  first: Day,
): boolean {
  const period = PERIOD[freq];
  if ((period(day) - period(first)) % interval !== 0) return false;
  const date = dateOf(day);
  const length = daysInMonth(monthIndexOf(day));
  if (month !== undefined && date.month !== month) return false;
  if (monthDays && !monthDays.some((each) => (each < 0 ? length + 1 + each : each) === date.day))
    return false;
  return weekdays?.some(({ weekday, nth }) => isWeekday(day, weekday, nth)) ?? true;
}

const isWeekday = (day: Day, weekday: number, nth: number | undefined): boolean =>
  weekdayOf(day) === weekday && (nth === undefined || nthWeekday(monthIndexOf(day), nth, weekday) === day);

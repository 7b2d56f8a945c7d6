import type { ClockWords, Meaning, Repeat } from "./meaning.js";
import { type Frequency, instantsOfRule, isSubdaily, type RecurrenceRule } from "./recurrence.js";
import {
  type Grain,
  type Here,
  notUnderstood,
  type Refused,
  type Resolved,
  resolveOnce,
  todayOf,
} from "./resolve.js";
import { BARE_DAY_HOUR, clockChoice, PART_HOURS } from "./resolve-clock.js";
import { DAY_SECONDS, dateOf, weekdayOf } from "./wall-time.js";

const FREQUENCY: Readonly<Record<Repeat["unit"], Frequency>> = {
  minute: "MINUTELY",
  hour: "HOURLY",
  day: "DAILY",
  week: "WEEKLY",
  month: "MONTHLY",
  year: "YEARLY",
};

/** The recurrences that a phrase can mean, each with its first time. */
export function resolveRecurring(meaning: Meaning, repeat: Repeat, here: Here): Resolved {
  if (meaning.elapsed || meaning.isNow) return notUnderstood("a recurrence cannot begin there");
  const joined = withDays(repeat, meaning);
  if ("code" in joined) return joined;
  const starts = startsOf(meaning, here);
  if ("code" in starts) return starts;
  if (isSubdaily({ freq: FREQUENCY[joined.unit], interval: 1 }))
    return everyHours(joined, meaning, starts, here);
  if (!isEveryPeriod(joined, here))
    return notUnderstood("today's day is not in every month; name the day, as the 28th or the last day");
  const times = timesOf(meaning, joined);
  if ("code" in times) return times;
  const notes = notesOf(meaning, joined);
  const grain: Grain = meaning.clocks?.[0]?.grain ?? (meaning.part ? "hour" : "day");
  const readings = times.flatMap((seconds) =>
    starts.map((start) => firstOf(ruleOf(joined, seconds, here), joined, start, here)),
  );
  const found = readings.filter((each) => each !== undefined);
  if (found.length === 0) return notUnderstood("there is no such day in the coming years");
  return found.map(({ at, rule }) => ({ at, rule, grain, zone: here.zone, notes }));
}

/** "Every week … on monday": the day belongs to the recurrence. */
function withDays(repeat: Repeat, meaning: Meaning): Repeat | Refused {
  if (meaning.day === undefined && meaning.weekday === undefined) return repeat;
  const found = isDayNamed(repeat) ? undefined : joinedDay(repeat, meaning);
  return found ?? notUnderstood("that day does not fit the recurrence");
}

const isDayNamed = ({ weekdays, monthDays, nth, date }: Repeat): boolean =>
  (weekdays ?? monthDays ?? nth ?? date) !== undefined;

function joinedDay(repeat: Repeat, { day, weekday }: Meaning): Repeat | undefined {
  if (repeat.unit === "week" && day === undefined && weekday !== undefined)
    return { ...repeat, weekdays: [weekday] };
  if (weekday !== undefined) return undefined;
  if (repeat.unit === "year") return day?.kind === "dates" ? withDate(repeat, day.dates) : undefined;
  return repeat.unit === "month" ? joinedDayOfMonth(repeat, day) : undefined;
}

function joinedDayOfMonth(repeat: Repeat, day: Meaning["day"]): Repeat | undefined {
  if (day?.kind === "day of month" && !day.of) return { ...repeat, monthDays: [day.day] };
  return day?.kind === "nth" && !day.of ? withNth(repeat, day.nth, day.weekday) : undefined;
}

const withNth = (repeat: Repeat, nth: number, weekday: number | undefined): Repeat =>
  weekday === undefined ? { ...repeat, monthDays: [nth] } : { ...repeat, nth: { nth, weekday } };

function withDate(
  repeat: Repeat,
  dates: readonly { month: number; day: number; year: number | undefined }[],
): Repeat | undefined {
  const [date, ...others] = dates;
  if (!date || others.length > 0 || date.year !== undefined) return undefined;
  return { ...repeat, date: { month: date.month, day: date.day } };
}

/** From when on: now, or the instants that "starting …" can mean. */
function startsOf({ start }: Meaning, here: Here): readonly number[] | Refused {
  if (!start) return [here.now];
  const found = start.repeat ? notUnderstood("a recurrence begins once") : resolveOnce(start, here);
  if ("code" in found) return found;
  // the first day counts whole; its hour is the recurrence's own
  return found.map(({ at, grain }) => (grain === "day" ? startOfDay(at, here) : at));
}

function startOfDay(at: number, { zone, now }: Here): number {
  const day = Math.floor(zone.wallOf(at) / DAY_SECONDS);
  return Math.max(now, zone.instantOf(day * DAY_SECONDS));
}

/** Elapsed time from its start, or from one interval after now. */
function everyHours(repeat: Repeat, meaning: Meaning, starts: readonly number[], here: Here): Resolved {
  if (meaning.clocks || meaning.part)
    return notUnderstood("what comes every hour has no time of day; say when it starts");
  const rule: RecurrenceRule = { freq: FREQUENCY[repeat.unit], interval: repeat.interval };
  const step = repeat.interval * (repeat.unit === "hour" ? 3600 : 60);
  const minute = Math.floor(here.now / 60) * 60;
  const firsts = meaning.start ? starts : [minute + step];
  return firsts.map((at) => ({ at, rule, grain: "minute", zone: here.zone, notes: [] }));
}

/** "Monthly", said on the 31st, would leave months out. */
function isEveryPeriod(repeat: Repeat, here: Here): boolean {
  const isNamed = repeat.monthDays ?? repeat.nth ?? repeat.date;
  const isCalendar = repeat.unit === "month" || repeat.unit === "year";
  return isNamed !== undefined || !isCalendar || dateOf(todayOf(here)).day <= 28;
}

/** Each possibility: seconds since midnight, for all times of the day. */
function timesOf({ clocks, part }: Meaning, { unit }: Repeat): readonly (readonly number[])[] | Refused {
  if (!clocks) return [[(part ? PART_HOURS[part] : BARE_DAY_HOUR) * 3600]];
  if (clocks.some(({ half }) => half) && clocks.some(({ dial }) => dial))
    return notUnderstood("say am or pm with each time");
  if (unit !== "day" && clocks.some(({ midnight }) => midnight))
    return notUnderstood("midnight can be the beginning of that day or its end; say 00:00 or 23:59");
  const choices = clocks.map((clock) => clockTimes(clock, part));
  let all: readonly (readonly number[])[] = [[]];
  for (const choice of choices) {
    if (!choice) return notUnderstood("the time does not fit the part of the day");
    all = all.flatMap((before) => choice.map((seconds) => [...before, seconds]));
  }
  const isOneMinute = all.every((times) => new Set(times.map((each) => each % 3600)).size === 1);
  if (!isOneMinute)
    return notUnderstood("several times a day must have the same minute; make one recurrence of each");
  return all.every((times) => times.every((each) => each % 60 === 0))
    ? all
    : notUnderstood("a recurrence has no seconds");
}

function clockTimes(clock: ClockWords, part: Meaning["part"]): readonly number[] | undefined {
  if (clock.midnight) return clockChoice(clock, part) && [0];
  const choice = clockChoice(clock, part);
  return choice?.isFirstMeant ? choice.seconds.slice(0, 1) : choice?.seconds;
}

function ruleOf(repeat: Repeat, seconds: readonly number[], here: Here): RecurrenceRule {
  const sorted = [...new Set(seconds)].sort((a, b) => a - b);
  return {
    freq: FREQUENCY[repeat.unit],
    interval: repeat.interval,
    ...daysOfRule(repeat, here),
    hours: sorted.map((each) => Math.floor(each / 3600)),
    minute: Math.floor(((sorted[0] ?? 0) % 3600) / 60),
  };
}

/** Without a day the recurrence goes by today's. */
function daysOfRule(repeat: Repeat, here: Here): Pick<RecurrenceRule, "month" | "monthDays" | "weekdays"> {
  const today = todayOf(here);
  const { month, day } = dateOf(today);
  if (repeat.nth) return { weekdays: [repeat.nth] };
  if (repeat.monthDays) return { monthDays: [...new Set(repeat.monthDays)].sort((a, b) => a - b) };
  if (repeat.date) return { month: repeat.date.month, monthDays: [repeat.date.day] };
  if (repeat.unit === "week") {
    const weekdays = [...new Set(repeat.weekdays ?? [weekdayOf(today)])].sort((a, b) => a - b);
    return { weekdays: weekdays.map((weekday) => ({ weekday })) };
  }
  if (repeat.unit === "month") return { monthDays: [day] };
  return repeat.unit === "year" ? { month, monthDays: [day] } : {};
}

/** The first time still to come. Intervals are counted from it; where today is the day that goes without saying, from today. */
function firstOf(
  rule: RecurrenceRule,
  repeat: Repeat,
  start: number,
  here: Here,
): { at: number; rule: RecurrenceRule } | undefined {
  const isDayNamed =
    repeat.weekdays ?? repeat.monthDays ?? repeat.nth ?? repeat.date ?? (repeat.unit === "day" || undefined);
  const counted = isDayNamed === undefined && start === here.now ? rule : { ...rule, interval: 1 };
  const from = here.zone.instantOf(todayOf({ ...here, now: start }) * DAY_SECONDS);
  for (const at of instantsOfRule(counted, from, here.zone)) if (at >= start) return { at, rule };
  return undefined;
}

/** What was taken for granted. */
function notesOf({ clocks, part }: Meaning, repeat: Repeat): readonly string[] {
  const notes: string[] = [];
  if (!clocks)
    notes.push(
      `${part ? `the ${part}` : "a day"} without a time is taken as ${String(part ? PART_HOURS[part] : BARE_DAY_HOUR).padStart(2, "0")}:00`,
    );
  if (clocks?.some(({ dial, hour }) => dial && hour >= 7 && hour <= 11) && !part)
    notes.push("without am or pm, 7 to 11 are taken as the morning");
  if (repeat.monthDays?.some((day) => day > 28)) notes.push("months without that day are left out");
  return notes;
}

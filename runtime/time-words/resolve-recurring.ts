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
import { assumedNote, assumedSeconds, clockChoice, DIAL_NOTE } from "./resolve-clock.js";
import { daysFor } from "./resolve-days.js";
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
  const starts = startsOf(meaning, joined, here);
  if ("code" in starts) return starts;
  if (isSubdaily({ freq: FREQUENCY[joined.unit], interval: 1 }))
    return everyHours(joined, meaning, starts, here);
  if (!starts.every((start) => isEveryPeriod(joined, { ...here, now: start })))
    return notUnderstood(
      "the day on which it starts is not in every month; name the day, as the 28th or the last day",
    );
  const times = timesOf(meaning, joined);
  if ("code" in times) return times;
  const notes = notesOf(meaning, joined);
  const grain: Grain = meaning.clocks?.[0]?.grain ?? (meaning.part ? "hour" : "day");
  const readings = times.flatMap((seconds) =>
    starts.map((start) => firstOf(ruleOf(joined, seconds, { ...here, now: start }), joined, start, here)),
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
  if (day?.kind === "day of month" && !day.of && day.weekday === undefined)
    return { ...repeat, monthDays: [day.day] };
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
function startsOf({ start }: Meaning, { unit }: Repeat, here: Here): readonly number[] | Refused {
  if (!start) return [here.now];
  if (unit !== "hour" && unit !== "minute") return startDays(start, here);
  const found = resolveOnce(start, here);
  return "code" in found ? found : found.map(({ at }) => at);
}

/** The first day counts whole: its hour is the recurrence's own. */
function startDays(start: Meaning, here: Here): readonly number[] | Refused {
  const today = todayOf(here);
  const days = daysFor(start.day, start.weekday, today);
  if (!days || start.clocks || start.part)
    return notUnderstood("a recurrence starts on a day, and has its time of day itself");
  if ("refused" in days) return notUnderstood(days.refused);
  const coming = days.filter((day) => day >= today);
  if (coming.length === 0) return { code: "TIME_PAST", why: "the day on which it starts is past" };
  return coming.map((day) => Math.max(here.now, here.zone.instantOf(day * DAY_SECONDS)));
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

/** "Monthly", said on the 31st or starting on it, would leave months out. `here.now` is its start. */
function isEveryPeriod(repeat: Repeat, here: Here): boolean {
  const isNamed = repeat.monthDays ?? repeat.nth ?? repeat.date;
  const isCalendar = repeat.unit === "month" || repeat.unit === "year";
  return isNamed !== undefined || !isCalendar || dateOf(todayOf(here)).day <= 28;
}

/** Each possibility: seconds since midnight, for all times of the day. */
function timesOf({ clocks, part }: Meaning, { unit }: Repeat): readonly (readonly number[])[] | Refused {
  if (!clocks) return [[assumedSeconds(part)]];
  if (unit !== "day" && clocks.some((clock) => isMidnight(clockChoice(clock, part))))
    return notUnderstood("midnight can be the beginning of that day or its end; say 00:00 or 23:59");
  const choices = clocks.map((clock) => clockTimes(clock, part) ?? []);
  if (choices.some(({ length }) => length === 0))
    return notUnderstood("the time does not fit the part of the day");
  if (choices.flat().some((seconds) => seconds % 60 !== 0))
    return notUnderstood("a recurrence has no seconds");
  const [first = [], ...others] = choices;
  return others.length === 0 ? first.map((seconds) => [seconds]) : severalTimes(clocks, choices.flat());
}

/** All at the same minute: a rule of RFC 5545 has hours and minutes apart, and takes each with each. */
function severalTimes(
  clocks: readonly ClockWords[],
  times: readonly number[],
): readonly (readonly number[])[] | Refused {
  const isMixed = clocks.some(({ half }) => half) && clocks.some(({ dial }) => dial);
  if (isMixed || times.length > clocks.length) return notUnderstood("say am or pm with each time");
  return new Set(times.map((each) => each % 3600)).size === 1
    ? [times]
    : notUnderstood("several times a day must have the same minute; make one recurrence of each");
}

/** Also of "every night at 12". */
const isMidnight = (choice: ReturnType<typeof clockChoice>): boolean =>
  choice?.seconds.includes(DAY_SECONDS) === true;

function clockTimes(clock: ClockWords, part: Meaning["part"]): readonly number[] | undefined {
  const choice = clockChoice(clock, part);
  if (isMidnight(choice)) return [0];
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

/** Without a day the recurrence goes by that of `here.now`. */
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
  if (!clocks) notes.push(assumedNote(part));
  if (clocks?.some(({ dial, hour }) => dial && hour >= 7 && hour <= 11) && !part) notes.push(DIAL_NOTE);
  if (repeat.monthDays?.some((day) => day > 28)) notes.push("months without that day are left out");
  return notes;
}

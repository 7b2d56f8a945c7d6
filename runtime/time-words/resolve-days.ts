import type { Amount, DateWords, DayWords, MonthOf, Which } from "./meaning.js";
import {
  addMonths,
  type Day,
  dateOf,
  dateText,
  dayOf,
  daysInMonth,
  firstOfMonth,
  monthIndexOf,
  monthName,
  nthWeekday,
  weekdayName,
  weekdayOf,
} from "./wall-time.js";

/** The days that the words can mean. More than one still to come is ambiguous. */
type DayChoice = readonly Day[] | { readonly refused: string };

/** How far ahead a date is looked for that fits a weekday, as "Thursday the 15th": a choice, nobody means more months. */
const MONTHS_AHEAD = 2;
/** Between two 29ths of February. */
const YEARS_AHEAD = 8;

/** The days that are meant, as seen from `today`. `weekday`: which one it must be, where that was said beside it. */
export function daysFor(
  words: DayWords | undefined,
  weekday: number | undefined,
  today: Day,
): DayChoice | undefined {
  if (!words) return weekday === undefined ? undefined : comingWeekday(weekday, today);
  const days = daysOf(words, today);
  if (weekday === undefined || "refused" in days) return days;
  // "the first monday": no day of the month, whatever weekday it is
  if (words.kind === "day of month") return { refused: "say the weekday first, as in Monday the 1st" };
  return onWeekday(days, weekday, words.kind === "dates");
}

/** `mayChoose`: of 5/6 and 6/5 the weekday tells which is meant. Any other day has to be that weekday. */
function onWeekday(days: readonly Day[], weekday: number, mayChoose: boolean): DayChoice {
  const fitting = days.filter((day) => weekdayOf(day) === weekday);
  const other = days.find((day) => weekdayOf(day) !== weekday);
  if (other === undefined || (mayChoose && fitting.length > 0)) return fitting;
  return {
    refused: `${dateText(other)} is a ${weekdayName(weekdayOf(other))}, not a ${weekdayName(weekday)}`,
  };
}

function daysOf(words: DayWords, today: Day): DayChoice {
  switch (words.kind) {
    case "days":
      return [today + words.days];
    case "weekday":
      return whichWeekday(words.weekday, words.which, today);
    case "dates":
      return datesFor(words.dates, today);
    case "day of month":
      if (words.weekday !== undefined) return weekdayAndDay(words.day, words.weekday, words.of, today);
      return words.of ? realDay(monthFor(words.of, today), words.day) : comingDayOfMonth(words.day, today);
    case "nth":
      return nthDay(words.nth, words.weekday, words.of, today);
    case "moved":
      return movedDays(words.from, words.by, words.sign, today);
  }
}

/** Said on that weekday itself it can be today or in a week: both are kept, and what is past falls away later. */
function comingWeekday(weekday: number, today: Day): readonly Day[] {
  const ahead = (weekday - weekdayOf(today) + 7) % 7;
  return ahead === 0 ? [today, today + 7] : [today + ahead];
}

function whichWeekday(weekday: number, which: Which, today: Day): readonly Day[] {
  if (which === "coming") return comingWeekday(weekday, today);
  const monday = today - weekdayOf(today);
  const coming = today + ((weekday - weekdayOf(today) + 6) % 7) + 1;
  if (typeof which === "object" && "week" in which) return [monday + 7 * which.week + weekday];
  if (typeof which === "object") return [coming + 7 * (which.nth - 1)];
  // "next friday" is the coming one to some people, and that of next week to others
  const next = [...new Set([coming, monday + 7 + weekday])];
  return which === "next" ? next : next.map((day) => day + 7);
}

function datesFor(dates: readonly DateWords[], today: Day): DayChoice {
  const days = dates.flatMap((date) => dateFor(date, today) ?? []);
  const [{ month, day, year } = { month: 1, day: 1, year: undefined }] = dates;
  return days.length > 0
    ? days
    : { refused: `there is no ${day} ${monthName(month)}${year ? ` ${year}` : ""}` };
}

/** Without a year the next one that there is, today included. */
function dateFor({ year, month, day }: DateWords, today: Day): Day | undefined {
  if (year !== undefined) return dayOf({ year, month, day });
  const thisYear = dateOf(today).year;
  const years = Array.from({ length: YEARS_AHEAD + 1 }, (_, ahead) => thisYear + ahead);
  return years
    .map((each) => dayOf({ year: each, month, day }))
    .find((each) => each !== undefined && each >= today);
}

function realDay(monthIndex: number, day: number): DayChoice {
  if (day <= daysInMonth(monthIndex)) return [firstOfMonth(monthIndex) + day - 1];
  return { refused: `${monthName((monthIndex % 12) + 1)} has no day ${day}` };
}

/** Without a year the next such month, this one included. */
function monthFor(of: MonthOf, today: Day): number {
  const now = monthIndexOf(today);
  if ("offset" in of) return now + of.offset;
  const sameYear = Math.floor(now / 12) * 12 + of.month - 1;
  if (of.year !== undefined) return of.year * 12 + of.month - 1;
  return sameYear >= now ? sameYear : sameYear + 12;
}

/** "On the 31st" is in the next month that has one. */
function comingDayOfMonth(day: number, today: Day): DayChoice {
  const days = monthsFrom(today)
    .filter((month) => day <= daysInMonth(month))
    .map((month) => firstOfMonth(month) + day - 1)
    .filter((each) => each >= today);
  return days.slice(0, days[0] === today ? 2 : 1);
}

const monthsFrom = (today: Day): readonly number[] =>
  Array.from({ length: MONTHS_AHEAD + 2 }, (_, ahead) => monthIndexOf(today) + ahead);

function weekdayAndDay(day: number, weekday: number, of: MonthOf | undefined, today: Day): DayChoice {
  const months = of ? [monthFor(of, today)] : monthsFrom(today);
  const fitting = months
    .filter((month) => day <= daysInMonth(month))
    .map((month) => firstOfMonth(month) + day - 1)
    .filter((each) => each >= today && weekdayOf(each) === weekday);
  return fitting.length > 0
    ? fitting.slice(0, 1)
    : { refused: `in the coming months no day ${day} is a ${weekdayName(weekday)}` };
}

function nthDay(nth: number, weekday: number | undefined, of: MonthOf | undefined, today: Day): DayChoice {
  const inMonth = (month: number) => nthOfMonth(month, nth, weekday);
  if (of && "month" in of && of.year === undefined) {
    const month = monthFor(of, today);
    return [month, month + 12]
      .flatMap((each) => inMonth(each) ?? [])
      .filter((day) => day >= today)
      .slice(0, 1);
  }
  const day = inMonth(monthFor(of ?? { offset: 0 }, today));
  return day === undefined ? { refused: "that month has no such day" } : [day];
}

function nthOfMonth(month: number, nth: number, weekday: number | undefined): Day | undefined {
  if (weekday !== undefined) return nthWeekday(month, nth, weekday);
  const day = nth > 0 ? nth : daysInMonth(month) + 1 + nth;
  return day >= 1 && day <= daysInMonth(month) ? firstOfMonth(month) + day - 1 : undefined;
}

function movedDays(from: DayWords, by: Amount, sign: 1 | -1, today: Day): DayChoice {
  const days = daysOf(from, today);
  if ("refused" in days) return days;
  const moved = days.map((day) => moveDay(day, by, sign));
  const real = moved.filter((day) => day !== undefined);
  if (real.length < moved.length) return { refused: "the month that it leads to is too short for that day" };
  return [...(sign === 1 ? sinceLastYear(from, by, today) : []), ...real];
}

/** "3 days after christmas", said on the day after it: from the Christmas that was, or from the next. Both are kept. */
function sinceLastYear(from: DayWords, by: Amount, today: Day): readonly Day[] {
  if (from.kind !== "dates") return [];
  const before = from.dates
    .filter(({ year }) => year === undefined)
    .flatMap((date) => lastDate(date, today) ?? []);
  return before.flatMap((day) => moveDay(day, by) ?? []).filter((day) => day >= today);
}

function lastDate({ month, day }: DateWords, today: Day): Day | undefined {
  const { year } = dateOf(today);
  const days = [year, year - 1].map((each) => dayOf({ year: each, month, day }));
  return days.find((each) => each !== undefined && each < today);
}

/** Calendar days; undefined where the month is too short. */
export function moveDay(day: Day, { months, days }: Amount, sign: 1 | -1 = 1): Day | undefined {
  const moved = addMonths(day, sign * months);
  return moved === undefined ? undefined : moved + sign * days;
}

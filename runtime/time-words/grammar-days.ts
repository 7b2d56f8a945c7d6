import type { TimeGrammar } from "./grammar-names.js";
import { FEASTS } from "./lexicon.js";
import type { Amount, DateWords, DayWords, MonthOf, Which } from "./meaning.js";

/** Days: today, weekdays, dates, days of a month, and days counted from other days. */
export function addDays(grammar: TimeGrammar): void {
  addNearDays(grammar);
  addWeekdays(grammar);
  addDates(grammar);
  addNumericDates(grammar);
  addDaysOfMonth(grammar);
  addMovedDays(grammar);
}

export const days = (n: number): DayWords => ({ kind: "days", days: n });

const addNearDays = (grammar: TimeGrammar) =>
  grammar.table("day", [
    ["today itself?", days(0)],
    ["tomorrow itself?", days(1)],
    ["yesterday", days(-1)],
    ["the? day after tomorrow", days(2)],
    ["the? day before yesterday", days(-2)],
  ]);

export const weekdayOf =
  (which: Which) =>
  (weekday: number): DayWords => ({ kind: "weekday", weekday, which });

const addWeekdays = (grammar: TimeGrammar) =>
  grammar
    .same("anyWeekday", ["{weekday}", "{pluralWeekday}"])
    .rule(
      "day",
      ["on? coming|upcoming {weekday}", "on? the|this coming|upcoming {weekday}"],
      weekdayOf("coming"),
    )
    .rule("day", "on? the? next {weekday}", weekdayOf("next"))
    .rule("day", "on? the? {weekday} after next", weekdayOf("after next"))
    .rule(
      "day",
      ["on? last|past {weekday}", "on? {weekday} of? last week", "last week's {weekday}"],
      weekdayOf({ week: -1 }),
    )
    .rule(
      "day",
      ["on? this {weekday}", "on? {weekday} of? this week", "this week on? {weekday}"],
      weekdayOf({ week: 0 }),
    )
    .rule(
      "day",
      ["on? {weekday} of? next week", "on? {weekday} of? the following week", "next week on? {weekday}"],
      weekdayOf({ week: 1 }),
    )
    .rule("day", "next week's {weekday}", weekdayOf({ week: 1 }))
    .rule("day", "{number} {anyWeekday} from now", (nth, weekday) =>
      nth > 0 ? weekdayOf({ nth })(weekday) : undefined,
    );

const TWO_DIGITS_UNTIL = 69;

/** Of two digits 69 is 2069 and 70 is 1970 [POSIX, strptime]. */
const fullYear = (digits: string): number | undefined => {
  if (digits.length === 4) return Number(digits);
  if (digits.length !== 2) return undefined;
  return Number(digits) + (Number(digits) <= TWO_DIGITS_UNTIL ? 2000 : 1900);
};

const inYear = (year: number): number | undefined => (year >= 1900 && year <= 2199 ? year : undefined);

function dates(year: number | undefined, month: number, day: number): readonly DateWords[] | undefined {
  return day >= 1 && day <= 31 ? [{ year, month, day }] : undefined;
}

function addDates(grammar: TimeGrammar): void {
  grammar
    .rule("year", "{digits}", (digits) => (digits.length === 4 ? inYear(Number(digits)) : undefined))
    .rule("year", "two thousand and? {words}?", (n = 0) => 2000 + n)
    .rule("year", "{words} -? {words}", (century, n) =>
      n >= 10 && century >= 19 ? inYear(century * 100 + n) : undefined,
    )
    .rule("monthDay", "{ordinal}", (n) => (n <= 31 ? n : undefined))
    .rule("date", ["{month} the? {monthDay}", "{month} , {monthDay}", "{month} /|- {int}"], (month, day) =>
      dates(undefined, month, day),
    )
    .rule("date", "{month} the? {monthDay} ,? {year}", (month, day, year) => dates(year, month, day))
    .rule("date", ["the? {monthDay} of? {month}", "{int} /|- {month}"], (day, month) =>
      dates(undefined, month, day),
    )
    .rule("date", "the? {monthDay} of? {month} ,|of? {year}", (day, month, year) => dates(year, month, day))
    .rule("date", "{int} /|- {month} /|- {digits}", (day, month, year) => dates(fullYear(year), month, day))
    .rule("date", "{year} /|- {month} /|- {int}", dates)
    .rule("date", "{feast} {year}?", ({ month, day }, year) => dates(year, month, day))
    .table("feast", FEASTS)
    .rule("day", ["on? {date}", "on? {date} this year"], (found) => ({ kind: "dates", dates: found }));
}

function addNumericDates(grammar: TimeGrammar): void {
  grammar
    // "24/7" is always
    .rule("date", "{int} / {int}", (one, two) =>
      one === 24 && two === 7 ? undefined : eitherOrder(one, two),
    )
    // "17.10" may be a time of day, "1.5" a number
    .rule("date", "{int} ~. ~{int}", (one, two) => (one > 23 ? eitherOrder(one, two) : undefined))
    // who ends the month with a point too writes the day first
    .rule("date", "{int} ~. ~{int} ~.", (day, month) =>
      month <= 12 && day <= 31 ? dates(undefined, month, day) : undefined,
    )
    // "2-3" is a stretch of time or a score
    .rule("date", "{int} - {int}", (one, two) =>
      Math.max(one, two) > 12 ? eitherOrder(one, two) : undefined,
    )
    .rule(
      "date",
      ["{int} ~/ ~{int} ~/ ~{digits}", "{int} ~- ~{int} ~- ~{digits}", "{int} ~. ~{int} ~. ~{digits}"],
      withYear,
    )
    .rule(
      "date",
      ["{year} ~- ~{int} ~- ~{int}", "{year} ~/ ~{int} ~/ ~{int}", "{year} ~. ~{int} ~. ~{int}"],
      yearFirst,
    )
    .rule("date", "{digits}", (digits) =>
      digits.length === 8
        ? yearFirst(Number(digits.slice(0, 4)), Number(digits.slice(4, 6)), Number(digits.slice(6)))
        : undefined,
    );
}

const yearFirst = (year: number, month: number, day: number) =>
  inYear(year) && month >= 1 && month <= 12 ? dates(year, month, day) : undefined;

const withYear = (one: number, two: number, digits: string) => {
  const year = fullYear(digits);
  return year === undefined ? undefined : eitherOrder(one, two, year);
};

/** 5/12 is 12 May in one country and 5 December in another. Both are kept, and the person is asked. */
function eitherOrder(one: number, two: number, year?: number): readonly DateWords[] | undefined {
  const isMonth = (n: number) => n >= 1 && n <= 12;
  const found = [
    ...(isMonth(one) ? (dates(year, one, two) ?? []) : []),
    ...(isMonth(two) && one !== two ? (dates(year, two, one) ?? []) : []),
  ];
  return found.length > 0 ? found : undefined;
}

const nth = (n: number, weekday: number | undefined, of: MonthOf | undefined): DayWords | undefined =>
  weekday === undefined || n <= 5 ? { kind: "nth", nth: n, weekday, of } : undefined;

const dayOfMonth = (day: number, of?: MonthOf, weekday?: number): DayWords | undefined =>
  day <= 31 ? { kind: "day of month", day, of, ...(weekday !== undefined && { weekday }) } : undefined;

function addDaysOfMonth(grammar: TimeGrammar): void {
  grammar
    .table("monthOf", [
      ["this|the month,the? current month", { offset: 0 }],
      ["the? next|following month", { offset: 1 }],
      ["the? last|previous|past month", { offset: -1 }],
    ])
    .rule("monthOf", "{month} ,? {year}?", (month, year) => ({ month, year }))
    .rule("day", ["on? the {monthDay}", "on {ordinal}", "{shortOrdinal}"], (day) => dayOfMonth(day))
    .rule("day", ["on? {weekday} ,? the? {shortOrdinal}", "on? {weekday} ,? the {ordinal}"], (weekday, day) =>
      dayOfMonth(day, undefined, weekday),
    )
    .rule("day", "on? the? {monthDay} day? of? {monthOf}", (day, of) =>
      "offset" in of ? dayOfMonth(day, of) : undefined,
    )
    .rule("day", "{monthOf} on? the {monthDay}", (of, day) =>
      "offset" in of ? dayOfMonth(day, of) : undefined,
    )
    .rule("day", "on? the? {ordinal} day of|in {monthOf}", (n, of) => nth(n, undefined, of))
    .rule("day", "on? the? last day of|in {monthOf}", (of) => nth(-1, undefined, of))
    .rule("day", "on? the? {ordinal} last day of|in {monthOf}", (n, of) => nth(-n, undefined, of))
    .rule("day", "on? the? {ordinal} {weekday} of|in {monthOf}", nth)
    .rule("day", "on? the? last {weekday} of|in {monthOf}", (weekday, of) => nth(-1, weekday, of))
    .rule("day", "on? the? {ordinal} last {weekday} of|in {monthOf}", (n, weekday, of) =>
      n <= 5 ? nth(-n, weekday, of) : undefined,
    )
    .rule("day", "on the? last {weekday}", (weekday) => nth(-1, weekday, undefined))
    .rule("day", "on the? {ordinal} {weekday}", (n, weekday) => nth(n, weekday, undefined))
    .rule("day", "on the? last day", () => nth(-1, undefined, undefined));
}

/** "A week tomorrow", "a week on monday": nobody counts days or months like that. */
const isWeeks = ({ months, days: n, seconds }: Amount): boolean =>
  months === 0 && seconds === 0 && n % 7 === 0;

const moved = (by: Amount, from: DayWords | undefined, sign: 1 | -1 = 1): DayWords | undefined =>
  from && by.seconds === 0 && by.days + by.months > 0 ? { kind: "moved", from, by, sign } : undefined;

/** Days of the calendar from now: nothing for hours. */
export const fromToday = (by: Amount): DayWords | undefined => moved(by, days(0));

function addMovedDays(grammar: TimeGrammar): void {
  const coming = weekdayOf("coming");
  const week: Amount = { months: 0, days: 7, seconds: 0 };
  grammar
    .rule(
      "day",
      ["in about|around|exactly? {amount} time?", "{amount} from now|today", "{amount} hence"],
      fromToday,
    )
    .rule("day", "{amount} today", (by) => (isWeeks(by) ? fromToday(by) : undefined))
    .rule("day", "{amount} tomorrow", (by) => (isWeeks(by) ? moved(by, days(1)) : undefined))
    .rule("day", "{amount} ago", (by) => moved(by, days(0), -1))
    .rule("day", "{amount} from|after {day}", (by, from) => moved(by, from))
    .rule("day", "{amount} before {day}", (by, from) => moved(by, from, -1))
    .rule("day", "{amount} from|after {weekday}", (by, weekday) => moved(by, coming(weekday)))
    .rule("day", "{amount} on {weekday}", (by, weekday) =>
      isWeeks(by) ? moved(by, coming(weekday)) : undefined,
    )
    .rule("day", "{amount} before {weekday}", (by, weekday) => moved(by, coming(weekday), -1))
    .rule("day", "the day after {day}", (from) => moved({ ...week, days: 1 }, from))
    .rule("day", "the day before {day}", (from) => moved({ ...week, days: 1 }, from, -1))
    .rule("day", "on? {weekday} week", (weekday) => moved(week, coming(weekday)))
    .rule("day", "today week", () => moved(week, days(0)))
    .rule("day", "tomorrow week", () => moved(week, days(1)));
}

import type { TimeGrammar } from "./grammar-names.js";
import { FEASTS, MONTHS, PLURAL_WEEKDAYS, WEEKDAYS } from "./lexicon.js";
import type { Amount, DateWords, DayWords, MonthOf } from "./meaning.js";

/** Days: today, weekdays, dates, days of a month, and days counted from other days. */
export function addDays(grammar: TimeGrammar): void {
  grammar.table("weekday", WEEKDAYS).table("pluralWeekday", PLURAL_WEEKDAYS).table("month", MONTHS);
  grammar.table("feast", FEASTS);
  addNearDays(grammar);
  addWeekdays(grammar);
  addDates(grammar);
  addNumericDates(grammar);
  addDaysOfMonth(grammar);
  addMovedDays(grammar);
}

const days = (n: number): DayWords => ({ kind: "days", days: n });

const addNearDays = (grammar: TimeGrammar) =>
  grammar.table("day", [
    ["today itself?", days(0)],
    ["tomorrow itself?", days(1)],
    ["yesterday", days(-1)],
    ["the? day after tomorrow", days(2)],
    ["the? day before yesterday", days(-2)],
  ]);

function addWeekdays(grammar: TimeGrammar): void {
  const inWeek = (weekday: number, week: number): DayWords => ({ kind: "weekday", weekday, which: { week } });
  grammar
    .rule("anyWeekday", "{weekday}", (n) => n)
    .rule("anyWeekday", "{pluralWeekday}", (n) => n)
    .rule("day", "on? this {weekday}", (weekday) => inWeek(weekday, 0))
    .rule("day", "on? coming|upcoming {weekday}", (weekday) => ({
      kind: "weekday",
      weekday,
      which: "coming",
    }))
    .rule("day", "on? the|this coming|upcoming {weekday}", (weekday) => ({
      kind: "weekday",
      weekday,
      which: "coming",
    }))
    .rule("day", "on? the? next {weekday}", (weekday) => ({ kind: "weekday", weekday, which: "next" }))
    .rule("day", "on? the? {weekday} after next", (weekday) => ({
      kind: "weekday",
      weekday,
      which: "after next",
    }))
    .rule("day", "on? last|past {weekday}", (weekday) => inWeek(weekday, -1))
    .rule("day", "on? {weekday} of? this week", (weekday) => inWeek(weekday, 0))
    .rule("day", "on? {weekday} of? next week", (weekday) => inWeek(weekday, 1))
    .rule("day", "on? {weekday} of? the following week", (weekday) => inWeek(weekday, 1))
    .rule("day", "on? {weekday} of? last week", (weekday) => inWeek(weekday, -1))
    .rule("day", "this week on? {weekday}", (weekday) => inWeek(weekday, 0))
    .rule("day", "next week on? {weekday}", (weekday) => inWeek(weekday, 1))
    .rule("day", "next week's {weekday}", (weekday) => inWeek(weekday, 1))
    .rule("day", "last week's {weekday}", (weekday) => inWeek(weekday, -1))
    .rule("day", "{number} {anyWeekday} from now", (nth, weekday) =>
      nth > 0 ? { kind: "weekday", weekday, which: { nth } } : undefined,
    );
}

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
    .rule("monthDay", "{number}", (n) => (n >= 1 && n <= 31 ? n : undefined))
    .rule("monthDay", "{ordinal}", (n) => (n <= 31 ? n : undefined))
    .rule("date", "{month} the? {monthDay}", (month, day) => dates(undefined, month, day))
    .rule("date", "{month} the? {monthDay} ,? {year}", (month, day, year) => dates(year, month, day))
    .rule("date", "{month} , {monthDay}", (month, day) => dates(undefined, month, day))
    .rule("date", "the? {monthDay} of? {month}", (day, month) => dates(undefined, month, day))
    .rule("date", "the? {monthDay} of? {month} ,|of? {year}", (day, month, year) => dates(year, month, day))
    .rule("date", "{month} /|- {int}", (month, day) => dates(undefined, month, day))
    .rule("date", "{int} /|- {month}", (day, month) => dates(undefined, month, day))
    .rule("date", "{int} /|- {month} /|- {digits}", (day, month, year) => dates(fullYear(year), month, day))
    .rule("date", "{year} /|- {month} /|- {int}", (year, month, day) => dates(year, month, day))
    .rule("date", "{feast}", ({ month, day }) => dates(undefined, month, day))
    .rule("date", "{feast} {year}", ({ month, day }, year) => dates(year, month, day))
    .rule("day", "on? {date}", (found) => ({ kind: "dates", dates: found }))
    .rule("day", "on? {date} this year", (found) => ({ kind: "dates", dates: found }));
}

function addNumericDates(grammar: TimeGrammar): void {
  grammar
    // "24/7" is always
    .rule("date", "{int} / {int}", (one, two) =>
      one === 24 && two === 7 ? undefined : eitherOrder(one, two, undefined),
    )
    // "2-3" is a stretch of time or a score
    .rule("date", "{int} - {int}", (one, two) =>
      Math.max(one, two) > 12 ? eitherOrder(one, two, undefined) : undefined,
    )
    .rule("date", "{int} ~/ ~{int} ~/ ~{digits}", (one, two, year) => withYear(one, two, year))
    .rule("date", "{int} ~- ~{int} ~- ~{digits}", (one, two, year) => withYear(one, two, year))
    .rule("date", "{int} ~. ~{int} ~. ~{digits}", (one, two, year) => withYear(one, two, year))
    .rule("date", "{year} ~- ~{int} ~- ~{int}", yearFirst)
    .rule("date", "{year} ~/ ~{int} ~/ ~{int}", yearFirst)
    .rule("date", "{year} ~. ~{int} ~. ~{int}", yearFirst)
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
function eitherOrder(one: number, two: number, year: number | undefined): readonly DateWords[] | undefined {
  const isMonth = (n: number) => n >= 1 && n <= 12;
  const found = [
    ...(isMonth(one) ? (dates(year, one, two) ?? []) : []),
    ...(isMonth(two) && one !== two ? (dates(year, two, one) ?? []) : []),
  ];
  return found.length > 0 ? found : undefined;
}

function addDaysOfMonth(grammar: TimeGrammar): void {
  const nth = (n: number, weekday: number | undefined, of: MonthOf | undefined): DayWords => ({
    kind: "nth",
    nth: n,
    weekday,
    of,
  });
  grammar
    .rule("monthOf", "this|the month", () => ({ offset: 0 }))
    .rule("monthOf", "the? current month", () => ({ offset: 0 }))
    .rule("monthOf", "the? next|following month", () => ({ offset: 1 }))
    .rule("monthOf", "the? last|previous|past month", () => ({ offset: -1 }))
    .rule("monthOf", "{month} ,? {year}?", (month, year) => ({ month, year }))
    .rule("day", "on? the {monthDay}", (day) => ({ kind: "day of month", day, of: undefined }))
    .rule("day", "on {ordinal}", (day) =>
      day <= 31 ? { kind: "day of month", day, of: undefined } : undefined,
    )
    .rule("day", "on? {weekday} ,? the? {shortOrdinal}", (weekday, day) =>
      day <= 31 ? { kind: "day of month", day, of: undefined, weekday } : undefined,
    )
    .rule("day", "on? {weekday} ,? the {ordinal}", (weekday, day) =>
      day <= 31 ? { kind: "day of month", day, of: undefined, weekday } : undefined,
    )
    .rule("day", "{shortOrdinal}", (day) =>
      day <= 31 ? { kind: "day of month", day, of: undefined } : undefined,
    )
    .rule("day", "on? the? {monthDay} day? of? {monthOf}", (day, of) =>
      "offset" in of ? { kind: "day of month", day, of } : undefined,
    )
    .rule("day", "{monthOf} on? the {monthDay}", (of, day) =>
      "offset" in of ? { kind: "day of month", day, of } : undefined,
    )
    .rule("day", "on? the? {ordinal} day of|in {monthOf}", (n, of) => nth(n, undefined, of))
    .rule("day", "on? the? last day of|in {monthOf}", (of) => nth(-1, undefined, of))
    .rule("day", "on? the? {ordinal} last day of|in {monthOf}", (n, of) => nth(-n, undefined, of))
    .rule("day", "on? the? {ordinal} {weekday} of|in {monthOf}", (n, weekday, of) =>
      n <= 5 ? nth(n, weekday, of) : undefined,
    )
    .rule("day", "on? the? last {weekday} of|in {monthOf}", (weekday, of) => nth(-1, weekday, of))
    .rule("day", "on? the? {ordinal} last {weekday} of|in {monthOf}", (n, weekday, of) =>
      n <= 5 ? nth(-n, weekday, of) : undefined,
    )
    .rule("day", "on the? last {weekday}", (weekday) => nth(-1, weekday, undefined))
    .rule("day", "on the? {ordinal} {weekday}", (n, weekday) =>
      n <= 5 ? nth(n, weekday, undefined) : undefined,
    )
    .rule("day", "on the? last day", () => nth(-1, undefined, undefined));
}

/** "A week tomorrow", "a week on monday": nobody counts days or months like that. */
const isWeeks = ({ months, days: n, seconds }: Amount): boolean =>
  months === 0 && seconds === 0 && n % 7 === 0;

function addMovedDays(grammar: TimeGrammar): void {
  const moved = (by: Amount, from: DayWords | undefined, sign: 1 | -1): DayWords | undefined =>
    from && by.seconds === 0 && by.days + by.months > 0 ? { kind: "moved", from, by, sign } : undefined;
  const coming = (weekday: number): DayWords => ({ kind: "weekday", weekday, which: "coming" });
  const week: Amount = { months: 0, days: 7, seconds: 0 };
  grammar
    .rule("day", "in about|around|exactly? {amount} time?", (by) => moved(by, days(0), 1))
    .rule("day", "{amount} from now|today", (by) => moved(by, days(0), 1))
    .rule("day", "{amount} hence", (by) => moved(by, days(0), 1))
    .rule("day", "{amount} today", (by) => (isWeeks(by) ? moved(by, days(0), 1) : undefined))
    .rule("day", "{amount} tomorrow", (by) => (isWeeks(by) ? moved(by, days(1), 1) : undefined))
    .rule("day", "{amount} ago", (by) => moved(by, days(0), -1))
    .rule("day", "{amount} from|after {day}", (by, from) => moved(by, from, 1))
    .rule("day", "{amount} before {day}", (by, from) => moved(by, from, -1))
    .rule("day", "{amount} from|after {weekday}", (by, weekday) => moved(by, coming(weekday), 1))
    .rule("day", "{amount} on {weekday}", (by, weekday) =>
      isWeeks(by) ? moved(by, coming(weekday), 1) : undefined,
    )
    .rule("day", "{amount} before {weekday}", (by, weekday) => moved(by, coming(weekday), -1))
    .rule("day", "the day after {day}", (from) => moved({ ...week, days: 1 }, from, 1))
    .rule("day", "the day before {day}", (from) => moved({ ...week, days: 1 }, from, -1))
    .rule("day", "on? {weekday} week", (weekday) => moved(week, coming(weekday), 1))
    .rule("day", "today week", () => moved(week, days(0), 1))
    .rule("day", "tomorrow week", () => moved(week, days(1), 1));
}

import type { TimeGrammar } from "./grammar-names.js";
import { ADVERBS } from "./lexicon.js";
import type { DateWords, Repeat, RepeatUnit } from "./meaning.js";
import { MAX_INTERVAL } from "./recurrence.js";

export const WORKDAYS = [0, 1, 2, 3, 4];
export const WEEKEND = [5, 6];
const ALL_WEEK = [...WORKDAYS, ...WEEKEND];

/** What comes again and again. */
export function addRepeats(grammar: TimeGrammar): void {
  addIntervals(grammar);
  addLists(grammar);
  addRepeatedWeekdays(grammar);
  addRepeatedDates(grammar);
}

export function every(
  interval: number,
  { unit, times }: { unit: RepeatUnit; times: number },
): Repeat | undefined {
  const all = interval * times;
  return all >= 1 && all <= MAX_INTERVAL ? { unit, interval: all } : undefined;
}

export const daily = (interval = 1): Repeat => ({ unit: "day", interval });
export const minutely = (interval: number): Repeat => ({ unit: "minute", interval });
export const weekly = (weekdays: readonly number[], interval = 1): Repeat => ({
  unit: "week",
  interval,
  weekdays,
});
export const monthly = (part: Partial<Repeat>): Repeat => ({ unit: "month", interval: 1, ...part });

export const monthlyNth = (nth: number, weekday: number): Repeat | undefined =>
  nth <= 5 ? monthly({ nth: { nth, weekday } }) : undefined;

export const weeksOn = (interval: number, weekdays: readonly number[]): Repeat | undefined =>
  interval >= 1 && interval <= MAX_INTERVAL ? weekly(weekdays, interval) : undefined;

export const allWeekBut = (weekdays: readonly number[]): Repeat =>
  weekly(ALL_WEEK.filter((each) => !weekdays.includes(each)));

const daysFrom = (first: number, last: number): readonly number[] | undefined =>
  first < last ? ALL_WEEK.slice(first, last + 1) : undefined;

const addIntervals = (grammar: TimeGrammar) =>
  grammar
    .table("adverb", ADVERBS)
    .table("repeat", [
      ["every single day,every|each day of the week", daily()],
      ["on? alternate days", daily(2)],
      ["every half an hour,every half hour", minutely(30)],
      ["every quarter of an hour,every quarter hour", minutely(15)],
      ["every hour and a half", minutely(90)],
    ])
    .table("timesOf", [
      ["twice", 2],
      ["thrice", 3],
    ])
    .rule("timesOf", "{number} times", (n) => (n > 1 ? n : undefined))
    .rule("repeat", ["every {number} {repeatUnit}", "once every {number} {repeatUnit}"], every)
    .rule(
      "repeat",
      ["every other {repeatUnit}", "every alternate {repeatUnit}", "once every other {repeatUnit}"],
      (unit) => every(2, unit),
    )
    .rule("repeat", "every {ordinal} {repeatUnit}", (n, unit) => (n > 1 ? every(n, unit) : undefined))
    .rule("repeat", ["every|each {repeatUnit}", "once a|an|per|every|each {repeatUnit}"], (unit) =>
      every(1, unit),
    )
    .rule("repeat", ["once? {adverb}", "{adverb} once"], (unit) => every(1, unit));

const addLists = (grammar: TimeGrammar) =>
  grammar
    .rule(
      "weekdayList",
      ["{weekday} ,|and|&|/ {weekdayList}", "{weekday} , and {weekdayList}"],
      (n, others) => [n, ...others],
    )
    .rule(
      "pluralList",
      ["{anyWeekday} ,|and|& {pluralList}", "{anyWeekday} , and {pluralList}"],
      (n, others) => [n, ...others],
    )
    .table("dayKind", [
      ["weekday|workday,working|week day", WORKDAYS],
      ["weekend", WEEKEND],
    ])
    .table("weekdays", [["weekday|workday,working|week day", WORKDAYS]])
    .rule("weekdays", "{weekday} to|through|- {weekday}", daysFrom)
    .rule("monthDays", "the? {ordinal}", (n) => (n <= 31 ? [n] : undefined))
    .rule(
      "monthDays",
      ["the? {ordinal} ,|and|& {monthDays}", "the? {ordinal} , and {monthDays}"],
      (n, others) => (n <= 31 ? [n, ...others] : undefined),
    );

const ALL_BUT = [
  "every day except|excluding|but|apart for|from|not?",
  "daily|everyday except|excluding|but|apart for|from|not?",
] as const;

const addRepeatedWeekdays = (grammar: TimeGrammar) =>
  grammar
    .table("repeat", [
      ["every|each weekend,on|at? the? weekends", weekly(WEEKEND)],
      ["on? weekdays|workdays,on? working|week days", weekly(WORKDAYS)],
      [ALL_BUT.map((words) => `${words} on? the? weekends|weekend`).join(","), weekly(WORKDAYS)],
    ])
    .rule(
      "repeat",
      [
        "once? every|each {weekdays}",
        "every|each week on {weekdays}",
        "once a|per|every|each week on {weekdays}",
        "on? {pluralList}",
      ],
      (weekdays) => weekly(weekdays),
    )
    .rule("repeat", "every|each {weekdays} ,|and|& every|each {weekdays}", (some, others) =>
      weekly([...some, ...others]),
    )
    .rule("repeat", ["every other|alternate {weekday}", "on? alternate {pluralWeekday}"], (weekday) =>
      weekly([weekday], 2),
    )
    .rule("workWeek", "on|from? {weekday} to|through|thru|- {weekday}", (first, last) =>
      first === 0 && last === 4 ? WORKDAYS : undefined,
    )
    .rule("repeat", "on? {pluralWeekday} to|through {pluralWeekday}", (first, last) => {
      const weekdays = daysFrom(first, last);
      return weekdays && weekly(weekdays);
    })
    .rule(
      "repeat",
      ALL_BUT.map((words) => `${words} on? {weekdays}` as const),
      allWeekBut,
    )
    .rule("repeat", "every {number} weeks on {weekdays}", weeksOn)
    .rule("repeat", "every other week on {weekdays}", (weekdays) => weekly(weekdays, 2))
    .rule("repeat", "{adverb} on {weekdays}", ({ unit, times }, weekdays) =>
      unit === "week" ? weekly(weekdays, times) : undefined,
    );

const addRepeatedDates = (grammar: TimeGrammar) =>
  grammar
    .table("eachMonth", [["monthly,once? every|each month,once a|per month", true]])
    .table("repeat", [
      [
        "every|each last day of the month,on? the? last day of|in every|each month",
        monthly({ monthDays: [-1] }),
      ],
    ])
    .rule(
      "repeat",
      [
        "on? {monthDays} of|in every|each month",
        "{monthDays} every|each month",
        "every|each {monthDays} of the month",
      ],
      (monthDays) => monthly({ monthDays }),
    )
    .rule("repeat", "every {number} months on {monthDays}", (interval, monthDays) =>
      interval > 0 && interval <= MAX_INTERVAL ? monthly({ interval, monthDays }) : undefined,
    )
    .rule("repeat", "{eachMonth} on {monthDays}", (_, monthDays) => monthly({ monthDays }))
    .rule("repeat", "{eachMonth} on the? {ordinal} {weekday}", (_, nth, weekday) => monthlyNth(nth, weekday))
    .rule("repeat", "{eachMonth} on the? last {weekday}", (_, weekday) => monthlyNth(-1, weekday))
    .rule("repeat", "{eachMonth} on the? last day", () => monthly({ monthDays: [-1] }))
    .rule(
      "repeat",
      [
        "on? the? {ordinal} {weekday} of|in every|each month",
        "every|each {ordinal} {weekday} of|in the|each|every? month",
      ],
      monthlyNth,
    )
    .rule(
      "repeat",
      [
        "on? the? last {weekday} of|in every|each month",
        "every|each last {weekday} of|in the|each|every? month",
      ],
      (weekday) => monthlyNth(-1, weekday),
    )
    .rule("repeat", ["yearly|annually on {date}", "every|each {date}"], yearly);

function yearly([date, ...others]: readonly DateWords[]): Repeat | undefined {
  if (!date || others.length > 0 || date.year !== undefined) return undefined;
  return { unit: "year", interval: 1, date: { month: date.month, day: date.day } };
}

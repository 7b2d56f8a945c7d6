import type { TimeGrammar } from "./grammar-names.js";
import { ADVERBS, REPEAT_UNITS } from "./lexicon.js";
import type { DateWords, Repeat, RepeatUnit } from "./meaning.js";
import { MAX_INTERVAL } from "./recurrence.js";

export const WORKDAYS = [0, 1, 2, 3, 4];
export const WEEKEND = [5, 6];
export const ALL_WEEK = [...WORKDAYS, ...WEEKEND];

/** What comes again and again. */
export function addRepeats(grammar: TimeGrammar): void {
  grammar.table("repeatUnit", REPEAT_UNITS).table("adverb", ADVERBS);
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

export const weekly = (weekdays: readonly number[], interval = 1): Repeat => ({
  unit: "week",
  interval,
  weekdays,
});

const addIntervals = (grammar: TimeGrammar) =>
  grammar
    .rule("repeat", "every|each {repeatUnit}", (unit) => every(1, unit))
    .rule("repeat", "every single day", () => ({ unit: "day", interval: 1 }))
    .rule("repeat", "every {number} {repeatUnit}", every)
    .rule("repeat", "every other {repeatUnit}", (unit) => every(2, unit))
    .rule("repeat", "every {ordinal} {repeatUnit}", (n, unit) => (n > 1 ? every(n, unit) : undefined))
    .rule("repeat", "every half an hour", () => ({ unit: "minute", interval: 30 }))
    .rule("repeat", "every half hour", () => ({ unit: "minute", interval: 30 }))
    .rule("repeat", "every quarter of an hour", () => ({ unit: "minute", interval: 15 }))
    .rule("repeat", "every quarter hour", () => ({ unit: "minute", interval: 15 }))
    .rule("repeat", "every hour and a half", () => ({ unit: "minute", interval: 90 }))
    .rule("repeat", "every alternate {repeatUnit}", (unit) => every(2, unit))
    .rule("repeat", "on? alternate days", () => ({ unit: "day", interval: 2 }))
    .rule("repeat", "every|each day of the week", () => ({ unit: "day", interval: 1 }))
    .rule("timesOf", "twice", () => 2)
    .rule("timesOf", "thrice", () => 3)
    .rule("timesOf", "{number} times", (n) => (n > 1 ? n : undefined))
    .rule("repeat", "once every {number} {repeatUnit}", every)
    .rule("repeat", "once every other {repeatUnit}", (unit) => every(2, unit))
    .rule("repeat", "once? {adverb}", (unit) => every(1, unit))
    .rule("repeat", "{adverb} once", (unit) => every(1, unit))
    .rule("repeat", "once a|an|per|every|each {repeatUnit}", (unit) => every(1, unit));

const addLists = (grammar: TimeGrammar) =>
  grammar
    .rule("weekdayList", "{weekday}", (n) => [n])
    .rule("weekdayList", "{weekday} ,|and|&|/ {weekdayList}", (n, others) => [n, ...others])
    .rule("weekdayList", "{weekday} , and {weekdayList}", (n, others) => [n, ...others])
    .rule("pluralList", "{pluralWeekday}", (n) => [n])
    .rule("pluralList", "{anyWeekday} ,|and|& {pluralList}", (n, others) => [n, ...others])
    .rule("pluralList", "{anyWeekday} , and {pluralList}", (n, others) => [n, ...others])
    .rule("weekdays", "{weekdayList}", (list) => list)
    .rule("weekdays", "{pluralList}", (list) => list)
    .rule("dayKind", "weekday|workday", () => WORKDAYS)
    .rule("dayKind", "working|week day", () => WORKDAYS)
    .rule("dayKind", "weekend", () => WEEKEND)
    .rule("weekdays", "weekday|workday", () => WORKDAYS)
    .rule("weekdays", "working|week day", () => WORKDAYS)
    .rule("weekdays", "{weekday} to|through|- {weekday}", (first, last) =>
      first < last ? ALL_WEEK.slice(first, last + 1) : undefined,
    )
    .rule("monthDays", "the? {ordinal}", (n) => (n <= 31 ? [n] : undefined))
    .rule("monthDays", "the? {ordinal} ,|and|& {monthDays}", (n, others) =>
      n <= 31 ? [n, ...others] : undefined,
    )
    .rule("monthDays", "the? {ordinal} , and {monthDays}", (n, others) =>
      n <= 31 ? [n, ...others] : undefined,
    );

const addRepeatedWeekdays = (grammar: TimeGrammar) =>
  grammar
    .rule("repeat", "once? every|each {weekdays}", (weekdays) => weekly(weekdays))
    .rule("repeat", "every|each {weekdays} ,|and|& every|each {weekdays}", (some, others) =>
      weekly([...some, ...others]),
    )
    .rule("repeat", "every other|alternate {weekday}", (weekday) => weekly([weekday], 2))
    .rule("repeat", "on? alternate {pluralWeekday}", (weekday) => weekly([weekday], 2))
    .rule("repeat", "every|each weekend", () => weekly(WEEKEND))
    .rule("repeat", "on|at? the? weekends", () => weekly(WEEKEND))
    .rule("repeat", "on? weekdays|workdays", () => weekly(WORKDAYS))
    .rule("repeat", "on? working|week days", () => weekly(WORKDAYS))
    .rule("workWeek", "on|from? {weekday} to|through|thru|- {weekday}", (first, last) =>
      first === 0 && last === 4 ? WORKDAYS : undefined,
    )
    .rule("repeat", "every day except|but on? the? weekends|weekend", () => weekly(WORKDAYS))
    .rule("repeat", "once a|per|every|each week on {weekdays}", (weekdays) => weekly(weekdays))
    .rule("repeat", "on? {pluralList}", (weekdays) => weekly(weekdays))
    .rule("repeat", "on? {pluralWeekday} to|through {pluralWeekday}", (first, last) =>
      first < last ? weekly(ALL_WEEK.slice(first, last + 1)) : undefined,
    )
    .rule("repeat", "every day except|but on? {weekdays}", (weekdays) =>
      weekly(ALL_WEEK.filter((each) => !weekdays.includes(each))),
    )
    .rule("repeat", "every {number} weeks on {weekdays}", (interval, weekdays) => {
      const found = every(interval, { unit: "week", times: 1 });
      return found && { ...found, weekdays };
    })
    .rule("repeat", "every other week on {weekdays}", (weekdays) => weekly(weekdays, 2))
    .rule("repeat", "{adverb} on {weekdays}", ({ unit, times }, weekdays) =>
      unit === "week" ? weekly(weekdays, times) : undefined,
    )
    .rule("repeat", "every|each week on {weekdays}", (weekdays) => weekly(weekdays));

function addRepeatedDates(grammar: TimeGrammar): void {
  const monthly = (part: Partial<Repeat>): Repeat => ({ unit: "month", interval: 1, ...part });
  grammar
    .rule("repeat", "on? {monthDays} of|in every|each month", (monthDays) => monthly({ monthDays }))
    .rule("repeat", "{monthDays} every|each month", (monthDays) => monthly({ monthDays }))
    .rule("repeat", "every|each {monthDays} of the month", (monthDays) => monthly({ monthDays }))
    .rule("repeat", "every {number} months on {monthDays}", (interval, monthDays) =>
      interval > 0 && interval <= MAX_INTERVAL ? monthly({ interval, monthDays }) : undefined,
    )
    .rule("repeat", "{eachMonth} on {monthDays}", (_, monthDays) => monthly({ monthDays }))
    .rule("repeat", "{eachMonth} on the? {ordinal} {weekday}", (_, nth, weekday) =>
      nth <= 5 ? monthly({ nth: { nth, weekday } }) : undefined,
    )
    .rule("repeat", "{eachMonth} on the? last {weekday}", (_, weekday) =>
      monthly({ nth: { nth: -1, weekday } }),
    )
    .rule("repeat", "{eachMonth} on the? last day", () => monthly({ monthDays: [-1] }))
    .rule("eachMonth", "monthly", () => true)
    .rule("eachMonth", "once? every|each month", () => true)
    .rule("eachMonth", "once a|per month", () => true)
    .rule("repeat", "every|each last day of the month", () => monthly({ monthDays: [-1] }))
    .rule("repeat", "on? the? last day of|in every|each month", () => monthly({ monthDays: [-1] }))
    .rule("repeat", "on? the? {ordinal} {weekday} of|in every|each month", (nth, weekday) =>
      nth <= 5 ? monthly({ nth: { nth, weekday } }) : undefined,
    )
    .rule("repeat", "on? the? last {weekday} of|in every|each month", (weekday) =>
      monthly({ nth: { nth: -1, weekday } }),
    )
    .rule("repeat", "every|each {ordinal} {weekday} of|in the|each|every? month", (nth, weekday) =>
      nth <= 5 ? monthly({ nth: { nth, weekday } }) : undefined,
    )
    .rule("repeat", "every|each last {weekday} of|in the|each|every? month", (weekday) =>
      monthly({ nth: { nth: -1, weekday } }),
    )
    .rule("repeat", "yearly|annually on {date}", yearly)
    .rule("repeat", "every|each {date}", yearly);
}

function yearly([date, ...others]: readonly DateWords[]): Repeat | undefined {
  if (!date || others.length > 0 || date.year !== undefined) return undefined;
  return { unit: "year", interval: 1, date: { month: date.month, day: date.day } };
}

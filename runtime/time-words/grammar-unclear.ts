import { listText } from "../wire/phrases.js";
import { clockOf } from "./grammar-clock.js";
import type { TimeGrammar } from "./grammar-names.js";
import { monthly, weekly } from "./grammar-repeat.js";
import type { Meaning } from "./meaning.js";
import type { Table } from "./rules.js";
import { ordinalSuffix, weekdayName } from "./wall-time.js";

/** Why a phrase fixes no time, with what would. */
const WEEKEND = 'a weekend is two days; "saturday at 10am" is one time';
const END_OF_WEEK = 'people mean several days by that; "friday at 5pm" is one time';
const DEADLINE = 'until then is no point in time; name one, as "friday at 9am"';
const NO_END = 'what recurs has no end here; say "every day at 8am", and delete the task when it is over';
const STRETCH = 'it is a stretch of time; name one time in it, as "tomorrow at 8am"';
const NO_HOUR = 'the house does not know its hour; "every day at 7am" names one';
const NO_NUMBER = 'it says no number; "in 3 hours" does';
const NO_HOURS = 'it says no hours; "every day at 8am and 6pm" and "every monday and thursday at 9am" do';

/** Words that fix no time, and why. */
const WORDS: Table<string> = [
  ["later", 'it names no hour, as "in 2 hours" and "tomorrow at 5pm" do'],
  ["soon|asap|sometime|someday|eventually", 'it names no time; "tomorrow at 5pm" does'],
  ["first thing", 'it names no hour, as "tomorrow at 7am" does'],
  [
    "at|before|after|around? sunrise|sunset|dawn|dusk|breakfast|lunch|lunchtime|dinner|bedtime time?",
    NO_HOUR,
  ],
  ["on? 24 / 7", 'it means always; "every hour" recurs, and "24 july" is a day'],
  ["biweekly|bimonthly|biannually", 'it has two meanings; "every 2 weeks" has one'],
  ["on|at|over? the|this|next weekend", WEEKEND],
  ["this week", 'a week is seven days; "friday at 5pm" is one time'],
  ["next week", 'a week is seven days; "monday of next week" is one of them'],
  ["this month", 'a month is many days; "the last day of the month" is one of them'],
  ["next month", 'a month is many days; "the 1st of next month" is one of them'],
  ["next year", 'a year is many days; "1 june at 9am" is one time'],
  ["at|by|before? the? end of the|this month", endOf("the month")],
  ["at|by|before? the? end of next month", endOf("next month")],
  ["at? the? end of every|each month", '"the last day of every month" is one day'],
  ["at|by|before? the? end of the|this|next week", END_OF_WEEK],
  ["at? the? end of the|this day", 'say the hour, as "today at 6pm"'],
  ["in a while|bit|moment", NO_NUMBER],
  ["in an hour|day|week or two|so", 'it is no exact length of time; "in 2 hours" is'],
];

function endOf(month: string): string {
  return `it can be any of the last days; "the last day of ${month}" is one of them`;
}

/** Pieces that fix no time, and why. */
export function addUnclearWords(grammar: TimeGrammar, words: Table<string>): void {
  grammar.table(
    "piece",
    words.map(([written, unclear]) => [written, { unclear }]),
  );
}

export const unclear = (why: string) => (): Meaning => ({ unclear: why });

/** What people say often and what fixes no time. It is understood as far as that, so that the refusal can say what would be clear. */
export function addUnclear(grammar: TimeGrammar): void {
  addUnclearWords(grammar, WORDS);
  grammar
    .rule("piece", ["by|before {pieces}", "no later than {pieces}"], unclear(DEADLINE))
    .rule("piece", ["within {amount}", "in less|more than {amount}"], unclear(DEADLINE))
    .rule("piece", "until|till {pieces}", unclear(NO_END))
    .rule("phrase", "{pieces} or {pieces} .?", unclear('they are two times; say one, as "saturday at 10am"'))
    .rule("piece", "from? {clock} to|until|till|- {clock}", unclear(STRETCH))
    .rule("piece", "between {clocks}", (clocks) => (clocks.length === 2 ? { unclear: STRETCH } : undefined))
    .rule(
      "piece",
      "at|in? the? beginning|start|middle of {monthOf}",
      unclear('name the day, as "on the 5th"'),
    )
    .rule("piece", "in a? few|several|some {unit}", unclear(NO_NUMBER))
    .rule(
      "piece",
      "in {number} to|or|- {number} {unit}",
      unclear('they are two lengths of time; say one, as "in 3 hours"'),
    )
    .rule("piece", "every few|couple {repeatUnit}", unclear('it says no number; "every 3 days" does'))
    .rule("piece", "{timesOf} a|per|every|each {repeatUnit}", unclear(NO_HOURS))
    .rule("piece", "on|from? {weekdayList}", (days) =>
      days.length > 1 ? severalDays(listText(days.map(weekdayName))) : undefined,
    )
    .rule("piece", "on|from? {weekday} to|through|- {weekday}", (first, last) =>
      severalDays(rangeText(first, last)),
    )
    .rule("piece", "at|around|about? half {number}", (n) =>
      n >= 1 && n <= 12 ? { unclear: `say "half past ${n}", or the hour and the minutes` } : undefined,
    )
    .rule("piece", "every {ordinal} {weekday}", (n, weekday) =>
      n >= 2 && n <= 4 ? eitherNth(n, weekday) : undefined,
    )
    .rule("piece", "at|by|around|about? {digits} ~: ~{digits} {meridiem}?", (hour, minute, half) =>
      clockOf(hour, minute, "", half) ? undefined : noTimeOfDay(`${hour}:${minute}${half ? ` ${half}` : ""}`),
    );
}

const rangeText = (first: number, last: number): string =>
  first < last ? `${weekdayName(first)} to ${weekdayName(last)}` : "day";

const severalDays = (days: string): Meaning => ({
  unclear: `they are several days; each week is "every ${days}", and for one time name one day`,
});

/** "Every second tuesday": of weeks or of a month. */
function eitherNth(nth: number, weekday: number): Meaning {
  const day = weekdayName(weekday);
  const weeks = nth === 2 ? `every other ${day}` : `every ${nth} weeks on ${day}`;
  const month = `every ${nth}${ordinalSuffix(nth)} ${day} of the month`;
  return {
    unclear: `it has two meanings; "${weeks}" and "${month}" have one each`,
    either: [weekly([weekday], nth), monthly({ nth: { nth, weekday } })],
  };
}

const noTimeOfDay = (clock: string): Meaning => ({
  unclear: `${clock} is no time of day; "17:30" and "5:30 pm" are`,
});

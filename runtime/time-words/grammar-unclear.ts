import { clockOf } from "./grammar-clock.js";
import type { TimeGrammar } from "./grammar-names.js";
import { weekly } from "./grammar-repeat.js";
import type { Meaning } from "./meaning.js";
import { listText, ordinalSuffix, weekdayName } from "./wall-time.js";

/** Why a phrase fixes no time, with what would. */
const WEEKEND = 'a weekend is two days; "saturday at 10am" is one time';
const END_OF_WEEK = 'people mean several days by that; "friday at 5pm" is one time';
const DEADLINE = 'until then is no point in time; name one, as "friday at 9am"';
const NO_END = 'what recurs has no end here; say "every day at 8am", and delete the task when it is over';
const STRETCH = 'it is a stretch of time; name one time in it, as "tomorrow at 8am"';
const NO_HOUR = 'the house does not know its hour; "every day at 7am" names one';
const NO_NUMBER = 'it says no number; "in 3 hours" does';
const NO_HOURS = 'it says no hours; "every day at 8am and 6pm" and "every monday and thursday at 9am" do';

/** What people say often and what fixes no time. It is understood as far as that, so that the refusal can say what would be clear. */
export function addUnclear(grammar: TimeGrammar): void {
  addStretches(grammar);
  addAmountsWithoutNumber(grammar);
  grammar
    .rule("piece", "on|from? {weekdayList}", (days) =>
      days.length > 1 ? severalDays(listText(days.map(weekdayName))) : undefined,
    )
    .rule("piece", "on|from? {weekday} to|through|- {weekday}", (first, last) =>
      severalDays(rangeText(first, last)),
    )
    .rule("piece", "later", unclear('it names no hour, as "in 2 hours" and "tomorrow at 5pm" do'))
    .rule(
      "piece",
      "soon|asap|sometime|someday|eventually",
      unclear('it names no time; "tomorrow at 5pm" does'),
    )
    .rule("piece", "first thing", unclear('it names no hour, as "tomorrow at 7am" does'))
    .rule(
      "piece",
      "at|before|after|around? sunrise|sunset|dawn|dusk|breakfast|lunch|lunchtime|dinner|bedtime time?",
      unclear(NO_HOUR),
    )
    .rule("piece", "on? 24 / 7", unclear('it means always; "every hour" recurs, and "24 july" is a day'))
    .rule("piece", "at|around|about? half {number}", (n) =>
      n >= 1 && n <= 12 ? { unclear: `say "half past ${n}", or the hour and the minutes` } : undefined,
    )
    .rule("piece", "every {ordinal} {weekday}", (n, weekday) =>
      n >= 2 && n <= 4 ? eitherNth(n, weekday) : undefined,
    )
    .rule("piece", "at|by|around|about? {digits} ~: ~{digits} {meridiem}?", (hour, minute, half) =>
      clockOf(hour, minute, "", half) ? undefined : noTimeOfDay(`${hour}:${minute}${half ? ` ${half}` : ""}`),
    )
    .rule("piece", "biweekly|bimonthly|biannually", unclear('it has two meanings; "every 2 weeks" has one'))
    .rule("piece", "{timesOf} a|per|every|each {repeatUnit}", unclear(NO_HOURS));
}

function addStretches(grammar: TimeGrammar): void {
  grammar
    .rule("piece", "by|before {pieces}", unclear(DEADLINE))
    .rule("piece", "until|till {pieces}", unclear(NO_END))
    .rule("piece", "no later than {pieces}", unclear(DEADLINE))
    .rule("piece", "within {amount}", unclear(DEADLINE))
    .rule("piece", "in less|more than {amount}", unclear(DEADLINE))
    .rule("phrase", "{pieces} or {pieces} .?", unclear('they are two times; say one, as "saturday at 10am"'))
    .rule("piece", "from? {clock} to|until|till|- {clock}", unclear(STRETCH))
    .rule("piece", "between {clocks}", (clocks) => (clocks.length === 2 ? { unclear: STRETCH } : undefined))
    .rule("piece", "on|at|over? the|this|next weekend", unclear(WEEKEND))
    .rule("piece", "this week", unclear('a week is seven days; "friday at 5pm" is one time'))
    .rule("piece", "next week", unclear('a week is seven days; "monday of next week" is one of them'))
    .rule("piece", "this month", unclear('a month is many days; "the last day of the month" is one of them'))
    .rule("piece", "next month", unclear('a month is many days; "the 1st of next month" is one of them'))
    .rule("piece", "next year", unclear('a year is many days; "1 june at 9am" is one time'))
    .rule("piece", "at|by|before? the? end of the|this month", endOf("the month"))
    .rule("piece", "at|by|before? the? end of next month", endOf("next month"))
    .rule("piece", "at? the? end of every|each month", unclear('"the last day of every month" is one day'))
    .rule(
      "piece",
      "at|in? the? beginning|start|middle of {monthOf}",
      unclear('name the day, as "on the 5th"'),
    )
    .rule("piece", "at|by|before? the? end of the|this|next week", unclear(END_OF_WEEK))
    .rule("piece", "at? the? end of the|this day", unclear('say the hour, as "today at 6pm"'));
}

function addAmountsWithoutNumber(grammar: TimeGrammar): void {
  grammar
    .rule("piece", "in a? few|several|some {unit}", unclear(NO_NUMBER))
    .rule("piece", "in a while|bit|moment", unclear(NO_NUMBER))
    .rule(
      "piece",
      "in {number} to|or|- {number} {unit}",
      unclear('they are two lengths of time; say one, as "in 3 hours"'),
    )
    .rule("piece", "in an hour|day|week or two|so", unclear('it is no exact length of time; "in 2 hours" is'))
    .rule("piece", "every few|couple {repeatUnit}", unclear('it says no number; "every 3 days" does'));
}

const unclear = (why: string) => (): Meaning => ({ unclear: why });

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
    either: [weekly([weekday], nth), { unit: "month", interval: 1, nth: { nth, weekday } }],
  };
}

const noTimeOfDay = (clock: string): Meaning => ({
  unclear: `${clock} is no time of day; "17:30" and "5:30 pm" are`,
});

const endOf = (month: string) => (): Meaning => ({
  unclear: `it can be any of the last days; "the last day of ${month}" is one of them`,
});

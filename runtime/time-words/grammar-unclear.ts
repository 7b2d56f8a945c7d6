import { listText, weekdayName } from "./calendar-words.js";
import type { TimeGrammar } from "./grammar-names.js";
import type { Meaning } from "./meaning.js";

const WEEKEND = 'a weekend is two days; "saturday at 10am" is one time';
const END_OF_WEEK = 'people mean several days by that; "friday at 5pm" is one time';

/** What people say often and what fixes no time. It is understood as far as that, so that the refusal can say what would be clear. */
export function addUnclear(grammar: TimeGrammar): void {
  const unclear = (why: string) => (): Meaning => ({ unclear: why });
  grammar
    .rule("piece", "on|from? {weekdayList}", (days) =>
      days.length > 1 ? severalDays(listText(days.map(weekdayName))) : undefined,
    )
    .rule("piece", "on|from? {weekday} to|through|- {weekday}", (first, last) =>
      severalDays(first < last ? `${weekdayName(first)} to ${weekdayName(last)}` : "day"),
    )
    .rule("piece", "later", unclear('it names no hour, as "in 2 hours" and "tomorrow at 5pm" do'))
    .rule("piece", "first thing", unclear('it names no hour, as "tomorrow at 7am" does'))
    .rule("piece", "on|at|over? the|this|next weekend", unclear(WEEKEND))
    .rule("piece", "this week", unclear('a week is seven days; "friday at 5pm" is one time'))
    .rule("piece", "next week", unclear('a week is seven days; "monday of next week" is one of them'))
    .rule("piece", "this month", unclear('a month is many days; "the last day of the month" is one of them'))
    .rule("piece", "next month", unclear('a month is many days; "the 1st of next month" is one of them'))
    .rule("piece", "at|by|before? the? end of the|this month", endOf("the month"))
    .rule("piece", "at|by|before? the? end of next month", endOf("next month"))
    .rule("piece", "at|by|before? the? end of the|this|next week", unclear(END_OF_WEEK));
}

const severalDays = (days: string): Meaning => ({
  unclear: `they are several days; each week is "every ${days}", and for one time name one day`,
});

const endOf = (month: string) => (): Meaning => ({
  unclear: `it can be any of the last days; "the last day of ${month}" is one of them`,
});

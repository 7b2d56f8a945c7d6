import { excerpt, TendrilError } from "../../errors.js";
import { isSubdaily, parseRule, ruleText } from "../../time-words/recurrence.js";
import { DAY_SECONDS, dateOf, WallZone, weekdayOf } from "../../time-words/wall-time.js";

/**
 * A recurrence with all that it leaves to its first time: the hour and minute, the day of the week, month or year.
 * Throws INVALID_ARGUMENT for a rule that is not known here.
 */
export function recurrenceFrom(given: string, first: string, zone: string): string {
  const text = given
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "");
  try {
    const rule = parseRule(text);
    if (isSubdaily(rule)) return ruleText(rule);
    const wall = new WallZone(zone).wallOf(Date.parse(first) / 1000);
    const day = Math.floor(wall / DAY_SECONDS);
    const seconds = wall - day * DAY_SECONDS;
    const { month, day: monthDay } = dateOf(day);
    const hasDay = rule.weekdays !== undefined || rule.monthDays !== undefined;
    return ruleText({
      ...rule,
      ...(rule.freq === "WEEKLY" && !hasDay && { weekdays: [{ weekday: weekdayOf(day) }] }),
      ...((rule.freq === "MONTHLY" || rule.freq === "YEARLY") && !hasDay && { monthDays: [monthDay] }),
      ...(rule.freq === "YEARLY" && rule.month === undefined && { month }),
      hours: rule.hours ?? [Math.floor(seconds / 3600)],
      minute: rule.minute ?? Math.floor((seconds % 3600) / 60),
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const what = `recurrence is not a rule that is known here (got "${excerpt(given)}"): FREQ, INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYHOUR and BYMINUTE are`;
    throw new TendrilError("INVALID_ARGUMENT", what);
  }
}

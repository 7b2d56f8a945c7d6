import { excerpt, TendrilError } from "../../errors.js";
import { isSubdaily, parseRule, ruleText } from "../../time-words/recurrence.js";
import { DAY_SECONDS, dateOf, WallZone, weekdayOf } from "../../time-words/wall-time.js";
import { parseIso } from "../../tools/iso-time.js";

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;

/** Epoch milliseconds of an ISO 8601 text; without an offset it is a time of this zone. Undefined for any other text. */
export function instantIn(text: string, zone: string): number | undefined {
  const at = parseIso(text);
  const isDay = !text.includes(":");
  if (at === undefined || (!isDay && OFFSET.test(text.trim()))) return at;
  return new WallZone(zone).instantOf(Math.floor(at / 1000)) * 1000 + (at % 1000);
}

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

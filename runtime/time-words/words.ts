import {
  clockText,
  dayText,
  listText,
  momentText,
  monthName,
  ordinalSuffix,
  weekdayName,
} from "./calendar-words.js";
import { isSubdaily, type RecurrenceRule } from "./recurrence.js";
import { DAY_SECONDS, type WallZone } from "./wall-time.js";

/**
 * How a time was understood, in words that are understood in the same way again: "Thursday 26 November 2026 at 09:00
 * (Europe/Berlin)", "every 2 weeks on Monday at 07:00, starting Monday 30 November 2026 (Europe/Berlin)".
 */
export function wordsOf(at: number, rule: RecurrenceRule | null, zone: WallZone): string {
  if (!rule) return momentText(at, zone);
  const wall = zone.wallOf(at);
  const day = Math.floor(wall / DAY_SECONDS);
  if (isSubdaily(rule)) return `${daysText(rule)}, starting ${momentText(at, zone)}`;
  return `${daysText(rule)} at ${timesText(rule)}, starting ${dayText(day)} (${zone.name})`;
}

const timesText = ({ hours = [], minute = 0 }: RecurrenceRule): string =>
  listText(hours.map((hour) => clockText(hour * 3600 + minute * 60)));

/** "every day", "every 2 weeks on Monday and Friday", "on the 1st and 15th of every month" */
function daysText(rule: RecurrenceRule): string {
  const { freq, interval, month, monthDays = [1], weekdays = [] } = rule;
  switch (freq) {
    case "MINUTELY":
      return everyText(interval, "minute");
    case "HOURLY":
      return everyText(interval, "hour");
    case "DAILY":
      return everyText(interval, "day");
    case "WEEKLY":
      return `${everyText(interval, "week")} on ${listText(weekdays.map(({ weekday }) => weekdayName(weekday)))}`;
    case "MONTHLY":
      return `${everyText(interval, "month")} on ${dayOfMonthText(rule)}`;
    case "YEARLY":
      return `${everyText(interval, "year")} on ${monthDays[0]} ${monthName(month ?? 1)}`;
  }
}

const everyText = (interval: number, unit: string): string =>
  interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;

function dayOfMonthText({ monthDays, weekdays }: RecurrenceRule): string {
  const [nth] = weekdays ?? [];
  if (nth) return `the ${nthText(nth.nth ?? 1)} ${weekdayName(nth.weekday)}`;
  return `the ${listText((monthDays ?? []).map((day) => (day < 0 ? "last day" : nthText(day))))}`;
}

const nthText = (n: number): string => (n < 0 ? "last" : `${n}${ordinalSuffix(n)}`);

import type { RecurrenceUnit, Words } from "./words.js";

const UNITS: Readonly<Record<string, RecurrenceUnit>> = {
  MINUTELY: "minute",
  HOURLY: "hour",
  DAILY: "day",
  WEEKLY: "week",
  MONTHLY: "month",
  YEARLY: "year",
};

/** In the order of 1 to 7 January 2024, which began with a Monday. */
const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** A rule of RFC 5545 in words: "every 2 weeks on Monday at 07:00". A rule that it cannot read is shown as it is. */
export function recurrenceInWords(rule: string, words: Words): string {
  const parts = new Map(rule.split(";").map((part) => part.split("=", 2) as [string, string]));
  const unit = UNITS[parts.get("FREQ") ?? ""];
  if (unit === undefined || [...parts.keys()].some((key) => !READ.includes(key))) return rule;
  const of = (key: string) => parts.get(key)?.split(",") ?? [];
  const days = of("BYDAY").map((day) => weekday(day, words));
  const monthDays = of("BYMONTHDAY").map((day) => words.dayOfMonth(day === "-1" ? undefined : Number(day)));
  const minute = (parts.get("BYMINUTE") ?? "0").padStart(2, "0");
  const times = of("BYHOUR").map((hour) => `${hour.padStart(2, "0")}:${minute}`);
  const list = new Intl.ListFormat(words.language);
  return [
    words.every(Number(parts.get("INTERVAL") ?? 1), unit),
    ...(days.length > 0 ? [words.onDays(list.format(days))] : []),
    ...(monthDays.length > 0 ? [words.onMonthDays(list.format(monthDays))] : []),
    ...(times.length > 0 ? [words.atTimes(list.format(times))] : []),
  ].join(" ");
}

const READ = ["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "BYHOUR", "BYMINUTE", "BYSECOND", "WKST"];

/** "MO" as "Monday", "2MO" as "2nd Monday", "-1MO" as "last Monday". */
function weekday(day: string, words: Words): string {
  const at = WEEKDAYS.indexOf(day.slice(-2));
  const name = new Intl.DateTimeFormat(words.language, { weekday: "long", timeZone: "UTC" }).format(
    Date.UTC(2024, 0, 1 + at),
  );
  const nth = day.slice(0, -2);
  return nth === "" ? name : words.nthDay(Number(nth), name);
}

import { DAY_SECONDS, type Day, dateOf, offsetName, type WallZone, weekdayOf } from "./wall-time.js";

const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** 0 is Monday. */
export const weekdayName = (weekday: number): string => WEEKDAYS[weekday] ?? "";
/** 1 is January. */
export const monthName = (month: number): string => MONTHS[month - 1] ?? "";

/** "26 November 2026" */
export function dateText(day: Day): string {
  const date = dateOf(day);
  return `${date.day} ${monthName(date.month)} ${date.year}`;
}

/** "Thursday 26 November 2026" */
export const dayText = (day: Day): string => `${weekdayName(weekdayOf(day))} ${dateText(day)}`;

const two = (n: number) => String(n).padStart(2, "0");

/** Of seconds since midnight: "09:00", or "09:00:30" where there are seconds. */
export function clockText(seconds: number): string {
  const [hour, minute, second] = [
    Math.floor(seconds / 3600),
    Math.floor((seconds % 3600) / 60),
    seconds % 60,
  ];
  return `${two(hour)}:${two(minute)}${second ? `:${two(second)}` : ""}`;
}

/** "Thursday 26 November 2026 at 09:00 (Europe/Berlin)"; with the offset where the clocks show this time twice. */
export function momentText(at: number, zone: WallZone): string {
  const wall = zone.wallOf(at);
  const day = Math.floor(wall / DAY_SECONDS);
  const isTwice = zone.instantsOf(wall).length > 1;
  const place = isTwice ? offsetName(zone.offsetAt(at)) : zone.name;
  return `${dayText(day)} at ${clockText(wall - day * DAY_SECONDS)} (${place})`;
}

const SUFFIXES = ["th", "st", "nd", "rd"];

/** "st" of 1st */
export function ordinalSuffix(n: number): string {
  const isTeen = n % 100 > 10 && n % 100 < 14;
  return (isTeen ? undefined : SUFFIXES[n % 10]) ?? "th";
}

/** "Monday, Tuesday and Friday" */
export const listText = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

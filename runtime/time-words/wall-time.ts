import { HouseTime, isZone, listedName } from "../wire/house-time.js";

/**
 * Calendar days and clocks on the wall. A `Day` is a whole number of days since 1970-01-01. A wall time is a number of seconds since
 * 1970-01-01T00:00 as the clock on the wall shows it. An instant is a number of seconds since 1970-01-01T00:00 UTC.
 */
export type Day = number;

export const DAY_SECONDS = 86_400;

interface CalendarDate {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  /** 1 to 31 */
  readonly day: number;
}

export function dateOf(day: Day): CalendarDate {
  const date = new Date(day * DAY_SECONDS * 1000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The day of a date, or undefined where there is no such date, as 30 February. */
export function dayOf({ year, month, day }: CalendarDate): Day | undefined {
  const found = Date.UTC(year, month - 1, day) / 1000 / DAY_SECONDS;
  const real = dateOf(found);
  return real.month === month && real.day === day ? found : undefined;
}

/** 0 is Monday, 6 is Sunday: the week begins on Monday (ISO 8601). 1970-01-01 was a Thursday. */
export const weekdayOf = (day: Day): number => (((day + 3) % 7) + 7) % 7;

/** Months since January of the year 0. */
export const monthIndexOf = (day: Day): number => {
  const { year, month } = dateOf(day);
  return year * 12 + month - 1;
};

export const daysInMonth = (monthIndex: number): number => dateOf(firstOfMonth(monthIndex + 1) - 1).day;

export const firstOfMonth = (monthIndex: number): Day =>
  Date.UTC(Math.floor(monthIndex / 12), monthIndex % 12, 1) / 1000 / DAY_SECONDS;

/** The same day of the month, so many months later. Undefined where that month is too short. */
export function addMonths(day: Day, months: number): Day | undefined {
  const month = monthIndexOf(day) + months;
  const dom = dateOf(day).day;
  return dom <= daysInMonth(month) ? firstOfMonth(month) + dom - 1 : undefined;
}

/** The nth weekday of a month; -1 is the last. Undefined where the month has fewer. */
export function nthWeekday(monthIndex: number, nth: number, weekday: number): Day | undefined {
  const first = firstOfMonth(monthIndex);
  const last = firstOfMonth(monthIndex + 1) - 1;
  const found =
    nth > 0
      ? first + ((weekday - weekdayOf(first) + 7) % 7) + (nth - 1) * 7
      : last - ((weekdayOf(last) - weekday + 7) % 7) + (nth + 1) * 7;
  return found >= first && found <= last ? found : undefined;
}

const OFFSET = /^(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?$/i;
/** No zone in use is further from UTC. */
const FURTHEST_OFFSET = 14 * 3600;

/** Seconds east of UTC of "+02:00", "UTC-3", "Z"; undefined for what is no fixed offset. */
function fixedOffset(name: string): number | undefined {
  if (/^(z|utc|gmt)$/i.test(name)) return 0;
  const [, sign, hours, minutes = "0"] = OFFSET.exec(name) ?? [];
  if (hours === undefined || Number(minutes) > 59) return undefined;
  const offset = Number(hours) * 3600 + Number(minutes) * 60;
  return offset > FURTHEST_OFFSET ? undefined : sign === "-" ? -offset : offset;
}

/** "UTC+02:00" */
function offsetName(offset: number): string {
  if (offset === 0) return "UTC";
  const minutes = Math.abs(offset) / 60;
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  return `UTC${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}

/** What the clocks of a place show: an IANA zone with its summer time, or a fixed offset such as "-02:00". */
export class WallZone {
  private readonly fixed: number | undefined;
  private readonly zone: HouseTime | undefined;
  /** The IANA name, or "UTC+02:00". */
  readonly name: string;

  /** Throws RangeError for a name that is neither. */
  constructor(name: string) {
    this.fixed = fixedOffset(name);
    if (this.fixed === undefined && !isZone(name)) throw new RangeError(`no time zone is called ${name}`);
    this.zone = this.fixed === undefined ? new HouseTime(name) : undefined;
    this.name = this.fixed === undefined ? listedName(name) : offsetName(this.fixed);
  }

  /** What the clocks show at an instant. */
  wallOf(instant: number): number {
    if (!this.zone) return instant + (this.fixed ?? 0);
    return Math.floor(this.zone.wallOf(instant * 1000).getTime() / 1000);
  }

  offsetAt(instant: number): number {
    return this.wallOf(instant) - instant;
  }

  /** When the clocks show this: one instant mostly, none where they were set forward over it, two where they were set back. */
  instantsOf(wall: number): readonly number[] {
    return this.offsetsAround(wall)
      .map((offset) => wall - offset)
      .filter((instant) => this.wallOf(instant) === wall);
  }

  /**
   * One instant for each wall time. Of two the first; a time that the clocks leave out is counted with the offset of before
   * (RFC 5545, 3.3.5).
   */
  instantOf(wall: number): number {
    return this.instantsOf(wall)[0] ?? wall - this.offsetAt(wall - DAY_SECONDS);
  }

  /** The offsets in force a day before and a day after, the first instant's first. No zone changes twice within two days. */
  private offsetsAround(wall: number): readonly number[] {
    const offsets = [wall - DAY_SECONDS, wall + DAY_SECONDS].map((near) => this.offsetAt(near));
    return [...new Set(offsets)].sort((a, b) => b - a);
  }
}

/** What people call the time of a place: hours east of UTC, and the place whose clocks go by it for a part of the year. */
const ABBREVIATIONS: Readonly<
  Record<string, readonly { readonly offset: number; readonly place: string }[]>
> = {
  cet: [{ offset: 1, place: "Europe/Berlin" }],
  cest: [{ offset: 2, place: "Europe/Berlin" }],
  bst: [{ offset: 1, place: "Europe/London" }],
  pst: [{ offset: -8, place: "America/Los_Angeles" }],
  pdt: [{ offset: -7, place: "America/Los_Angeles" }],
  mst: [{ offset: -7, place: "America/Denver" }],
  mdt: [{ offset: -6, place: "America/Denver" }],
  cdt: [{ offset: -5, place: "America/Chicago" }],
  est: [{ offset: -5, place: "America/New_York" }],
  edt: [{ offset: -4, place: "America/New_York" }],
  cst: [
    { offset: -6, place: "America/Chicago" },
    { offset: 8, place: "Asia/Shanghai" },
  ],
  ist: [
    { offset: 5.5, place: "Asia/Kolkata" },
    { offset: 2, place: "Asia/Jerusalem" },
  ],
};

export const ZONE_ABBREVIATIONS: ReadonlySet<string> = new Set([
  ...Object.keys(ABBREVIATIONS),
  "utc",
  "gmt",
  "z",
]);

/**
 * The zones that a word can mean. In summer "PST" is the time of California to most people and an hour later to the
 * letter: both are kept, and where they differ the phrase is ambiguous. Undefined for what is no zone.
 */
export function zonesNamed(word: string): readonly WallZone[] | undefined {
  const known = ABBREVIATIONS[word];
  if (!known) return zoneOrNone(word);
  return known.flatMap(({ offset, place }) => [new WallZone(offsetName(offset * 3600)), new WallZone(place)]);
}

function zoneOrNone(word: string): readonly WallZone[] | undefined {
  try {
    return [new WallZone(word)];
  } catch {
    return undefined;
  }
}

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

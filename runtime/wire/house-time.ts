/** Milliseconds, in UTC. */
const DAY = 86_400_000;
const HOUR = 3_600_000;

/** To make one takes twenty times as long as to use it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  formats.set(zone, format);
  return format;
}

/** Times as people in the house read them. Records, the wire and counts by day stay in UTC. */
export class HouseTime {
  private readonly format: Intl.DateTimeFormat;

  /** `zone`: an IANA name. Throws RangeError for any other name. */
  constructor(readonly zone: string = "UTC") {
    this.format = formatFor(zone);
  }

  /** "2026-11-23" */
  day(at: string | number): string {
    const { year, month, day } = this.partsOf(at);
    return `${year?.padStart(4, "0")}-${month}-${day}`;
  }

  /** The last days of the calendar, oldest first, the one of `at` included. A day of 23 or 25 hours is one day. */
  lastDays(count: number, at: string | number): readonly string[] {
    const today = Date.parse(`${this.day(at)}T00:00:00Z`);
    const utc = new HouseTime();
    return Array.from({ length: count }, (_, index) => utc.day(today - (count - 1 - index) * DAY));
  }

  /** The first instant of the next day, in milliseconds: 23 to 25 hours on, where the clocks change. */
  endOfDay(from: number): number {
    const day = this.day(from);
    let [low, high] = [from, from + DAY + 2 * HOUR];
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2000) * 1000;
      if (this.day(middle) === day) low = middle;
      else high = middle;
    }
    return Math.ceil(high / 1000) * 1000;
  }

  /** "14:05" */
  clock(at: string | number): string {
    const { hour, minute } = this.partsOf(at);
    return `${hour}:${minute}`;
  }

  /** "2026-11-23 14:05" */
  minute(at: string | number): string {
    return `${this.day(at)} ${this.clock(at)}`;
  }

  private partsOf(at: string | number): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
    const parts = this.format.formatToParts(typeof at === "string" ? Date.parse(at) : at);
    return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  }
}

/** Whether this computer knows the time zone. */
export function isZone(zone: string): boolean {
  try {
    return new HouseTime(zone).zone === zone;
  } catch {
    return false;
  }
}

/** The house's time; UTC if this computer does not know the zone. */
export const houseTimeOf = (zone: string): HouseTime => new HouseTime(isZone(zone) ? zone : "UTC");

/** Replaces UTC times in a text by the house's time, or a person's. */
export const timesIn = (text: string, time: HouseTime): string =>
  text.replaceAll(
    /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z/g,
    (at) => `${time.minute(at)} ${time.zone}`,
  );

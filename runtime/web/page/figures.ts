import type { PouredDose } from "../../wire/plants.js";

/** Figures and times as people read them. Ages are by the runtime's clock: from its time to its time. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A choice: the probe is read every minute by default; after a quarter of an hour something is wrong. */
export const STALE = 15 * MINUTE;
/** A photo is of a care cycle: older than a day, the plant may look different. A choice. */
export const STALE_PHOTO = DAY;

export const at = (iso: string): number => Date.parse(iso);

/** Milliseconds from one time of the runtime to another, never below zero. */
export const age = (iso: string, now: string): number => Math.max(0, at(now) - at(iso));

/** The greatest unit that fits: "4 min", "3 h", "2 d". */
export function span(ms: number): string {
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

export const oneDecimal = (value: number): string => value.toFixed(1);
/** As most languages write it. */
export const oneComma = (value: number): string => oneDecimal(value).replace(".", ",");
/** Characters of a mail's text in a question, as the runtime's own words have them. */
const LONGEST_QUOTE = 300;

/** `characters`: the word for them. */
export function beginning(text: unknown, characters: string): string {
  const all = [...String(text)];
  const cut = all.length > LONGEST_QUOTE ? `… (${all.length} ${characters})` : "";
  return `${all.slice(0, LONGEST_QUOTE).join("")}${cut}`;
}

export const whole = (value: number): string => String(Math.round(value));

/** A time as the runtime writes it. */
const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z/g;

const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const DATE = { day: "numeric", month: "short" } as const;
const FORMATS = {
  clock: TIME,
  day: DATE,
  minute: { ...DATE, ...TIME },
  weekday: { ...DATE, weekday: "short" },
} as const;
type Format = keyof typeof FORMATS;

/** A date that is this far away is written with its year. A choice: eleven months, so that no two days look the same. */
const FAR = 335 * DAY;

/** Times of the house's zone, whatever the browser's is. */
export class HouseClock {
  /** Those that were used: on a slow processor one takes milliseconds to make, and the first view needs few. */
  private readonly formats = new Map<string, Intl.DateTimeFormat>();
  /** The runtime's time, epoch milliseconds: whoever draws the page sets it. */
  now = 0;

  constructor(
    readonly zone: string,
    private readonly language: string,
  ) {}

  private format(name: Format, ms: number, now = this.now): string {
    const year = name !== "clock" && Math.abs(ms - now) > FAR ? ({ year: "numeric" } as const) : {};
    const key = `${name} ${year.year}`;
    const known = this.formats.get(key);
    if (known) return known.format(ms);
    const options = { timeZone: this.zone, ...FORMATS[name], ...year };
    const made = new Intl.DateTimeFormat(this.language, options);
    this.formats.set(key, made);
    return made.format(ms);
  }

  /** "14:05" */
  clock(ms: number): string {
    return this.format("clock", ms);
  }

  /** "23 Nov" */
  day(ms: number): string {
    return this.format("day", ms);
  }

  /** "23 Nov, 14:05" */
  minute(ms: number, now = this.now): string {
    return this.format("minute", ms, now);
  }

  /** When its day began; also on a day with a change of the clocks. */
  midnight(ms: number): number {
    const guess = ms - (ms % MINUTE) - this.minutes(ms);
    const off = this.minutes(guess);
    return off > DAY / 2 ? guess + (DAY - off) : guess - off;
  }

  /** Since midnight by the clock on the wall, in milliseconds. */
  private minutes(ms: number): number {
    const [hours = 0, minutes = 0] = this.clock(ms).split(":").map(Number);
    return (hours * 60 + minutes) * MINUTE;
  }

  weekday(ms: number): string {
    return this.format("weekday", ms);
  }

  /** A text of the runtime or an agent, with its ISO times as people read them. */
  inText(text: string, now: number): string {
    return text.replace(ISO, (iso) => this.near(at(iso), now));
  }

  /** The time of day, with the day if it is not that of `now`. */
  near(ms: number, now: number): string {
    return this.midnight(ms) === this.midnight(now) ? this.clock(ms) : this.minute(ms, now);
  }
}

/** Milliseconds of a film, at least, and of one picture, at least. Choices: two photos can be seen, and a year has an end. */
const FILM = 5000;
const PICTURE = 200;

/** Milliseconds that a film of so many pictures shows each. */
export const pictureTime = (pictures: number): number => Math.max(PICTURE, Math.ceil(FILM / pictures));

/** When the budget grows next, and by how much: the oldest dose of the last 24 hours leaves them then. */
export function budgetGrows(
  doses: readonly PouredDose[],
  now: string,
): { at: number; ml: number } | undefined {
  const counted = doses.filter(
    ({ timestamp, ml_dispensed }) => ml_dispensed > 0 && age(timestamp, now) < DAY,
  );
  const [oldest] = counted.sort((a, b) => at(a.timestamp) - at(b.timestamp));
  return oldest && { at: at(oldest.timestamp) + DAY, ml: oldest.ml_dispensed };
}

/** A signed link of the runtime, on the page's own address: the runtime may have several, and the page shows its own alone. */
export function ownPath(url: string): string {
  const { pathname, search } = new URL(url, "http://runtime");
  return pathname + search;
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Milliseconds, in UTC. */
const DAY = 86_400_000;
const HOUR = 3_600_000;

/** What Intl needs for the first one takes 8 MB, and to make one takes twenty times as long as to use it. */
const formats = new Map<string, Intl.DateTimeFormat>();
const files = new Map<string, ZoneFile | undefined>();
let names: ReadonlySet<string> | undefined;

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
    second: "2-digit",
  });
  formats.set(zone, format);
  return format;
}

/** Whether Intl lists this name of a zone. It lists one of several. */
function isListed(zone: string): boolean {
  names ??= new Set(Intl.supportedValuesOf("timeZone"));
  return names.has(zone);
}

/** The file of a zone that Intl knows too, by a name that it lists. */
function fileOf(zone: string): ZoneFile | undefined {
  if (!files.has(zone)) files.set(zone, isListed(zone) ? ZoneFile.read(zone) : undefined);
  return files.get(zone);
}

/** The name under which Intl lists a zone that this computer knows. */
export const listedName = (zone: string): string =>
  isListed(zone) ? zone : formatFor(zone).resolvedOptions().timeZone;

/** Times as people in the house read them. Records, the wire and counts by day stay in UTC. */
export class HouseTime {
  private readonly file: ZoneFile | undefined;

  /** `zone`: an IANA name. Throws RangeError for any other name. */
  constructor(readonly zone: string = "UTC") {
    if (zone === "UTC") return;
    this.file = fileOf(zone);
    if (!this.file) formatFor(zone);
  }

  /** "2026-11-23" */
  day(at: string | number): string {
    return this.shown(at).slice(0, "2026-11-23".length);
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
    return this.shown(at).slice("2026-11-23T".length, "2026-11-23T14:05".length);
  }

  /** "2026-11-23 14:05" */
  minute(at: string | number): string {
    return `${this.day(at)} ${this.clock(at)}`;
  }

  /** What the clocks show, as the UTC of a date. */
  wallOf(instant: number): Date {
    const offset = this.zone === "UTC" ? 0 : this.file?.offsetAt(instant / 1000);
    return new Date(offset === undefined ? this.wallByIntl(instant) : instant + offset * 1000);
  }

  private shown(at: string | number): string {
    return this.wallOf(typeof at === "string" ? Date.parse(at) : at).toISOString();
  }

  private wallByIntl(instant: number): number {
    const parts = formatFor(this.zone).formatToParts(instant);
    const { year, month, day, hour, minute, second } = Object.fromEntries(
      parts.map(({ type, value }) => [type, value]),
    );
    const milliseconds = instant - Math.floor(instant / 1000) * 1000; // also before 1970
    return (
      Date.parse(`${year?.padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}Z`) + milliseconds
    );
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

/** Replaces the UTC times in a text by what `say` makes of them. */
export const replaceTimes = (text: string, say: (iso: string) => string): string =>
  text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z/g, say);

/** Replaces UTC times in a text by the house's time, or a person's. */
export const timesIn = (text: string, time: HouseTime): string =>
  replaceTimes(text, (at) => `${time.minute(at)} ${time.zone}`);

/** Where Linux and macOS have a file for each time zone. */
const FOLDER = "/usr/share/zoneinfo";
/** RFC 9636, 3.1: "TZif", a version, 15 bytes that are reserved, six counts. */
const HEADER = 44;
const COUNTS = ["utc", "standard", "leap", "change", "type", "letter"] as const;
type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

/** When the clocks of a zone changed, as its file says (RFC 9636). It takes 10 kB where Intl takes 8 MB: docs/performance.md. */
export class ZoneFile {
  private constructor(
    /** Seconds since 1970. */
    private readonly changes: readonly number[],
    /** Seconds east of UTC: before the first change, then from each on. */
    private readonly offsets: readonly number[],
    private readonly goesOn: boolean,
  ) {}

  /** Undefined where this computer has no such file. `zone` must be the name of a zone. */
  static read(zone: string): ZoneFile | undefined {
    try {
      return ZoneFile.parse(readFileSync(join(FOLDER, zone)));
    } catch {
      return undefined; // whoever asks does without
    }
  }

  /** Undefined for what is no file of version 2 or later. */
  static parse(file: Buffer): ZoneFile | undefined {
    if (file.toString("latin1", 0, 4) !== "TZif" || file.toString("latin1", 4, 5) < "2") return undefined;
    const start = HEADER + lengthOf(countsAt(file, 0), 4); // the same in 32 bits, for programs of old
    const counts = countsAt(file, start);
    const times = start + HEADER;
    const kinds = times + 8 * counts.change;
    const types = kinds + counts.change;
    const offsetOf = (type: number) => file.readInt32BE(types + 6 * type);
    const each = Array.from({ length: counts.change }, (_, at) => at);
    return new ZoneFile(
      each.map((at) => Number(file.readBigInt64BE(times + 8 * at))),
      [offsetOf(0), ...each.map((at) => offsetOf(file[kinds + at] ?? 0))],
      file.includes(",", times + lengthOf(counts, 8)), // of the rule at its end, a comma begins the dates
    );
  }

  /** Seconds east of UTC. Undefined after the last change that the file has, if the clocks go on changing. */
  offsetAt(seconds: number): number | undefined {
    let [low, high] = [0, this.changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.changes[middle] ?? 0) <= seconds) low = middle + 1;
      else high = middle;
    }
    return this.goesOn && low === this.changes.length ? undefined : this.offsets[low];
  }
}

function countsAt(file: Buffer, header: number): Counts {
  const counts = COUNTS.map((name, at) => [name, file.readUInt32BE(header + 20 + 4 * at)]);
  return Object.fromEntries(counts) as Counts;
}

/** Bytes behind a header whose times have `size` bytes. */
const lengthOf = ({ utc, standard, leap, change, type, letter }: Counts, size: 4 | 8): number =>
  change * (size + 1) + type * 6 + letter + leap * (size + 4) + standard + utc;

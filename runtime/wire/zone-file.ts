import { readFileSync } from "node:fs";
import { join } from "node:path";

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

import { readFileSync } from "node:fs";
import type { Gap } from "../board.js";
import { type Calibration, percentOf } from "../devices/soil-probe.js";
import { DriverError } from "../errors.js";
import { messageOf } from "../system-error.js";
import {
  type EpochMillis,
  hours,
  millilitres,
  minutes,
  type Percent,
  plus,
  type Volts,
  volts,
} from "../units.js";
import type { BenchPlant, Look, PlantSnapshot, PlantTruth } from "./bench-plant.js";
import { healthOf, hydrationOf, PEAT } from "./soil.js";

/** A row holds until the next one, but no longer than this: then the probe counts as unplugged. */
const GAP = minutes(5);
/** The last row holds as long as a row of such a recording does, one a minute. */
const LAST_ROW = minutes(1);

/** The recording without its gaps: each row after one comes as if the next minute had been recorded. */
export function withoutGaps([first, ...rows]: Recording): Recording {
  let [before, left] = [first.at as number, 0];
  const moved = rows.map((row) => {
    if (row.at - before > GAP) left += row.at - before - LAST_ROW;
    before = row.at;
    return { ...row, at: (row.at - left) as EpochMillis };
  });
  return [first, ...moved];
}

export function gapAt(recording: Recording, at: EpochMillis): Gap | undefined {
  const next = recording.findIndex((row) => row.at > at);
  const [before, after] = [recording[next - 1], recording[next]];
  if (!before || !after || at - before.at < GAP) return undefined;
  return { from: before.at, until: after.at };
}

/** When there is nothing left to replay. */
export const endOf = (recording: Recording): EpochMillis =>
  plus(lastBefore(recording)(Number.POSITIVE_INFINITY).at, LAST_ROW);

const NONE = millilitres(0);
const UNHARMED = {
  vigour: 100,
  stress: { drought: 0, waterlogging: 0, light: 0, temperature: 0 },
  lightIntegral: 0,
  water: { received: NONE, need: NONE, lost: NONE, drained: NONE },
};

/** A plant that somebody recorded. It is past and done: neither water nor light move it. */
export class RecordedPlant implements BenchPlant {
  private readonly rowAt: (at: number) => Row;

  constructor(
    recording: Recording,
    private readonly calibration: Calibration<Volts>,
  ) {
    this.rowAt = lastBefore(recording);
  }

  step(): void {}

  probe(at: EpochMillis): Volts | undefined {
    const row = this.rowAt(at);
    return at >= row.at && at - row.at < GAP ? row.volts : undefined;
  }

  /** In a gap, as it was before. */
  moisture(at: EpochMillis): Percent {
    return percentOf(this.rowAt(at).volts, this.calibration);
  }

  /** A recording has no pictures: the look follows the soil's reading. */
  look(at: EpochMillis): Look {
    const wetness = Math.max(0, Math.min(1, this.moisture(at) / 100));
    const turgor = Math.min(1, 0.3 + 2 * wetness);
    return { form: "leafy", canopy: 0.6, turgor, yellowing: 0, dead: false, soilWetness: wetness, ponded: 0 };
  }

  /** A recording has no truth: the water is taken from the probe, in peat; everything else counts as well. */
  truth(at: EpochMillis): PlantTruth {
    const wetness = Math.max(0, Math.min(1, this.moisture(at) / 100));
    const waterContent = PEAT.airDry + wetness * (PEAT.saturation - PEAT.airDry);
    const hydration = hydrationOf(waterContent, PEAT);
    return { waterContent, hydration, health: healthOf(hydration), ...UNHARMED };
  }

  /** There is nothing to remember but the clock. */
  snapshot(): PlantSnapshot | undefined {
    return undefined;
  }
}

/** Finds the last row at or before an instant by bisection; before all of them, the first. */
const lastBefore =
  (recording: Recording) =>
  (at: number): Row => {
    let [low, high] = [0, recording.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((recording[middle]?.at ?? Number.POSITIVE_INFINITY) <= at) low = middle;
      else high = middle - 1;
    }
    return recording[low] ?? recording[0];
  };

interface Row {
  readonly at: EpochMillis;
  readonly volts: Volts;
}

/** At least one row, in order of time. */
export type Recording = readonly [Row, ...Row[]];

/** What a probe can give and the ADC at ±4.096 V can show. */
const HIGHEST = volts(4.096);

/**
 * Reads a CSV with the columns `local_time` and `volts` (others are passed over), rows in order of time, times in
 * `zone`. Throws REPLAY_INVALID with file, line and reason: nothing broken is skipped.
 */
export function readRecording(file: string, zone: string): Recording {
  const [header = "", ...lines] = textOf(file)
    .replace(/^\uFEFF/, "")
    .replace(/\r?\n$/, "")
    .split(/\r?\n/);
  const parse = rowParser(header.split(","), zoneOf(file, zone), file);
  const rows: Row[] = [];
  for (const [index, line] of lines.entries()) {
    rows.push(located(file, index + 2, () => parse(line, rows.at(-1)?.at)));
  }
  const [first, ...rest] = rows;
  if (first) return [first, ...rest];
  throw invalid(file, "has no rows");
}

type ParseRow = (line: string, after: EpochMillis | undefined) => Row;

function rowParser(columns: readonly string[], instants: LocalTime, file: string): ParseRow {
  const [time, level] = ["local_time", "volts"].map((name) => columns.indexOf(name));
  if (time === undefined || level === undefined || time < 0 || level < 0) {
    throw invalid(
      file,
      `line 1: needs the columns local_time and volts, has ${columns.join(", ") || "nothing"}`,
    );
  }
  return (line, after) => {
    const fields = line.split(",");
    if (fields.length !== columns.length)
      throw new RangeError(`${fields.length} fields, not ${columns.length}`);
    return { at: instantOf(fields[time] ?? "", instants, after), volts: voltsOf(fields[level] ?? "") };
  };
}

/** In the hour that autumn repeats, the first instant that keeps the order. */
function instantOf(text: string, instants: LocalTime, after = Number.NEGATIVE_INFINITY): EpochMillis {
  const candidates = instants(text);
  const instant = candidates.find((at) => at > after);
  if (instant !== undefined) return instant;
  throw new RangeError(
    candidates.length === 0 ? `the clock skipped ${text} there` : `${text} is not later than the row before`,
  );
}

function voltsOf(text: string): Volts {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= 0 && value < HIGHEST) return volts(value);
  throw new RangeError(`volts is "${text}", not a number from 0 to below ${HIGHEST}`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw invalid(file, `cannot be read: ${messageOf(cause)}`, cause);
  }
}

function zoneOf(file: string, zone: string): LocalTime {
  try {
    return localTime(zone);
  } catch (cause) {
    throw invalid(
      file,
      `cannot be read in the zone "${zone}": it is neither UTC, nor an offset as +02:00, nor an IANA name`,
      cause,
    );
  }
}

function located<T>(file: string, line: number, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw invalid(file, `line ${line}: ${messageOf(cause)}`, cause);
  }
}

const invalid = (file: string, reason: string, cause?: unknown) =>
  new DriverError("REPLAY_INVALID", `${file} ${reason}`, { cause });

/** The instants that a local time may mean: none in a spring's gap, two in an autumn's fold, else one; earliest first. */
type LocalTime = (text: string) => readonly EpochMillis[];

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;
const OFFSET = /^([+-])(\d\d):(\d\d)$/;

/** Reads times of `zone`: `UTC`, an offset as `+02:00`, or an IANA name. Throws RangeError for any other. */
export function localTime(zone: string): LocalTime {
  const offsetAt = offsetOf(zone);
  return (text) => {
    const local = FORM.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
    if (Number.isNaN(local)) throw new RangeError(`"${text}" is no time of the form 2025-09-15T17:07`);
    const offsets = new Set([local - hours(24), local + hours(24)].map(offsetAt));
    const instants = [...offsets].map((offset) => local - offset).filter((at) => at + offsetAt(at) === local);
    return instants.sort((a, b) => a - b) as EpochMillis[];
  };
}

/** Milliseconds that the zone is ahead of UTC at an instant. */
type OffsetAt = (at: number) => number;

function offsetOf(zone: string): OffsetAt {
  const [, sign, hour, minute] = OFFSET.exec(zone) ?? [];
  if (sign === undefined) return offsetOfNamed(zone);
  const fixed = (sign === "-" ? -1 : 1) * (hours(Number(hour)) + minutes(Number(minute)));
  return () => fixed;
}

/** A format in the manner of ISO 8601, whose text differs from UTC's by the offset. */
function offsetOfNamed(zone: string): OffsetAt {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return (at) => Date.parse(`${format.format(at).replace(" ", "T")}Z`) - Math.floor(at / 1000) * 1000;
}

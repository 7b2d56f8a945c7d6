import { readFileSync } from "node:fs";
import { DriverError } from "../errors.js";
import { type EpochMillis, type Volts, volts } from "../units.js";
import { type LocalTime, localTime } from "./local-time.js";

export interface Row {
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
    throw invalid(file, `cannot be read: ${cause instanceof Error ? cause.message : cause}`, cause);
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
    throw invalid(file, `line ${line}: ${cause instanceof Error ? cause.message : cause}`, cause);
  }
}

const invalid = (file: string, reason: string, cause?: unknown) =>
  new DriverError("REPLAY_INVALID", `${file} ${reason}`, { cause });

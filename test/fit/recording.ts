import { readFileSync } from "node:fs";
import { readRecording } from "../../drivers/bench/replay.js";
import { DriverError } from "../../drivers/errors.js";

/** A row of a recording with its climate, which is undefined where nobody recorded it. */
export interface Moment {
  /** YYYY-MM-DD, local. */
  readonly day: string;
  /** Local minutes: since 1970-01-01T00:00 of the clock on the wall. */
  readonly minute: number;
  readonly lux: number;
  readonly volts: number;
  /** °C. */
  readonly temperature: number | undefined;
  readonly humidity: number | undefined;
}

const COLUMNS = "local_time,lux,volts,temp_f,humidity_pct";
const celsiusOf = (fahrenheit: number) => ((fahrenheit - 32) * 5) / 9;

/**
 * Reads a CSV with the columns of `test/fixtures/real-plant/week.csv`. The light is measured, so that nothing depends on the
 * zone of its local times. Throws REPLAY_INVALID with file, line and reason.
 */
export function readMoments(file: string): Moment[] {
  const rows = readRecording(file, "UTC");
  const [header, ...lines] = readFileSync(file, "utf8")
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/);
  if (header !== COLUMNS) throw invalid(file, 1, `the columns are ${header}, not ${COLUMNS}`);
  return rows.map(({ at, volts }, index) => {
    const [, ...fields] = (lines[index] ?? "").split(",");
    const number = (column: number) => numberOf(fields[column] ?? "", file, index + 2);
    const [lux, fahrenheit] = [number(0), number(2)];
    if (lux === undefined) throw invalid(file, index + 2, "lux is missing");
    const moment = { day: new Date(at).toISOString().slice(0, 10), minute: Math.floor(at / 60_000), volts };
    const temperature = fahrenheit === undefined ? undefined : celsiusOf(fahrenheit);
    return { ...moment, lux, temperature, humidity: number(3) };
  });
}

/** Undefined for an empty field. */
function numberOf(text: string, file: string, line: number): number | undefined {
  if (text === "") return undefined;
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw invalid(file, line, `"${text}" is not a number`);
}

const invalid = (file: string, line: number, reason: string) =>
  new DriverError("REPLAY_INVALID", `${file} line ${line}: ${reason}`);

/** Rows of the days from the first to the last, both included. */
export const rowsOf = (moments: readonly Moment[], first: string, last: string) =>
  moments.flatMap(({ day }, row) => (day >= first && day <= last ? [row] : []));

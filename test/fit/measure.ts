import { parseArgs } from "node:util";
import { localTime } from "../../drivers/bench/replay.js";
import { DriverError } from "../../drivers/errors.js";
import { errorOn, REAL_POT, simulate, type Watering } from "./real-pot.js";
import { type Moment, readMoments, rowsOf } from "./recording.js";

const USAGE = "node dist/test/fit/fit.js --file CSV --watered TIME[=ML]…";

/**
 * How far the bench is from a recording that nothing was fitted to: for each day `YYYY-MM-DD PERCENT`, the RMSE as a share of
 * the span. `args` are those of the command. Throws BENCH_OPTION_INVALID or REPLAY_INVALID.
 */
export function measure(args: readonly string[]): string[] {
  const { file, watered } = optionsOf(args);
  const moments = readMoments(file);
  const waterings = watered.map((text) => wateringOf(text, moments));
  const levels = simulate(moments, REAL_POT, waterings);
  return [...new Set(moments.map(({ day }) => day))].map((day) => {
    const error = errorOn(moments, levels, rowsOf(moments, day, day));
    return `${day} ${(100 * error).toFixed(2)}`;
  });
}

/** `--watered` may be given for each watering, or once before all of them. */
function optionsOf(args: readonly string[]): { readonly file: string; readonly watered: readonly string[] } {
  const { file, watered = [], others } = parsed(args);
  if (file === undefined) throw invalid("--file is missing");
  if (others.length > 0 && watered.length === 0) throw invalid(`"${others[0]}" belongs to no option`);
  return { file, watered: [...watered, ...others] };
}

function parsed(args: readonly string[]) {
  const options = { file: { type: "string" }, watered: { type: "string", multiple: true } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { ...values, others: positionals };
  } catch (cause) {
    throw invalid(cause instanceof Error ? cause.message : `${cause}`);
  }
}

/** A time between two rows is one of the recording too: rows may be ten minutes apart, and nights have none. */
function wateringOf(text: string, moments: readonly Moment[]): Watering {
  const [time = "", amount, ...rest] = text.split("=");
  const minute = minuteOf(time);
  const [first, last] = [moments[0], moments.at(-1)];
  if (!first || !last || minute < first.minute || minute > last.minute)
    throw invalid(`--watered ${time} is not within the recording`);
  if (amount === undefined) return { minute };
  const ml = amount.trim() === "" || rest.length > 0 ? Number.NaN : Number(amount);
  if (ml > 0 && Number.isFinite(ml)) return { minute, ml };
  throw invalid(`--watered ${text}: what follows "=" is not a number of millilitres above 0`);
}

function minuteOf(time: string): number {
  try {
    return Math.floor((localTime("UTC")(time)[0] ?? Number.NaN) / 60_000);
  } catch (cause) {
    throw invalid(`--watered: ${cause instanceof Error ? cause.message : cause}`);
  }
}

const invalid = (reason: string) => new DriverError("BENCH_OPTION_INVALID", `${reason}. Use: ${USAGE}`);

/**
 * Without options, fits what is unknown of the recorded pot to 15–18 September and tells how well it foresees the days up to
 * the 25th: `npm run build && node dist/test/fit/fit.js`. Writes nothing.
 *
 * With `--file CSV --watered TIME[=ML]…`, measures the bench against another recording: see test/fixtures/real-plant/README.md.
 */
import { DriverError } from "../../drivers/errors.js";
import { hours, minutes } from "../../drivers/units.js";
import { measure } from "./measure.js";
import { nelderMead } from "./nelder-mead.js";
import { errorOn, firstWatering, POURED, REAL_POT, type RealPot, readWeek, simulate } from "./real-pot.js";
import { rowsOf } from "./recording.js";

interface Fit {
  readonly pot: RealPot;
  readonly poured: number;
}

/** The free parameters; all else is as the bench has it (drivers/bench says why). */
const FREE: readonly { readonly name: string; readonly of: (fit: Fit) => number }[] = [
  { name: "percolation, min", of: ({ pot }) => pot.pace.percolation / minutes(1) },
  { name: "wetting, h", of: ({ pot }) => pot.pace.wetting / hours(1) },
  { name: "bypass", of: ({ pot }) => pot.pace.bypass },
  { name: "leaves, m²/l", of: ({ pot }) => pot.leaves },
  { name: "poured, ml/l", of: ({ poured }) => poured },
];

function fitOf(values: readonly number[]): Fit {
  const [percolation = 0, wetting = 0, bypass = 0, leaves = 0, poured = 0] = values;
  const pace = { ...REAL_POT.pace, percolation: minutes(percolation), wetting: hours(wetting), bypass };
  return { pot: { ...REAL_POT, pace, leaves }, poured };
}

const BENCH: Fit = { pot: REAL_POT, poured: POURED };

const week = readWeek();
const levelsOf = ({ pot, poured }: Fit) => simulate(week, pot, firstWatering(poured));
const errorFrom = (levels: readonly number[], first: string, last: string) =>
  errorOn(week, levels, rowsOf(week, first, last));
const TRAINING = ["2025-09-15", "2025-09-18"] as const;

function fitted(): Fit {
  const start = FREE.map(({ of }) => of(BENCH));
  /** From shares of the start, so that all parameters are about 1. */
  const scaled = (shares: readonly number[]) =>
    fitOf(shares.map((share, index) => share * (start[index] ?? Number.NaN)));
  const cost = (shares: readonly number[]) =>
    shares.some((share) => share <= 0)
      ? Number.POSITIVE_INFINITY
      : errorFrom(levelsOf(scaled(shares)), ...TRAINING);
  const ones = start.map(() => 1);
  let best = nelderMead(cost, ones, 0.25, 200);
  for (let restart = 0; restart < 3; restart++)
    best = nelderMead(cost, best.point, restart % 2 ? -0.1 : 0.15, 150);
  return scaled(best.point);
}

function report(name: string, fit: Fit): void {
  const levels = levelsOf(fit);
  const percent = (first: string, last: string) => (100 * errorFrom(levels, first, last)).toFixed(2);
  const days = [...new Set(week.map(({ day }) => day))];
  console.log(`${name}: ${FREE.map(({ name, of }) => `${name} ${of(fit).toPrecision(3)}`).join("; ")}`);
  console.log(`  RMSE, % of the span: fitted to, 15–18 September ${percent(...TRAINING)}`);
  console.log(`  by day, 15–25: ${days.map((day) => percent(day, day)).join("  ")}`);
}

function reportAll(): void {
  report("PlantDevices", fitted());
  report("As the bench has it", BENCH);
  // The days it was fitted to do not reach so far down that they could tell the wilting point: 15–18 % by the literature.
  for (const wiltingPoint of [0.165, 0.18]) {
    const pot = { ...REAL_POT, substrate: { ...REAL_POT.substrate, wiltingPoint } };
    report(`With a wilting point of ${wiltingPoint}`, { ...BENCH, pot });
  }
}

const args = process.argv.slice(2);
try {
  if (args.length === 0) reportAll();
  else console.log(measure(args).join("\n"));
} catch (error) {
  if (!(error instanceof DriverError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/**
 * Fits what is unknown of the recorded pot to 15–18 September and tells how well it foresees 19–21 September:
 * `npm run build && node dist/test/fit/fit.js`. Writes nothing.
 */
import { minutes } from "../../drivers/units.js";
import { nelderMead } from "./nelder-mead.js";
import { days, REAL_POT, type RealPot, readWeek, rmse, SPAN, simulate } from "./real-pot.js";

const week = readWeek();
const training = days(week, 15, 18);

/** The free parameters; all else is as the bench has it (drivers/bench says why). */
const FREE: readonly { readonly name: string; readonly of: (pot: RealPot) => number }[] = [
  { name: "container capacity", of: ({ substrate }) => substrate.containerCapacity },
  { name: "field capacity", of: ({ substrate }) => substrate.fieldCapacity },
  { name: "percolation, min", of: ({ pace }) => pace.percolation / minutes(1) },
  { name: "leaves, m²/l", of: ({ leaves }) => leaves },
  { name: "poured, l/l", of: ({ poured }) => poured },
];

function potOf(values: readonly number[]): RealPot {
  const [containerCapacity = 0, fieldCapacity = 0, percolation = 0, leaves = 0, poured = 0] = values;
  return {
    ...REAL_POT,
    substrate: { ...REAL_POT.substrate, containerCapacity, fieldCapacity },
    pace: { ...REAL_POT.pace, percolation: minutes(percolation) },
    leaves,
    poured,
  };
}

const start = FREE.map(({ of }) => of(REAL_POT));
/** From shares of the start, so that all parameters are about 1. */
const scaled = (shares: readonly number[]) =>
  shares.map((share, index) => share * (start[index] ?? Number.NaN));

function cost(shares: readonly number[]): number {
  const pot = potOf(scaled(shares));
  const { wiltingPoint, fieldCapacity, containerCapacity, saturation } = pot.substrate;
  const contents = [wiltingPoint, fieldCapacity, containerCapacity, saturation];
  const impossible = contents.some((content, index) => content < (contents[index - 1] ?? 0));
  if (impossible || pot.pace.percolation <= 0) return Number.POSITIVE_INFINITY;
  return rmse(week, simulate(week, pot), training);
}

let best = nelderMead(
  cost,
  start.map(() => 1),
  0.25,
  600,
);
for (let restart = 0; restart < 6; restart++)
  best = nelderMead(cost, best.point, restart % 2 ? -0.1 : 0.15, 600);

const SPANS = [
  ["the watering, 15 September", days(week, 15, 15)],
  ["all it was fitted to, 15–18 September", training],
  ["the dry-down held out, 19–21 September", days(week, 19, 21)],
] as const;

function report(name: string, pot: RealPot): void {
  console.log(name);
  for (const { name, of } of FREE) console.log(`  ${name}: ${of(pot).toPrecision(3)}`);
  const levels = simulate(week, pot);
  for (const [what, rows] of SPANS) {
    const error = rmse(week, levels, rows);
    const share = (100 * error) / (SPAN.dry - SPAN.wet);
    console.log(`  ${what}: RMSE ${(1000 * error).toFixed(1)} mV, ${share.toFixed(2)} % of the range`);
  }
}

report("Fitted", potOf(scaled(best.point)));
report("As the bench has it", REAL_POT);
// The days it was fitted to do not reach so far down that they could tell the wilting point.
for (const wiltingPoint of [0.2, 0.22, 0.26])
  report(`With a wilting point of ${wiltingPoint}`, {
    ...REAL_POT,
    substrate: { ...REAL_POT.substrate, wiltingPoint },
  });

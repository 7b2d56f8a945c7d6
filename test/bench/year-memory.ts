/**
 * What a runtime and its agent hold in memory over a simulated year, all in one process, for docs/performance.md; after a build:
 * node --expose-gc --max-semi-space-size=2 --v8-pool-size=1 dist/test/bench/year-memory.js [DAYS]. Prints a line for each 30 days.
 */
import { carryOut } from "../../agent-client/harness/run.js";
import { loadScenario, STEADY } from "../../agent-client/harness/scenario.js";
import { hours } from "../../drivers/units.js";
import { columns, megabytes } from "./figures.js";

const DAYS = Number(process.argv[2] ?? 365);
const HOURS_A_ROW = 30 * 24;

const collect = globalThis.gc;
if (!collect) throw new Error("run it with --expose-gc: what lives is told, not what waits to be collected");

const lines: string[][] = [];
function note(hour: number): void {
  // what weak references hold is freed by the second one
  collect?.();
  collect?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  lines.push([String(hour / 24), megabytes(heapUsed), megabytes(external), megabytes(rss)]);
}

const scenario = loadScenario(STEADY);
const start = Date.parse(scenario.start);
const run = {
  scenario,
  model: "caretaker",
  days: DAYS,
  plants: ["basil"],
  seed: 1,
  start,
  every: hours(6),
  maxRounds: 24,
};
await carryOut(run, {
  log: () => undefined,
  signal: new AbortController().signal,
  onHour: ({ hour }) => {
    if (hour % HOURS_A_ROW === 0) note(hour);
  },
});
console.log(columns(["day", "alive in the heap", "buffers", "resident"], lines));

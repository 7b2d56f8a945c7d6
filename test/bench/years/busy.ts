/**
 * How long the event loop is held up, and how long a dose takes from its call to the pump's edge, while questions over all rows, a
 * copy of the database, a checkpoint and commits go on, after a build: node dist/test/bench/years/busy.js [--rows N] [FOLDER].
 * It fills a state folder first, which takes some five minutes for 10.5 million rows. FOLDER is one that was filled before, and to which
 * rows are added.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { type Millis, minutes } from "../../../drivers/units.js";
import type { Core } from "../../../runtime/core.js";
import { AGGREGATIONS, needsField } from "../../../runtime/store/bucket.js";
import { Database } from "../../../runtime/store/database.js";
import type { Store } from "../../../runtime/store/store.js";
import { openBench, timeToEdge } from "../doses.js";
import { columns, median, milliseconds } from "../figures.js";
import { PEERS } from "./peers.js";
import { END, MAX_ROWS, rowsOf, SERIES } from "./rows.js";

const clock = new SystemClock();
/** perf_hooks: how often the delay is looked at. */
const RESOLUTION = 1;
const SECONDS = 10;
/** For each kind of work. A choice: with all four, less than a day's water. */
const DOSES = 12;
const HERE = fileURLToPath(new URL(".", import.meta.url));

type Work = (isOver: () => boolean) => Promise<unknown>;

async function measure(work: Work): Promise<string[]> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  const until = clock.monotonic() + SECONDS * 1000;
  delay.enable();
  await work(() => clock.monotonic() > until);
  delay.disable();
  const ms = (nanoseconds: number) => milliseconds(Math.max(0, nanoseconds / 1e6 - RESOLUTION));
  return [ms(delay.percentile(50)), ms(delay.percentile(99)), ms(delay.max)];
}

/** The median of doses that are asked for one after the other while the work goes on. */
async function doses(core: Core, work: Work): Promise<string> {
  let isOver = false;
  const took: number[] = [];
  const working = work(() => isOver);
  while (took.length < DOSES) took.push(await timeToEdge(core));
  isOver = true;
  await working;
  return milliseconds(median(took));
}

const quiet = async (isOver: () => boolean) => {
  while (!isOver()) await clock.sleep(10 as Millis);
};

/** 10,000 buckets, the most there may be, over all there is. */
async function ask(store: Store, isOver: () => boolean): Promise<void> {
  const { place, quantity } = SERIES[0] ?? { place: "", quantity: "air_temperature" };
  while (!isOver())
    for (const aggregation of AGGREGATIONS) {
      const query = { hours: 43_800, samplesPerHour: 10_000 / 43_801, aggregation, endMs: END };
      await store.measurements.history(
        { ...query, ...(needsField(aggregation) && { valueField: "value" }) },
        { place, fields: { value: quantity } },
      );
    }
}

async function commit(store: Store, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n += 1) {
    for (const series of SERIES)
      store.measurements.add({ ...series, at: END + n * minutes(1), value: n % 50 });
    await store.measurements.flush();
    await clock.sleep(20 as Millis);
  }
}

/** As a backup does it, from a connection of its own. */
async function copyAndCheckpoint(state: string, isOver: () => boolean): Promise<void> {
  const database = await Database.open({ file: join(state, "tendril.sqlite"), setup: [] });
  const copy = join(state, "copy.sqlite");
  while (!isOver()) {
    await database.script(`VACUUM INTO '${copy}'`);
    await rm(copy);
    await database.script("PRAGMA wal_checkpoint(PASSIVE)");
  }
  await database.close();
}

const {
  values,
  positionals: [filled],
} = parseArgs({
  allowPositionals: true,
  options: { rows: { type: "string", default: String(MAX_ROWS) } },
});
const state = filled ? resolve(filled) : await mkdtemp(join(HERE, "state-"));
const closers: Array<() => unknown> = [];
try {
  if (!filled) await (await PEERS.Tendril?.(state, rowsOf(Number(values.rows))))?.close();
  const core = await openBench(state, (close) => closers.push(close));
  const { store } = core;
  const copy: Work = (isOver) => Promise.all([copyAndCheckpoint(state, isOver), commit(store, isOver)]);
  const all: readonly (readonly [string, Work])[] = [
    ["quiet", quiet],
    ["questions", (isOver) => ask(store, isOver)],
    ["copies and checkpoints, commits", copy],
    ["all at once", (isOver) => Promise.all([ask(store, isOver), copy(isOver)])],
  ];
  const lines: string[][] = [];
  for (const [name, work] of all) lines.push([name, ...(await measure(work)), await doses(core, work)]);
  const head = ["event loop's delay", "p50", "p99", "worst", "a dose: call to edge"];
  process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}\n${columns(head, lines)}\n`);
} finally {
  for (const close of closers.reverse()) await close();
  if (!filled) await rm(state, { recursive: true, force: true });
}

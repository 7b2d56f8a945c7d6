/**
 * How long the event loop is held up while questions over all rows, a copy of the database and a checkpoint run at once, after a
 * build: node dist/test/bench/years/busy.js STATE, a folder with measurements (`run.ts` makes such). Commits go on meanwhile.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { type Millis, minutes } from "../../../drivers/units.js";
import { AGGREGATIONS, needsField } from "../../../runtime/store/bucket.js";
import { Database } from "../../../runtime/store/database.js";
import { openStore, type Store } from "../../../runtime/store/store.js";
import { columns, milliseconds } from "../figures.js";
import { END, SERIES } from "./rows.js";

const clock = new SystemClock();
/** perf_hooks: how often the delay is looked at. */
const RESOLUTION = 1;
const SECONDS = 10;
const [state = ""] = process.argv.slice(2);

async function measure(work: (isOver: () => boolean) => Promise<unknown>): Promise<string[]> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  const until = clock.monotonic() + SECONDS * 1000;
  delay.enable();
  await work(() => clock.monotonic() > until);
  delay.disable();
  const ms = (nanoseconds: number) => milliseconds(Math.max(0, nanoseconds / 1e6 - RESOLUTION));
  return [ms(delay.percentile(50)), ms(delay.percentile(99)), ms(delay.max)];
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
async function copyAndCheckpoint(isOver: () => boolean): Promise<void> {
  const database = await Database.open({ file: join(state, "tendril.sqlite"), setup: [] });
  const copy = join(state, "copy.sqlite");
  while (!isOver()) {
    await database.script(`VACUUM INTO '${copy}'`);
    await rm(copy);
    await database.script("PRAGMA wal_checkpoint(PASSIVE)");
  }
  await database.close();
}

const store = await openStore({ folder: state });
await store.measurements.build();
store.delayCommits({ clock, within: minutes(10) });
const rows = [
  ["quiet", ...(await measure(quiet))],
  ["questions", ...(await measure((isOver) => ask(store, isOver)))],
  [
    "copies and checkpoints, commits",
    ...(await measure((isOver) => Promise.all([copyAndCheckpoint(isOver), commit(store, isOver)]))),
  ],
  [
    "all at once",
    ...(await measure((isOver) =>
      Promise.all([ask(store, isOver), copyAndCheckpoint(isOver), commit(store, isOver)]),
    )),
  ],
];
await store.close();
process.stdout.write(`${columns(["event loop's delay", "p50", "p99", "worst"], rows)}\n`);

import { SystemClock } from "../../drivers/clock/system-clock.js";
import { minutes } from "../../drivers/units.js";
import { AGGREGATIONS, type Aggregation, type HistoryQuery, needsField } from "../../runtime/store/bucket.js";
import type { ReadingStore } from "../../runtime/store/measurements.js";
import { openStore } from "../../runtime/store/store.js";
import { type Figure, median, milliseconds } from "./figures.js";
import { reading } from "./reading.js";

const YEAR_OF_MINUTES = 525_600;
const BUCKETS = 500;
const ROUNDS = 15;
const AIM = { atMost: 15, of: "ours" } as const;
const END = Date.parse("2026-06-30T12:34:56.789Z");
/** Hours: from the whole year down to buckets shorter than the half-hours whose sums are kept. */
const WINDOWS = [8760, 4000, 1000, 600, 491, 245, 83];
const clock = new SystemClock();

/** Every aggregation over a year of one-minute readings, in 500 buckets each. */
export async function historyFigures(folder: string): Promise<Figure[]> {
  const store = await openStore({ folder, relaxed: true });
  try {
    await storeYear(store.readings);
    const figures: Figure[] = [];
    for (const aggregation of AGGREGATIONS) figures.push(...(await measure(store.readings, aggregation)));
    return figures;
  } finally {
    await store.close();
  }
}

async function storeYear(readings: ReadingStore): Promise<void> {
  for (let n = 1; n <= YEAR_OF_MINUTES; n += 1) {
    readings.add(reading(n, END - (YEAR_OF_MINUTES - n) * minutes(1)));
    if (n % 10_000 === 0) await readings.flush();
  }
  await readings.flush();
}

async function measure(readings: ReadingStore, aggregation: Aggregation): Promise<Figure[]> {
  const took: number[] = [];
  for (const hours of WINDOWS) took.push(await medianOf(readings, query(aggregation, hours)));
  const what = `${aggregation} of a year's readings in ${BUCKETS} buckets`;
  return [
    { what: `${what}: usual window`, ours: median(took), show: milliseconds },
    { what: `${what}: worst window`, ours: Math.max(...took), aim: AIM, show: milliseconds },
  ];
}

const query = (aggregation: Aggregation, hours: number): HistoryQuery => ({
  hours,
  samplesPerHour: BUCKETS / hours,
  aggregation,
  endMs: END,
  plant: "plant-1",
  ...(needsField(aggregation) && { valueField: "percent" }),
});

/** The first round compiles the statement and does not count. */
async function medianOf(readings: ReadingStore, asked: HistoryQuery): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const began = clock.monotonic();
    await readings.history(asked);
    took.push(clock.monotonic() - began);
  }
  return median(took.slice(1));
}

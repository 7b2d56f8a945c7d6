import { z } from "zod";
import { type EpochMillis, hours, type Millilitres, type Percent, seconds } from "../../units.js";
import { type Exchange, latest } from "./transcript.js";

/** A bucket of a history: its mean or sum, with at least one record in it. */
export interface Bucket {
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  readonly value: number;
}

/** A day and a half without water, and the hours before it; buckets of half an hour average the noise out. */
export const HISTORY = { hours: 40, samples_per_hour: 2 };

const end = z.iso.datetime().transform((text): EpochMillis => Date.parse(text));
const buckets = z.object({
  bucket_seconds: z.number(),
  items: z.array(z.object({ bucket_end: end, value: z.number().nullable() })),
});

/** The buckets of a history tool's newest answer, oldest first; undefined where it was not asked or refused. */
export function historyOf(exchanges: readonly Exchange[], tool: string): readonly Bucket[] | undefined {
  const answer = buckets.safeParse(latest(exchanges, tool)?.value).data;
  if (!answer) return undefined;
  const width = seconds(answer.bucket_seconds);
  return answer.items.flatMap(({ bucket_end: to, value }) =>
    value === null ? [] : [{ from: to - width, to, value }],
  );
}

/** Water that was poured at one go, and what the soil made of it. */
export interface Response {
  readonly at: EpochMillis;
  readonly ml: Millilitres;
  readonly rise: Percent;
}

/** A reading is a dose's neighbour if it is no further from it: later the plant's own thirst is in it. */
export const NEIGHBOUR = hours(1);

/** Each watering with good readings shortly before and after it. */
export function responsesIn(moisture: readonly Bucket[], water: readonly Bucket[]): readonly Response[] {
  return waterings(water).flatMap(({ from, to, value }) => {
    const before = moisture.findLast((each) => each.to <= from);
    const after = moisture.find((each) => each.from >= to);
    if (!before || !after || from - before.to > NEIGHBOUR || after.from - to > NEIGHBOUR) return [];
    return [{ at: to, ml: value, rise: after.value - before.value }];
  });
}

/** Doses in adjoining buckets are one watering. */
function waterings(water: readonly Bucket[]): readonly Bucket[] {
  const joined: Bucket[] = [];
  for (const { from, to, value } of water.filter((bucket) => bucket.value > 0)) {
    const last = joined.at(-1);
    if (last && last.to >= from) joined.splice(-1, 1, { from: last.from, to, value: last.value + value });
    else joined.push({ from, to, value });
  }
  return joined;
}

/** Longer without a reading, and nobody knows what happened meanwhile. */
const GAP = hours(2);
/** So much in an hour is no root and no air: somebody watered by hand, or touched the probe. */
const LEAP: Percent = 3;
/** Water goes on sinking and spreading so long after a dose (the runtime's own response check waits as long). */
const SETTLED_AFTER = hours(3);

/** Hourly means, newest last, since anything but the plant itself changed the soil: a dose, a leap, a gap. */
export function undisturbed(moisture: readonly Bucket[], water: readonly Bucket[]): readonly Bucket[] {
  const poured = waterings(water).at(-1)?.to ?? Number.NEGATIVE_INFINITY;
  const hourly = hourlyMeans(moisture.filter(({ from }) => from >= poured + SETTLED_AFTER));
  const begins = hourly.findLastIndex((each, index) => {
    const before = hourly[index - 1];
    return before && (each.from - before.to > GAP || Math.abs(each.value - before.value) > LEAP);
  });
  return hourly.slice(Math.max(0, begins));
}

function hourlyMeans(moisture: readonly Bucket[]): readonly Bucket[] {
  const hourOf = ({ from }: Bucket) => Math.floor(from / hours(1));
  return [...new Set(moisture.map(hourOf))].map((hour) => {
    const group = moisture.filter((bucket) => hourOf(bucket) === hour);
    return {
      from: Math.min(...group.map(({ from }) => from)),
      to: Math.max(...group.map(({ to }) => to)),
      value: group.reduce((sum, { value }) => sum + value, 0) / group.length,
    };
  });
}

import { z } from "zod";
import { type EpochMillis, hours, type Millilitres, type Percent, seconds } from "../../clock.js";
import { answerOf, type Exchange, latest, type Suspicion } from "./facts.js";

type Trust = "trusted" | Suspicion;

export interface Survey {
  readonly at: EpochMillis;
  readonly trust: Trust;
  /** Millilitres that raise the reading by one percent; undefined until measured. */
  readonly mlPerPercent: number | undefined;
}

interface Histories {
  readonly now: EpochMillis;
  readonly moisture: readonly Bucket[];
  readonly water: readonly Bucket[];
  /** Below this, a constant reading is no proof of a stuck probe: dry soil is constant, and water is given anyway. */
  readonly waterBelow: Percent;
}

/** Longest time without change in real soil. A cold fern in winter moves by 0.6 % (simulated); a probe's noise is below 0.1. */
const STUCK = { span: hours(35), within: 0.2 };
/** A choice: temperature moves a probe by up to 1 % on a warm day, a thirsty plant by 4 to 10 %. */
const REVERSED = { span: hours(12), rise: 2.5, fall: 1, recent: hours(12) };

/** Evaluates the histories; `before` is the last survey. */
export function surveyOf(
  { now, moisture, water, waterBelow }: Histories,
  before: Survey | undefined,
): Survey {
  const responses = responsesIn(moisture, water);
  const rest = undisturbed(moisture, water);
  return {
    at: now,
    trust: isReversed(rest, responses, now) ? "reversed" : isStuck(rest, waterBelow) ? "stuck" : "trusted",
    mlPerPercent: learned(responses, before),
  };
}

const spanOf = (rest: readonly Bucket[]) => (rest.at(-1)?.to ?? 0) - (rest[0]?.from ?? 0);

function isStuck(rest: readonly Bucket[], waterBelow: Percent): boolean {
  const values = rest.filter(({ to }) => to > (rest.at(-1)?.to ?? 0) - STUCK.span).map(({ value }) => value);
  const moved = Math.max(...values) - Math.min(...values);
  return spanOf(rest) >= STUCK.span && moved <= STUCK.within && Math.min(...values) >= waterBelow;
}

/** Wetter without water, or drier right after it. */
function isReversed(rest: readonly Bucket[], responses: readonly Response[], now: EpochMillis): boolean {
  const rise = (rest.at(-1)?.value ?? 0) - (rest[0]?.value ?? 0);
  const newest = responses.at(-1);
  const fell = newest !== undefined && newest.rise <= -REVERSED.fall && now - newest.at <= REVERSED.recent;
  return fell || (spanOf(rest) >= REVERSED.span && rise >= REVERSED.rise);
}

/** A smaller rise is mostly noise. No rise means a loose tube, which says nothing about the pot. */
const MIN_RISE: Percent = 1;
/** Pots with 0.125 to 2.5 litres of peat; a larger one is not watered in doses of 25 ml. */
const ML_PER_PERCENT = { least: 1, most: 20 };
/** The largest change by one survey, as a factor: a half-empty tank or a clock set back must not change much. */
const STEP = 1.25;

/** The median of the waterings since the last survey, within bounds. */
function learned(responses: readonly Response[], before: Survey | undefined): number | undefined {
  const known = before?.mlPerPercent;
  const news = responses.filter(({ at, rise }) => rise >= MIN_RISE && at > (before?.at ?? 0) - NEIGHBOUR);
  const seen = median(news.map(({ ml, rise }) => ml / rise));
  if (seen === undefined) return known;
  return known === undefined ? bounded(seen) : bounded(Math.min(known * STEP, Math.max(known / STEP, seen)));
}

const bounded = (ml: number) => Math.min(ML_PER_PERCENT.most, Math.max(ML_PER_PERCENT.least, ml));

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The histories that this cycle read; undefined before that, or if refused. */
export function historiesIn(
  exchanges: readonly Exchange[],
): Pick<Histories, "moisture" | "water"> | undefined {
  const moisture = historyOf(exchanges, "get_moisture_history");
  const water = historyOf(exchanges, "get_water_history");
  return moisture && water && { moisture, water };
}

const LINE = /^(\S+) probe (trusted|stuck|reversed)(?:, (\d+(?:\.\d+)?) ml a percent)?$/;

/** A survey as a line of the note, readable by a person. */
export const surveyInWords = ({ at, trust, mlPerPercent }: Survey): string =>
  `${new Date(at).toISOString()} probe ${trust}${mlPerPercent === undefined ? "" : `, ${mlPerPercent.toFixed(1)} ml a percent`}`;

/** Reads such a line; undefined for any other text. The figure is kept within the bounds, since anybody may edit the note. */
export function surveyInLine(line: string | undefined): Survey | undefined {
  const [, timestamp = "", trust, ml] = LINE.exec(line ?? "") ?? [];
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return undefined;
  return { at, trust: trust as Trust, mlPerPercent: ml === undefined ? undefined : bounded(Number(ml)) };
}

/** A bucket of a history with its mean or sum; it has at least one record. */
interface Bucket {
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  readonly value: number;
}

/** Covers a day and a half without water and some hours before; buckets of half an hour average out noise. */
export const HISTORY = { hours: 40, samples_per_hour: 2 };

const end = z.iso.datetime().transform((text): EpochMillis => Date.parse(text));
const buckets = z.object({
  bucket_seconds: z.number(),
  items: z.array(z.object({ bucket_end: end, value: z.number().nullable() })),
});

/** The buckets of a history tool's newest answer, oldest first; undefined if it was not called or refused. */
function historyOf(exchanges: readonly Exchange[], tool: string): readonly Bucket[] | undefined {
  const answer = answerOf(latest(exchanges, tool), buckets);
  if (!answer) return undefined;
  const width = seconds(answer.bucket_seconds);
  return answer.items.flatMap(({ bucket_end: to, value }) =>
    value === null ? [] : [{ from: to - width, to, value }],
  );
}

/** One watering and the rise of moisture after it. */
interface Response {
  readonly at: EpochMillis;
  readonly ml: Millilitres;
  readonly rise: Percent;
}

/** Most time between a dose and a reading: later readings include the plant's own use. */
const NEIGHBOUR = hours(1);

/** Each watering with good readings shortly before and after it. */
function responsesIn(moisture: readonly Bucket[], water: readonly Bucket[]): readonly Response[] {
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

/** After a longer time without readings, what happened is unknown. */
const GAP = hours(2);
/** Neither roots nor air change this much in an hour: somebody watered by hand, or touched the probe. */
const LEAP: Percent = 3;
/** Water spreads for this long after a dose (the runtime's response check waits as long). */
const SETTLED_AFTER = hours(3);

/** Hourly means, newest last, since the last dose, leap or gap: only the plant changed the soil since then. */
function undisturbed(moisture: readonly Bucket[], water: readonly Bucket[]): readonly Bucket[] {
  const poured = waterings(water).at(-1)?.to ?? Number.NEGATIVE_INFINITY;
  const hourly = hourlyMeans(moisture.filter(({ from }) => from >= poured + SETTLED_AFTER));
  const begins = hourly.findLastIndex((each, index) => {
    const before = hourly[index - 1];
    return before && (each.from - before.to > GAP || Math.abs(each.value - before.value) > LEAP);
  });
  return hourly.slice(Math.max(0, begins));
}

function hourlyMeans(moisture: readonly Bucket[]): readonly Bucket[] {
  const groups = new Map<number, Bucket[]>();
  for (const bucket of moisture) {
    const hour = Math.floor(bucket.from / hours(1));
    const group = groups.get(hour);
    if (group) group.push(bucket);
    else groups.set(hour, [bucket]);
  }
  return [...groups.values()].map((group) => {
    return {
      from: Math.min(...group.map(({ from }) => from)),
      to: Math.max(...group.map(({ to }) => to)),
      value: group.reduce((sum, { value }) => sum + value, 0) / group.length,
    };
  });
}

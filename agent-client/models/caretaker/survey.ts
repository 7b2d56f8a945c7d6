import { z } from "zod";
import { type EpochMillis, hours, type Millilitres, type Percent, seconds } from "../../units.js";
import { type Exchange, latest, type Suspicion } from "./facts.js";

export type Trust = "trusted" | Suspicion;

/** What the plant's own past tells of its pot and its probe. */
export interface Survey {
  readonly at: EpochMillis;
  readonly trust: Trust;
  /** Millilitres that raise the reading by a percent; undefined until it was seen. */
  readonly mlPerPercent: number | undefined;
}

export interface Histories {
  readonly now: EpochMillis;
  readonly moisture: readonly Bucket[];
  readonly water: readonly Bucket[];
  /** Below it a stuck probe shows by itself, for water is poured: there a reading may stand still in dust-dry soil. */
  readonly waterBelow: Percent;
}

/** The longest rest of living soil: a cold fern in winter still moves by 0.6 % in it (simulated), a bare probe's noise stays below 0.1. */
const STUCK = { span: hours(35), within: 0.2 };
/** A warm day moves a probe by up to 1 % (temperature), a thirsty plant by 4 to 10 %: a choice between. */
const REVERSED = { span: hours(12), rise: 2.5, fall: 1, recent: hours(12) };

/** What histories show; `before` is what was known. */
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

/** Wetter by itself, or drier right after water. */
function isReversed(rest: readonly Bucket[], responses: readonly Response[], now: EpochMillis): boolean {
  const rise = (rest.at(-1)?.value ?? 0) - (rest[0]?.value ?? 0);
  const newest = responses.at(-1);
  const fell = newest !== undefined && newest.rise <= -REVERSED.fall && now - newest.at <= REVERSED.recent;
  return fell || (spanOf(rest) >= REVERSED.span && rise >= REVERSED.rise);
}

/** A smaller rise is mostly noise, and no rise at all is a tube off, which says nothing of the pot. */
const MIN_RISE: Percent = 1;
/** Pots of an eighth of a litre to two and a half of peat; nobody waters a larger one through a tube of 25 ml. */
const ML_PER_PERCENT = { least: 1, most: 20 };
/** How far one look may move what is known: a half-empty tank once, or a clock set back, must not teach much. */
const STEP = 1.25;

/** What waterings since the last survey show; their median, within bounds. */
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

/** The answers of this cycle's survey; undefined while it has not been made, or was refused. */
export function historiesIn(
  exchanges: readonly Exchange[],
): Pick<Histories, "moisture" | "water"> | undefined {
  const moisture = historyOf(exchanges, "get_moisture_history");
  const water = historyOf(exchanges, "get_water_history");
  return moisture && water && { moisture, water };
}

const LINE = /^(\S+) probe (trusted|stuck|reversed)(?:, (\d+(?:\.\d+)?) ml a percent)?$/;

/** A survey in the note, in words that a person can read. */
export const surveyInWords = ({ at, trust, mlPerPercent }: Survey): string =>
  `${new Date(at).toISOString()} probe ${trust}${mlPerPercent === undefined ? "" : `, ${mlPerPercent.toFixed(1)} ml a percent`}`;

/** The survey in such a line; undefined for anything else. What somebody else wrote there keeps within the bounds. */
export function surveyInLine(line: string | undefined): Survey | undefined {
  const [, timestamp = "", trust, ml] = LINE.exec(line ?? "") ?? [];
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return undefined;
  return { at, trust: trust as Trust, mlPerPercent: ml === undefined ? undefined : bounded(Number(ml)) };
}

/** A bucket of a history: its mean or sum, with at least one record in it. */
interface Bucket {
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
function historyOf(exchanges: readonly Exchange[], tool: string): readonly Bucket[] | undefined {
  const answer = buckets.safeParse(latest(exchanges, tool)?.value).data;
  if (!answer) return undefined;
  const width = seconds(answer.bucket_seconds);
  return answer.items.flatMap(({ bucket_end: to, value }) =>
    value === null ? [] : [{ from: to - width, to, value }],
  );
}

/** Water that was poured at one go, and what the soil made of it. */
interface Response {
  readonly at: EpochMillis;
  readonly ml: Millilitres;
  readonly rise: Percent;
}

/** A reading is a dose's neighbour if it is no further from it: later the plant's own thirst is in it. */
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

/** Longer without a reading, and nobody knows what happened meanwhile. */
const GAP = hours(2);
/** So much in an hour is no root and no air: somebody watered by hand, or touched the probe. */
const LEAP: Percent = 3;
/** Water goes on sinking and spreading so long after a dose (the runtime's own response check waits as long). */
const SETTLED_AFTER = hours(3);

/** Hourly means, newest last, since anything but the plant itself changed the soil: a dose, a leap, a gap. */
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

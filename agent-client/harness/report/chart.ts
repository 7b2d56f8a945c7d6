import { type EpochMillis, hours, type Millis } from "../../clock.js";
import { clockTime, day, figure, html, type Markup } from "./markup.js";

/** Maps a range of values to 0 to 1, linearly. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  at(value: number): number;
}

/** @throws if the range is empty. */
export function linear(from: number, to: number): Scale {
  if (!(to > from)) throw new Error(`a scale must run upwards, not from ${from} to ${to}`);
  return { from, to, at: (value) => (value - from) / (to - from) };
}

/** The smallest of 1, 2, 5, 10 times a power of ten that is not below `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= least * (1 - EPSILON)) ?? 10;
  return step * power;
}

/** Tolerance for binary fractions: 0.1 + 0.2 counts as 0.3. */
const EPSILON = 1e-9;

/** A scale between round numbers around all `values`, with its ticks; about `most` intervals at most. */
export function roundScale(
  values: Iterable<number>,
  most: number,
): { readonly scale: Scale; readonly ticks: readonly number[] } {
  const { least, greatest } = extremes(values);
  const step = roundStep((greatest > least ? greatest - least : 1) / most);
  const from = Math.floor(least / step + EPSILON);
  const to = Math.max(from + 1, Math.ceil(greatest / step - EPSILON));
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => rounded((from + index) * step));
  return { scale: linear(rounded(from * step), rounded(to * step)), ticks };
}

/** Not Math.min(...values): a year of hours is too many arguments. */
function extremes(values: Iterable<number>): { readonly least: number; readonly greatest: number } {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
  }
  return Number.isFinite(least) ? { least, greatest } : { least: 0, greatest: 1 };
}

/** 0.30000000000000004 is 0.3. */
const rounded = (value: number): number => Number(value.toPrecision(12));

export const DAY: Millis = hours(24);

/** The shortest axis, for a run that was stopped at once. */
const SHORTEST: Millis = hours(1);

export function timeScale(start: string, end: string): Scale {
  const from = instant(start, "start");
  return linear(from, Math.max(instant(end, "end"), from + SHORTEST));
}

/** @throws if it is not a time. */
export function instant(text: string, what: string): EpochMillis {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new Error(`${what} "${text}" is not a time: give it in ISO 8601, in UTC`);
  return at;
}

export interface TimeTick {
  readonly at: EpochMillis;
  readonly label: string;
}

/** Steps that people find round. */
const STEPS: readonly Millis[] = [
  ...[1, 2, 3, 6, 12].map(hours),
  ...[1, 2, 3, 7, 14].map((days) => days * DAY),
];
const MONTH_STEPS = [1, 2, 3, 6, 12];
/** The shortest month, so that months never give more than `most` ticks. */
const MONTH: Millis = 28 * DAY;

/** Full hours, midnights, or first days of months; `most` at most, except for runs of many years. */
export function timeTicks({ from, to }: Scale, most: number): readonly TimeTick[] {
  const wanted = (to - from) / (most - 1);
  const step = STEPS.find((length) => length >= wanted);
  const instants = step === undefined ? monthTicks(from, to, wanted) : evenTicks(from, to, step);
  return instants.map((at) => ({ at, label: at % DAY === 0 ? day(at) : clockTime(at) }));
}

/** Days are counted from the first midnight, so that the first day has its label. */
function evenTicks(from: EpochMillis, to: EpochMillis, step: Millis): EpochMillis[] {
  const grain = Math.min(step, DAY);
  const first = Math.ceil(from / grain) * grain;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, n) => first + n * step);
}

function monthTicks(from: EpochMillis, to: EpochMillis, wanted: Millis): EpochMillis[] {
  const months = MONTH_STEPS.find((count) => count * MONTH >= wanted) ?? 12;
  const start = new Date(from);
  const ticks: EpochMillis[] = [];
  for (let month = Math.ceil(start.getUTCMonth() / months) * months; ; month += months) {
    const at = Date.UTC(start.getUTCFullYear(), month, 1);
    if (at > to) return ticks;
    if (at >= from) ticks.push(at);
  }
}

/** Width of a plot in its own units. The plot is stretched to the page's width; strokes and texts are not. */
export const PLOT_WIDTH = 1000;

/** The left margin of a panel has the numbers of its axis: see page.ts. */
export interface Panel {
  /** Unique on the page. */
  readonly id: string;
  /** With its unit. */
  readonly title: string;
  /** For screen readers: what it shows, in words. */
  readonly description: string;
  readonly key: readonly Markup[];
  readonly height: number;
  readonly y: { readonly scale: Scale; readonly ticks: readonly number[] };
  /** The data, in the plot's units, first at the back. */
  readonly layers: readonly Markup[];
  /** Grid lines behind the data; marks and words over it; in percent of the width. */
  readonly behind: readonly Markup[];
  readonly over: readonly Markup[];
}

export const panel = (spec: Panel): Markup => html`
<div class="panel">
<p class="panel-head"><b>${spec.title}</b>${spec.key}</p>
<svg role="img" aria-labelledby="${spec.id}-t ${spec.id}-d" height="${spec.height}">
<title id="${spec.id}-t">${spec.title}</title><desc id="${spec.id}-d">${spec.description}</desc>
${spec.behind}${yGrid(spec)}
<svg width="100%" height="${spec.height}" viewBox="0 0 ${PLOT_WIDTH} ${spec.height}" preserveAspectRatio="none">${spec.layers}</svg>
${spec.over}
</svg>
</div>`;

const yGrid = ({ y, height }: Panel): Markup[] =>
  y.ticks.map((tick) => {
    const at = down(y.scale, height, tick);
    return html`<line class="grid" x2="100%" y1="${at}" y2="${at}"/><text class="tick" x="-6" y="${at}" dy=".33em" text-anchor="end">${figure(tick, 2)}</text>`;
  });

/** One decimal is a tenth of a pixel on a page 1000 pixels wide. */
const coordinate = (value: number): string => String(Math.round(value * 10) / 10);

/** Pixels from the top. */
export const down = (scale: Scale, height: number, value: number): string =>
  coordinate((1 - scale.at(value)) * height);

/** In the plot's units. */
export const across = (time: Scale, at: number): string => coordinate(time.at(at) * PLOT_WIDTH);

/** Percent of the whole width: "37.25%". */
export const percentAcross = (time: Scale, at: number): string =>
  `${Math.round(time.at(at) * 10_000) / 100}%`;

interface Axes {
  readonly time: Scale;
  readonly y: Scale;
  readonly height: number;
}

const spot = ({ time, y, height }: Axes, [at, value]: Point): string =>
  `${across(time, at)},${down(y, height, value)}`;

/** A single point becomes a dot: a line of zero length with round ends. */
export function line(name: string, stretches: Line, axes: Axes): Markup {
  const path = stretches.map((points) => {
    const spots = points.map((point) => spot(axes, point));
    return `M${spots.join(" ")}${points.length === 1 ? "h0" : ""}`;
  });
  return html`<path class="line ${name}" d="${path.join("")}"/>`;
}

/** Filled down to the axis. */
export function area(name: string, stretches: Line, axes: Axes): Markup {
  const path = stretches.map((points) => {
    const ends = [points.at(-1), points[0]].map(
      (point) => `${across(axes.time, point?.[0] ?? 0)},${axes.height}`,
    );
    return `M${[...points.map((point) => spot(axes, point)), ...ends].join(" ")}z`;
  });
  return html`<path class="${name}" d="${path.join("")}"/>`;
}

/** From `low` to `high` over the whole width. */
export function band(name: string, low: number, high: number, { y, height }: Omit<Axes, "time">): Markup {
  const top = down(y, height, high);
  const tall = coordinate((y.at(high) - y.at(low)) * height);
  return html`<rect class="${name}" width="${PLOT_WIDTH}" y="${top}" height="${tall}"/>`;
}

/** Words in the middle of an empty plot. */
export const note = (words: string, height: number): Markup =>
  html`<text class="note" x="50%" y="${height / 2}" dy=".33em" text-anchor="middle">${words}</text>`;

/** An entry of a panel's key: a swatch of class `name` and its meaning. */
export const keyEntry = (name: string, words: string): Markup =>
  html`<span class="key"><svg class="swatch" width="18" height="10" aria-hidden="true">${swatch(name)}</svg>${words}</span>`;

const SOLID: ReadonlySet<string> = new Set(["good", "arrived", "lost", "lamp", "daylight", "unread"]);
const swatch = (name: string): Markup =>
  SOLID.has(name)
    ? html`<rect class="${name}" width="18" height="10"/>`
    : html`<path class="line ${name}" d="M1,5H17"/>`;

export interface Stretch {
  readonly from: EpochMillis;
  readonly to: EpochMillis;
}

/** Blocks closer than this are drawn as one: a tenth of a pixel on a page 1000 pixels wide. */
const APART = 0.1;
const SAME = APART / PLOT_WIDTH;

/** Blocks along the time axis, from `top` down for `height` pixels. */
export function strip(
  name: string,
  stretches: readonly Stretch[],
  { time, top, height }: { readonly time: Scale; readonly top: number; readonly height: number },
): Markup {
  const blocks = merged(stretches, SAME * (time.to - time.from)).map(
    ({ from, to }) => `M${across(time, from)},${top}H${across(time, to)}v${height}H${across(time, from)}z`,
  );
  return html`<path class="${name}" d="${blocks.join("")}"/>`;
}

/** In order of time; stretches closer than `near` are joined. */
export function merged(stretches: readonly Stretch[], near: number): readonly Stretch[] {
  const blocks: Stretch[] = [];
  for (const stretch of [...stretches].sort((a, b) => a.from - b.from)) {
    const last = blocks.at(-1);
    if (last && stretch.from - last.to < near)
      blocks.splice(-1, 1, { from: last.from, to: Math.max(last.to, stretch.to) });
    else blocks.push(stretch);
  }
  return blocks;
}

/** Time and value; null: no reading. */
export type Sample = readonly [at: number, value: number | null];
type Point = readonly [at: number, value: number];
/** Unbroken stretches. */
export type Line = readonly (readonly Point[])[];

/**
 * A line of about two points per column at most. Each column keeps its lowest and its highest sample at their times, so that
 * no peak is lost. A column with a gap breaks the line, so that no gap is lost.
 */
export function thin(samples: readonly Sample[], columns: number): Line {
  const size = samples.length <= 2 * columns ? 1 : Math.ceil(samples.length / columns);
  const stretches: Point[][] = [[]];
  for (let begin = 0; begin < samples.length; begin += size) {
    addColumn(stretches, samples.slice(begin, begin + size));
  }
  return stretches.filter((stretch) => stretch.length > 0);
}

function addColumn(stretches: Point[][], column: readonly Sample[]): void {
  const points = column.filter((sample): sample is Point => sample[1] !== null);
  const broken = points.length < column.length;
  if (broken && column[0]?.[1] === null) stretches.push([]);
  stretches.at(-1)?.push(...lowAndHigh(points));
  if (broken && column[0]?.[1] !== null) stretches.push([]);
}

/** In order of time; one point if they are the same. */
function lowAndHigh(points: readonly Point[]): readonly Point[] {
  if (points.length < 2) return points;
  const low = points.reduce((best, point) => (point[1] < best[1] ? point : best));
  const high = points.reduce((best, point) => (point[1] > best[1] ? point : best));
  if (low === high) return [low];
  return low[0] < high[0] ? [low, high] : [high, low];
}

import { type EpochMillis, hours, type Millis } from "../../clock.js";
import type { EventRecord, RunResult } from "../result.js";
import { clockTime, day, figure, html, type Markup, several } from "./markup.js";

/** Maps a range of values to 0 to 1, linearly. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  at(value: number): number;
}

export const linear = (from: number, to: number): Scale => ({
  from,
  to,
  at: (value) => (value - from) / (to - from),
});

/** Tolerance for binary fractions: 0.1 + 0.2 counts as 0.3. */
const EPSILON = 1e-9;

/** The smallest of 1, 2, 5, 10 times a power of ten that is not below `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least * (1 - EPSILON)) ?? 10);
}

/** A scale between round numbers around all `values`, with its ticks; about `most` intervals at most. */
export function roundScale(
  values: readonly number[],
  most: number,
): { readonly scale: Scale; readonly ticks: readonly number[] } {
  // not Math.min(...values): a year of hours is too many arguments
  const ordered = Float64Array.from(values).sort();
  const [least = 0, greatest = 1] = [ordered.at(0), ordered.at(-1)];
  const step = roundStep((greatest > least ? greatest - least : 1) / most);
  const from = Math.floor(least / step + EPSILON);
  const to = Math.max(from + 1, Math.ceil(greatest / step - EPSILON));
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => rounded((from + index) * step));
  return { scale: linear(rounded(from * step), rounded(to * step)), ticks };
}

/** 0.30000000000000004 is 0.3. */
const rounded = (value: number): number => Number(value.toPrecision(12));

export const DAY: Millis = hours(24);

/** An hour at least, for a run that was stopped at once. */
export function timeScale(start: string, end: string): Scale {
  const from = Date.parse(start);
  return linear(from, Math.max(Date.parse(end), from + hours(1)));
}

interface TimeTick {
  readonly at: EpochMillis;
  readonly label: string;
}

/** Steps that people find round. */
const STEPS: readonly Millis[] = [
  ...[1, 2, 3, 6, 12].map(hours),
  ...[1, 2, 3, 7, 14, 28, 91, 182, 364].map((days) => days * DAY),
];

/** Full hours or midnights, counted from the first, so that the first day has its label; `most` at most for 15 years. */
export function timeTicks({ from, to }: Scale, most: number): readonly TimeTick[] {
  const step = STEPS.find((length) => length >= (to - from) / (most - 1)) ?? 364 * DAY;
  const grain = Math.min(step, DAY);
  const first = Math.ceil(from / grain) * grain;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, n) => {
    const at = first + n * step;
    return { at, label: at % DAY === 0 ? day(at) : clockTime(at) };
  });
}

/** Width of a plot in its own units. The plot is stretched to the page's width; strokes and texts are not. */
const PLOT_WIDTH = 1000;

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
const percentAcross = (time: Scale, at: number): string => `${Math.round(time.at(at) * 10_000) / 100}%`;

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

/** Blocks along the time axis, from its top down for `height` pixels. Those that touch are one. */
export function strip(name: string, stretches: readonly Stretch[], time: Scale, height: number): Markup {
  const blocks: Stretch[] = [];
  for (const { from, to } of stretches) {
    const last = blocks.at(-1);
    if (last?.to === from) blocks.splice(-1, 1, { from: last.from, to });
    else blocks.push({ from, to });
  }
  const path = blocks.map(
    ({ from, to }) => `M${across(time, from)},0H${across(time, to)}v${height}H${across(time, from)}z`,
  );
  return html`<path class="${name}" d="${path.join("")}"/>`;
}

/** Time and value; null: no reading. */
export type Sample = readonly [at: number, value: number | null];
type Point = readonly [at: number, value: number];
/** Unbroken stretches. */
export type Line = readonly (readonly Point[])[];

/** About one column per pixel on a page 1000 px wide: more would only make the page larger. */
const COLUMNS = 800;

/** Of each column the lowest and the highest sample at their times, so that no peak is lost; a gap breaks the line. */
export function thin(samples: readonly Sample[], columns = COLUMNS): Line {
  const size = samples.length <= 2 * columns ? 1 : Math.ceil(samples.length / columns);
  const stretches: Point[][] = [[]];
  for (let begin = 0; begin < samples.length; begin += size) {
    const column = samples.slice(begin, begin + size);
    const sorted = column.filter(isPoint).sort(([, a], [, b]) => a - b);
    for (const sample of column)
      if (!isPoint(sample)) stretches.push([]);
      else if (sample === sorted[0] || sample === sorted.at(-1)) stretches.at(-1)?.push(sample);
  }
  return stretches.filter((stretch) => stretch.length > 0);
}

const isPoint = (sample: Sample): sample is Point => sample[1] !== null;

/** The time axis, its grid and the events, which all charts of a page share. */
export interface TimeFrame {
  readonly time: Scale;
  readonly ticks: readonly TimeTick[];
  readonly events: readonly NumberedEvent[];
  /** Drawn behind (`grid`) and over (`marks`) each panel's data. */
  readonly grid: readonly Markup[];
  readonly marks: readonly Markup[];
}

export interface NumberedEvent extends EventRecord {
  readonly number: number;
  /** Where it is on the time axis. */
  readonly x: string;
}

/** Labels are some 40 px wide: this many stay apart on a page 1000 px wide. */
const MAX_TICKS = 16;

export function timeFrameOf({ start, end, events }: Pick<RunResult, "start" | "end" | "events">): TimeFrame {
  const time = timeScale(start, end);
  const ticks = timeTicks(time, MAX_TICKS);
  const numbered = events
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map((event, index) => ({ ...event, number: index + 1, x: percentAcross(time, Date.parse(event.at)) }));
  const grid = ticks.map(({ at }) => upright("grid", percentAcross(time, at)));
  // a mouse over it shows its text
  const marks = numbered.map(({ by, x, number, text }) => upright(`event ${by}`, x, `${number}: ${text}`));
  return { time, ticks, events: numbered, grid, marks };
}

const upright = (name: string, x: string, title = ""): Markup =>
  html`<line class="${name}" x1="${x}" x2="${x}" y2="100%">${title && html`<title>${title}</title>`}</line>`;

/** The labels below the panels. */
export function timeAxis({ time, ticks }: TimeFrame): Markup {
  const labels = ticks.map(({ at, label }) => {
    const x = percentAcross(time, at);
    return html`<line class="axis" x1="${x}" x2="${x}" y2="4"/><text class="tick" x="${x}" y="16" text-anchor="middle">${label}</text>`;
  });
  return html`<div class="panel"><svg aria-hidden="true" height="20"><line class="axis" x2="100%"/>${labels}</svg></div>`;
}

/** The numbers of the events above the panels. */
export const markRow = ({ events }: TimeFrame): Markup | "" =>
  events.length === 0
    ? ""
    : html`<div class="panel"><svg role="img" aria-label="${several(events.length, "event")} along the time axis, listed below" height="16">
${events.map(({ number, by, x }) => html`<text class="mark ${by}" x="${x}" y="12" text-anchor="middle">${number}</text>`)}</svg></div>`;

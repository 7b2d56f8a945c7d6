import type { EpochMillis } from "../../units.js";
import { figure } from "./format.js";
import { html, type Markup } from "./markup.js";
import type { Scale } from "./scales.js";

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

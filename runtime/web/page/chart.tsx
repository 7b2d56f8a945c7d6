import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { followFingers } from "./chart-gestures.js";
import { useShared } from "./context.tsx";
import { at, type HouseClock } from "./figures.js";
import {
  axisFrom,
  figuresOfBars,
  hasAir,
  lineOf,
  outagesIn,
  placeOf,
  type StoryEvent,
} from "./story-data.js";
import { MARKS, markOf } from "./story-marks.js";
import type { StoryData } from "./story-query.js";
import type { TimeWindow } from "./time-window.js";
import type { Words } from "./words.js";

/** Pixels. */
const HEIGHT = 280;
const NEAR = 22;
/** Of a bar. A choice: a dose looks like a dose, however near one looks. */
const WIDEST = 24;
const DAY_S = 86_400;

/**
 * Moisture as a line, water as bars, light as bands, the rest as marks. A tap near a dose or a mark chooses it; one finger
 * or the mouse drags it through time, two fingers stretch it.
 */
export function Chart(of: {
  readonly data: StoryData;
  readonly events: readonly StoryEvent[];
  readonly label: string;
  readonly choose: (event: StoryEvent) => void;
  readonly move: (window: TimeWindow) => void;
}) {
  const { words, clock, nowMs } = useShared();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const colours = coloursOf(element);
    let shown: TimeWindow = { from: axisFrom(of.data), to: of.data.to };
    const axis = (): [number, number] => [shown.from / 1000, shown.to / 1000];
    const look = { words, clock, colours, width: element.clientWidth, axis };
    const plot = new uPlot(optionsOf(of.data, of.events, look), linesOf(of.data), element);
    const show = (window: TimeWindow) => {
      shown = window;
      const [min, max] = axis();
      plot.setScale("x", { min, max });
    };
    const hasMoved = followFingers(plot.over, shown, { latest: nowMs, show, done: of.move });
    const tap = ({ offsetX }: MouseEvent) => {
      const near = hasMoved() ? undefined : nearest(plot, of.events, offsetX);
      if (near) of.choose(near);
    };
    plot.over.addEventListener("click", tap);
    const sized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      plot.destroy();
    };
  }, [of.data, words, clock.zone]);
  return <div class="chart" ref={place} role="img" aria-label={of.label} />;
}

/** The soil, and the air where it is known. Both have gaps of their own. */
function linesOf({ rows }: StoryData): uPlot.AlignedData {
  const lines = [lineOf(rows), ...(hasAir(rows) ? [lineOf(rows, "air")] : [])];
  const all = [...new Set(lines.flatMap(({ times }) => times))].sort((a, b) => a - b);
  const values = lines.map(({ times, values }) => {
    const known = new Map(times.map((time, index) => [time, values[index]]));
    return all.map((time) => known.get(time)); // undefined is no gap, as null is
  });
  return [all.map((time) => time / 1000), ...values];
}

function nearest(plot: uPlot, events: readonly StoryEvent[], x: number): StoryEvent | undefined {
  const away = (event: StoryEvent) => Math.abs(plot.valToPos(event.time / 1000, "x") - x);
  const near = events.filter((event) => away(event) <= NEAR).sort((a, b) => away(a) - away(b));
  return near.find(({ kind }) => kind !== "photo") ?? near[0]; // a cycle shows its photos itself
}

type Colours = Readonly<
  Record<"ground" | "ink" | "grid" | "soil" | "fill" | "water" | "light" | "green" | "bad" | "warn", string>
>;

/** The page's colours, light or dark. */
function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: of("card"),
    ink: of("quiet"),
    grid: of("line"),
    soil: of("soil"),
    fill: of("soil-soft"),
    water: of("water"),
    light: of("lamp-soft"),
    green: of("green"),
    bad: of("bad"),
    warn: of("warn"),
  };
}

interface Look {
  readonly words: Words;
  readonly clock: HouseClock;
  readonly colours: Colours;
  readonly width: number;
  /** Seconds. */
  readonly axis: () => [number, number];
}

/** A reading between two gaps is no line: without a point of its own it would not be seen. */
const alone = (colour: string): uPlot.Series.Points => ({
  show: false,
  size: 5,
  width: 0,
  fill: colour,
  filter: ({ data }, series) => {
    const values = data[series] ?? [];
    const isGap = (index: number) => values[index] == null;
    return [...values.keys()].filter((index) => !isGap(index) && isGap(index - 1) && isGap(index + 1));
  },
});

function optionsOf(
  data: StoryData,
  events: readonly StoryEvent[],
  { words, clock, colours, width, axis: range }: Look,
): uPlot.Options {
  const axis = { stroke: colours.ink, grid: { stroke: colours.grid, width: 1 }, ticks: { show: false } };
  const withAir = hasAir(data.rows);
  const airAxis: uPlot.Axis = {
    ...axis,
    ...{ scale: "air", side: 1, size: 34, grid: { show: false }, incrs: [1, 2, 5, 10] },
    values: (_, splits) => splits.map((each) => `${each}°`),
  };
  const airSeries: uPlot.Series = {
    ...{ scale: "air", stroke: colours.warn, width: 1.5, dash: [4, 4] },
    ...{ points: alone(colours.warn), spanGaps: false },
  };
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), clock.zone),
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    scales: {
      x: { range },
      y: { range: (_, low, high) => rangeOf(low, high) },
      air: { range: (_, low, high) => [Math.floor((low ?? 0) - 2), Math.ceil((high ?? 30) + 2)] },
    },
    axes: [
      {
        ...axis,
        size: 34,
        values: (_, splits, _axis, _space, step) => splits.map((each) => tick(each, step, clock)),
      },
      {
        ...axis,
        size: 50,
        incrs: [1, 2, 5, 10, 20],
        values: (_, splits) => splits.map((each) => `${each} %`),
      },
      ...(withAir ? [airAxis] : []),
    ],
    series: [
      {},
      { stroke: colours.soil, width: 2, fill: colours.fill, points: alone(colours.soil), spanGaps: false },
      ...(withAir ? [airSeries] : []),
    ],
    hooks: {
      drawClear: [
        (plot) => drawLight(plot, data, colours),
        (plot) => drawOutages(plot, data, { words, colours }),
      ],
      draw: [(plot) => drawWater(plot, data, colours), (plot) => drawMarks(plot, events, colours)],
    },
  };
}

/** Some room around the line, at least 10 % high, so that noise looks like noise. */
function rangeOf(low: number | null, high: number | null): [number, number] {
  const [from, to] = [low ?? 0, high ?? 100];
  const room = Math.max(3, (10 - (to - from)) / 2);
  return [Math.max(0, Math.floor(from - room)), Math.min(100, Math.ceil(to + room))];
}

/** Midnight shows its day, other hours their time; steps of days show days alone. */
function tick(seconds: number, step: number, clock: HouseClock): string {
  const ms = seconds * 1000;
  const time = clock.clock(ms);
  return step >= DAY_S || time === "00:00" ? clock.day(ms) : time;
}

function drawLight(plot: uPlot, { light }: StoryData, { light: colour }: Colours): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colour;
  for (const { timestamp, minutes } of light) {
    const [from, to] = edgesOf(plot, at(timestamp), at(timestamp) + minutes * 60_000);
    ctx.fillRect(from, bbox.top, to - from, bbox.height);
  }
  ctx.restore();
}

/** Where a stretch of time begins and ends, as far as the chart shows it. */
function edgesOf({ bbox, valToPos }: uPlot, from: number, to: number): readonly [number, number] {
  const place = (ms: number) =>
    Math.min(bbox.left + bbox.width, Math.max(bbox.left, valToPos(ms / 1000, "x", true)));
  return [place(from), place(to)];
}

/** As in the key (story.css). */
const OUTAGE_TONES = { probe: "bad", off: "ink" } as const;

/** When nothing could be measured, with the reason where there is room for it. */
function drawOutages(
  plot: uPlot,
  { record, to }: StoryData,
  { words, colours }: Pick<Look, "words" | "colours">,
): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  for (const { why, ...span } of outagesIn(record, to)) {
    const [from, until] = edgesOf(plot, span.from, span.to);
    ctx.globalAlpha = 0.12;
    ctx.fillStyle = colours[OUTAGE_TONES[why]];
    ctx.fillRect(from, bbox.top, until - from, bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colours.ink;
    const label = words.outages[why];
    const room = until - from;
    if (room < 14 * ratio) continue;
    ctx.save();
    ctx.translate((from + until) / 2, bbox.top + bbox.height / 3); // the lowest third has the bars and their figures
    if (ctx.measureText(label).width + 8 * ratio > room) ctx.rotate(-Math.PI / 2); // upright where it is narrow
    ctx.fillText(label, 0, 4 * ratio);
    ctx.restore();
  }
  ctx.restore();
}

/** Bars from the ground, a third of the height for the most water of one bucket; above them the water of each, or of neighbours. */
function drawWater(plot: uPlot, { rows, poured }: StoryData, colours: Colours): void {
  const { ctx, bbox } = plot;
  const most = Math.max(0, ...rows.map(({ ml }) => ml));
  if (most === 0) return;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colours.water;
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "center";
  ctx.strokeStyle = colours.ground;
  ctx.lineWidth = 4 * ratio;
  ctx.lineJoin = "round";
  const bars = rows
    .filter(({ ml }) => ml > 0)
    .map((row) => {
      const { from, to, ml } = row;
      const [left, right] = [plot.valToPos(from / 1000, "x", true), plot.valToPos(to / 1000, "x", true)];
      const width = Math.min(WIDEST * ratio, Math.max(3 * ratio, right - left - ratio));
      const height = (bbox.height / 3) * (ml / most);
      const middle = plot.valToPos(placeOf(row, poured) / 1000, "x", true);
      const top = bbox.top + bbox.height - height;
      ctx.fillRect(middle - width / 2, top, width, height);
      return { ml, middle, top };
    });
  for (const { ml, middle, top } of figuresOfBars(bars, 40 * ratio)) {
    const label = `${Math.round(ml)} ml`;
    const above = top - 4 * ratio;
    const half = ctx.measureText(label).width / 2 + ctx.lineWidth / 2;
    // a figure at the edge stays clear of the axis
    const place = Math.min(bbox.left + bbox.width - half, Math.max(bbox.left + half, middle));
    ctx.strokeText(label, place, above); // an edge, so that a curve behind it does not cross the figure
    ctx.fillText(label, place, above);
  }
  ctx.restore();
}

/** At the top: cycles in the first row, in the second one what went wrong and what ended it; photos at the ground. */
function drawMarks(plot: uPlot, events: readonly StoryEvent[], colours: Colours): void {
  const { ctx, bbox } = plot;
  const size = 3.5 * devicePixelRatio;
  for (const event of events) {
    const name = markOf(event);
    if (name === undefined) continue;
    const { path, tone, isFilled } = MARKS[name];
    const shape = new Path2D(path);
    ctx.save();
    const row = event.kind === "cycle" ? 2 : 5.5;
    const height = event.kind === "photo" ? bbox.top + bbox.height - 1.5 * size : bbox.top + row * size;
    ctx.translate(plot.valToPos(event.time / 1000, "x", true), height);
    ctx.scale(size, size);
    ctx.lineWidth = (2 * devicePixelRatio) / size;
    ctx.fillStyle = ctx.strokeStyle = colours[tone];
    if (isFilled) ctx.fill(shape);
    else ctx.stroke(shape);
    ctx.restore();
  }
}

import type { EpochMillis } from "../../clock.js";
import type { EventRecord, RunResult } from "../result.js";
import { instant, percentAcross, type Scale, type TimeTick, timeScale, timeTicks } from "./chart.js";
import { html, type Markup, several } from "./markup.js";

/** The time axis, its grid and the events, which all charts of a page share. */
export interface TimeFrame {
  readonly time: Scale;
  readonly ticks: readonly TimeTick[];
  readonly events: readonly NumberedEvent[];
  /** Drawn behind (`grid`) and over (`marks`) each panel's data. */
  readonly grid: readonly Markup[];
  readonly marks: readonly Markup[];
}

/** Labels are some 40 px wide: this many stay apart on a page 1000 px wide. */
const MAX_TICKS = 16;

export function timeFrameOf({ start, end, events }: Pick<RunResult, "start" | "end" | "events">): TimeFrame {
  const time = timeScale(start, end);
  const ticks = timeTicks(time, MAX_TICKS);
  const inOrder = numbered(events);
  const grid = ticks.map(({ at }) => timeLine(percentAcross(time, at)));
  return { time, ticks, events: inOrder, grid, marks: eventLines(inOrder, time) };
}

const timeLine = (x: string): Markup => html`<line class="grid" x1="${x}" x2="${x}" y2="100%"/>`;

/** This many labels stay apart on a telephone, where a plot has some 280 px. */
const MAX_LABELS_NARROW = 6;

/** The labels below the panels. Labels of class `minor` are hidden on a narrow page. */
export function timeAxis({ time, ticks }: Pick<TimeFrame, "time" | "ticks">): Markup {
  const every = Math.ceil(ticks.length / MAX_LABELS_NARROW);
  const labels = ticks.map(({ at, label }, index) => {
    const x = percentAcross(time, at);
    const name = index % every === 0 ? "tick" : "tick minor";
    return html`<line class="axis" x1="${x}" x2="${x}" y2="4"/><text class="${name}" x="${x}" y="16" text-anchor="middle">${label}</text>`;
  });
  return html`<div class="panel"><svg aria-hidden="true" height="20"><line class="axis" x2="100%"/>${labels}</svg></div>`;
}

export interface NumberedEvent extends EventRecord {
  readonly number: number;
  readonly instant: EpochMillis;
}

/** In order of time, numbered from 1. */
export const numbered = (events: readonly EventRecord[]): readonly NumberedEvent[] =>
  events
    .map((event) => ({ ...event, instant: instant(event.at, "an event's time") }))
    .sort((a, b) => a.instant - b.instant)
    .map((event, index) => ({ ...event, number: index + 1 }));

/** One line through the panel per event. A mouse over it shows its text. */
const eventLines = (events: readonly NumberedEvent[], time: Scale): Markup[] =>
  events.map(({ by, text, number, instant }) => {
    const x = percentAcross(time, instant);
    return html`<line class="event ${by}" x1="${x}" x2="${x}" y2="100%"><title>${number}: ${text}</title></line>`;
  });

/** One label for several numbers, if there is no space for all. */
interface Label extends Pick<NumberedEvent, "by" | "instant"> {
  readonly first: number;
  readonly last: number;
  readonly lane: number;
}

/** A choice: with more lanes the numbers would be too far from their lines. */
const LANES = 3;
const LANE_HEIGHT = 17;
/** Widths in px: a plot on a telephone; one character of a label; its padding. */
const NARROW = 280;
const CHARACTER_WIDTH = 7;
const LABEL_PADDING = 8;

/** Labels never overlap, even on a narrow page: each takes the first free lane, or joins the label before it. */
export function labels(events: readonly NumberedEvent[], time: Scale): readonly Label[] {
  const placed: Label[] = [];
  for (const { number, by, instant } of events) {
    const label = { first: number, last: number, by, instant };
    const lane = freeLane(placed, label, time);
    const before = placed.at(-1);
    if (lane !== undefined || !before) placed.push({ ...label, lane: lane ?? 0 });
    else placed.splice(-1, 1, { ...before, last: number });
  }
  return placed;
}

function freeLane(placed: readonly Label[], label: Omit<Label, "lane">, time: Scale): number | undefined {
  const begin = time.at(label.instant) * NARROW - widthOf(label) / 2;
  return Array.from({ length: LANES }, (_, lane) => lane).find((lane) =>
    placed.every((other) => other.lane !== lane || endOf(other, time) <= begin),
  );
}

/** A label may grow when another joins it, so the space for a second number is reserved. */
const endOf = (label: Label, time: Scale): number =>
  time.at(label.instant) * NARROW + widthOf({ ...label, last: label.first + 1 }) / 2;

const numberText = ({ first, last }: Pick<Label, "first" | "last">): string =>
  first === last ? String(first) : `${first}–${last}`;

const widthOf = (label: Pick<Label, "first" | "last">): number =>
  numberText(label).length * CHARACTER_WIDTH + LABEL_PADDING;

/** The row of numbers above the panels. */
export function markRow(events: readonly NumberedEvent[], time: Scale): Markup | "" {
  if (events.length === 0) return "";
  const placed = labels(events, time);
  const height = LANE_HEIGHT * (1 + Math.max(...placed.map(({ lane }) => lane)));
  return html`<div class="panel"><svg role="img" aria-label="${several(events.length, "event")} along the time axis, listed below" height="${height}">
${placed.map((label) => pill(label, time, height))}</svg></div>`;
}

function pill(label: Label, time: Scale, height: number): Markup {
  const [x, width] = [percentAcross(time, label.instant), widthOf(label)];
  const top = height - LANE_HEIGHT * (label.lane + 1);
  return html`<line class="event ${label.by}" x1="${x}" x2="${x}" y1="${top + 14}" y2="${height}"/>
<svg class="pill ${label.by}" x="${x}" y="${top}"><rect x="${-width / 2}" width="${width}" height="15" rx="${label.by === "person" ? 7.5 : 2}"/><text y="11.5" text-anchor="middle">${numberText(label)}</text></svg>`;
}

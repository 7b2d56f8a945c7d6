import type { EpochMillis } from "../../units.js";
import type { EventRecord } from "../result.js";
import { html, type Markup } from "./markup.js";
import { percentAcross } from "./panel.js";
import type { Scale } from "./scale.js";
import { instant } from "./time-axis.js";
import { several } from "./words.js";

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

/** The lines that events draw through a panel. A mouse over one shows its text. */
export const eventLines = (events: readonly NumberedEvent[], time: Scale): Markup[] =>
  events.map(({ by, text, number, instant }) => {
    const x = percentAcross(time, instant);
    return html`<line class="event ${by}" x1="${x}" x2="${x}" y2="100%"><title>${number}: ${text}</title></line>`;
  });

/** Numbers that share a label, since the page has no room for one each. */
export interface Label {
  readonly first: number;
  readonly last: number;
  readonly by: EventRecord["by"];
  readonly instant: EpochMillis;
  readonly lane: number;
}

/** More lanes than this would part the numbers from their lines: a choice. */
const LANES = 3;
const LANE_HEIGHT = 17;
/** Of a narrow plot, 280 px on a telephone: a label takes this part of its width, in pixels by its signs. */
const NARROW = 280;
const SIGN_WIDTH = 7;
const LABEL_PADDING = 8;

/** Labels do not overlap even on a narrow page: a label takes the first free lane, or joins the one before it. */
export function labels(events: readonly NumberedEvent[], time: Scale): readonly Label[] {
  const placed: Label[] = [];
  for (const event of events) {
    const lane = freeLane(placed, event, time);
    const before = placed.at(-1);
    if (lane !== undefined || !before) placed.push(labelOf(event, lane ?? 0));
    else placed.splice(-1, 1, { ...before, last: event.number });
  }
  return placed;
}

const labelOf = ({ number, by, instant }: NumberedEvent, lane: number): Label => ({
  first: number,
  last: number,
  by,
  instant,
  lane,
});

function freeLane(placed: readonly Label[], event: NumberedEvent, time: Scale): number | undefined {
  const begin = time.at(event.instant) * NARROW - widthOf(labelOf(event, 0)) / 2;
  return Array.from({ length: LANES }, (_, lane) => lane).find((lane) =>
    placed.every((label) => label.lane !== lane || endOf(label, time) <= begin),
  );
}

/** A joined label may still grow: room for its hyphen and second number is kept from the start. */
const endOf = (label: Label, time: Scale): number =>
  time.at(label.instant) * NARROW + widthOf({ ...label, last: label.first + 1 }) / 2;

const words = ({ first, last }: Pick<Label, "first" | "last">): string =>
  first === last ? String(first) : `${first}–${last}`;

const widthOf = (label: Pick<Label, "first" | "last">): number =>
  words(label).length * SIGN_WIDTH + LABEL_PADDING;

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
<svg class="pill ${label.by}" x="${x}" y="${top}"><rect x="${-width / 2}" width="${width}" height="15" rx="${label.by === "person" ? 7.5 : 2}"/><text y="11.5" text-anchor="middle">${words(label)}</text></svg>`;
}

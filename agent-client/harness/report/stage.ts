import type { RunResult } from "../result.js";
import { eventLines, type NumberedEvent, numbered } from "./marks.js";
import { html, type Markup } from "./markup.js";
import { percentAcross } from "./panel.js";
import type { Scale } from "./scale.js";
import { type TimeTick, timeScale, timeTicks } from "./time-axis.js";

/** What all charts of a page share: the time axis, its grid, and the events. */
export interface Stage {
  readonly time: Scale;
  readonly ticks: readonly TimeTick[];
  readonly events: readonly NumberedEvent[];
  /** To be drawn behind each panel's data, and over it. */
  readonly grid: readonly Markup[];
  readonly marks: readonly Markup[];
}

/** As many labels, some 40 px wide, as stand well apart on a page 1000 px wide. */
const MOST_TICKS = 16;

export function stageOf({ start, end, events }: Pick<RunResult, "start" | "end" | "events">): Stage {
  const time = timeScale(start, end);
  const ticks = timeTicks(time, MOST_TICKS);
  const inOrder = numbered(events);
  const grid = ticks.map(({ at }) => timeLine(percentAcross(time, at)));
  return { time, ticks, events: inOrder, grid, marks: eventLines(inOrder, time) };
}

const timeLine = (x: string): Markup => html`<line class="grid" x1="${x}" x2="${x}" y2="100%"/>`;

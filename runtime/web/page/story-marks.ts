import type { StoryEvent } from "./story-data.js";

/** The marks of what happened: one table for the chart and for its key. */

type MarkName = "cycle" | "refused" | "fault" | "hold" | "over" | "note" | "photo";

interface Mark {
  /** In the notation of SVG, within -1 and 1. */
  readonly path: string;
  readonly tone: "green" | "bad" | "warn" | "ink";
  readonly isFilled: boolean;
}

const RING = "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z";

/** In the order of the key. Each has a shape of its own, for those who tell no colours apart. */
export const MARKS: Readonly<Record<MarkName, Mark>> = {
  cycle: { path: RING, tone: "green", isFilled: true },
  refused: { path: "M-1-1L1 1M1-1L-1 1", tone: "bad", isFilled: false },
  fault: { path: "M0-1.2L1.2 1L-1.2 1Z", tone: "bad", isFilled: true },
  hold: { path: "M-.6-1V1M.6-1V1", tone: "warn", isFilled: false },
  over: { path: RING, tone: "green", isFilled: false },
  note: { path: "M-1-1H1V1H-1Z", tone: "ink", isFilled: true },
  photo: { path: "M0-1.1L1.1 0L0 1.1L-1.1 0Z", tone: "ink", isFilled: true },
};
export const MARK_NAMES = Object.keys(MARKS) as MarkName[];

const OF_CONTROLS: Readonly<Record<string, MarkName>> = {
  hold: "hold",
  fault: "fault",
  tank_empty: "fault",
  probe_fault: "fault",
  camera_fault: "fault",
  resume: "over",
  clear: "over",
  tank_filled: "over",
  probe_ok: "over",
  camera_ok: "over",
  started: "over",
};

/** Undefined for a dose, which is a bar, and for an off of everything, which neither begins nor ends a trouble. */
export function markOf(event: StoryEvent): MarkName | undefined {
  if (event.kind === "dose") return undefined;
  if (event.kind === "cycle") return event.event.proceed ? "cycle" : "refused";
  if (event.kind === "note" || event.kind === "photo") return event.kind;
  return event.kind === "refused" ? "refused" : OF_CONTROLS[event.event.kind];
}

import { errorTable } from "../../errors.js";
import type { Stamp } from "../../safety/stamp.js";

export const LIGHT_ERRORS = errorTable({
  LIGHT_ALREADY_ON: { retryable: true, changed: "nothing", fix: "wait until it is off, or switch it off" },
  LIGHT_COOLDOWN: { retryable: true, changed: "nothing", fix: "wait until the light has rested" },
});

export type LightEnd = "elapsed" | "turned_off" | "restart" | "uncertain" | "failed";

/** What switching on is: this very object is checked, written down and executed. */
export interface LightOrder {
  readonly plant: string;
  readonly minutes: number;
  readonly off_at: string;
  readonly by: string;
  readonly cycle?: number;
}

/** A line of journal/light.jsonl. */
export type LightEntry = { readonly timestamp: string; readonly stamp: Stamp } & (
  | ({ readonly kind: "on" } & LightOrder)
  | { readonly kind: "off"; readonly of: number; readonly ended: LightEnd; readonly lit_ms: number }
);

/** A stretch of light as history shows it. `minutes` is what was lit; while on, what was asked. */
export interface LightRecord {
  readonly timestamp: string;
  readonly plant: string;
  readonly minutes_requested: number;
  readonly minutes: number;
  readonly off_at: string;
  /** Null while the light is on. */
  readonly ended: LightEnd | null;
  readonly by: string;
  readonly cycle: number | null;
  readonly on_stamp: Stamp;
  readonly off_stamp: Stamp | null;
}

export const LIGHT_LOG = {
  name: "light",
  recordId: (entry: LightEntry) => (entry.kind === "off" ? entry.of : undefined),
  fold: (previous: LightRecord | undefined, entry: LightEntry): LightRecord =>
    entry.kind === "on" ? begun(entry) : over(previous, entry),
};

const begun = (entry: LightEntry & { kind: "on" }): LightRecord => ({
  timestamp: entry.timestamp,
  plant: entry.plant,
  minutes_requested: entry.minutes,
  minutes: entry.minutes,
  off_at: entry.off_at,
  ended: null,
  by: entry.by,
  cycle: entry.cycle ?? null,
  on_stamp: entry.stamp,
  off_stamp: null,
});

function over(previous: LightRecord | undefined, entry: LightEntry & { kind: "off" }): LightRecord {
  if (!previous) throw new Error(`light.jsonl: an "off" of ${entry.of}, which no line has switched on`);
  return {
    ...previous,
    minutes: Math.round(entry.lit_ms / 600) / 100,
    off_at: entry.timestamp,
    ended: entry.ended,
    off_stamp: entry.stamp,
  };
}

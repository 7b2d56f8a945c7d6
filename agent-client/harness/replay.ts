import { basename, resolve } from "node:path";
import { readRecording } from "../../drivers/bench/replay.js";
import { hours } from "../../drivers/units.js";
import { isoUtc } from "../../runtime/tools/iso-time.js";
import type { Scenario } from "./scenario.js";

/** A recording that takes the place of all plants. */
export interface Replay {
  readonly file: string;
  /** Of its local times. */
  readonly zone: string;
}

export interface ReplayedCourse {
  readonly replay: Replay;
  readonly scenario: Scenario;
  /** Epoch milliseconds of its first row. */
  readonly start: number;
  /** To a tenth. */
  readonly days: number;
}

const DAY = hours(24);

/** How long a recording is and when it begins. Throws REPLAY_INVALID with file, line and reason. */
export function replayedCourse(file: string, zone: string): ReplayedCourse {
  const rows = readRecording(file, zone);
  const [{ at: start }, last = rows[0]] = [rows[0], rows.at(-1)];
  const days = Math.max(0.1, Math.floor((10 * (last.at - start)) / DAY) / 10);
  return { replay: { file: resolve(file), zone }, scenario: scenarioOf(file, start), start, days };
}

const scenarioOf = (file: string, start: number): Scenario => ({
  name: "replay",
  title: `Replay of ${basename(file)}`,
  story:
    "A pot that somebody recorded, read through the probe as it was then. It is past and done: neither water nor light move it, so doses count as unanswered, and its vigour is taken as unharmed.",
  days: 1,
  plants: ["basil"],
  start: isoUtc(start),
  hydration: 100,
  water_decides: false,
  repair_after_hours: 8,
  events: [],
});

import { hours, type Millis } from "../../../drivers/units.js";
import type { Obstacle } from "./obstacle.js";

/** The last thing that somebody did for a plant without completing a care. */
export interface Attempt {
  readonly timestamp: string;
  /** `hindered`: it would have been a completed care, but an {@link Obstacle} stood in the way. */
  readonly what: "refused" | "planned" | "hindered";
  /** Of a refused status. */
  readonly reason: string;
}

/** A plant that nobody cares for. */
export interface UncaredPlant {
  readonly plant: string;
  readonly lasted: Millis;
  /** Wall clock at the last completed care; at the plant's first start where there was none yet. */
  readonly since: string;
  readonly everCared: boolean;
  readonly attempt: Attempt | null;
  readonly obstacle: Obstacle | undefined;
}

/** Above this, days say more than hours. */
const IN_HOURS = hours(72);

/**
 * Tells the person which plants nobody cares for: since when, why as far as the runtime knows, and what to do. One letter
 * for all of them: where the agent is gone, all plants are due at the same hour.
 */
export function careLetter(plants: readonly UncaredPlant[], period: Millis): string {
  const names = plants.map(({ plant }) => plant).join(", ");
  const ofAgent = plants.some(({ obstacle }) => obstacle === undefined) ? [AGENT] : [];
  return [
    ...plants.map(paragraph),
    ...ofAgent,
    `Please look after ${names}; tendril status shows every plant. This message comes again after each ${inWords(period)} without care (care.tell_after_hours in the configuration).`,
  ].join("\n");
}

const AGENT =
  "On the agent's computer, tendril log shows what the agent did last, and tendril agent starts one if none runs.";

function paragraph({ plant, lasted, since, everCared, attempt, obstacle }: UncaredPlant): string {
  const from = everCared ? "the last time was" : "it has been watched, without any care, since";
  const remedy = obstacle ? ` ${obstacle.remedy}` : "";
  return `Nobody has cared for ${plant} for ${inWords(lasted)}: ${from} ${since}. ${why(attempt, obstacle)}${remedy}`;
}

function why(attempt: Attempt | null, obstacle: Obstacle | undefined): string {
  const silence = "No agent has written a plant status since then";
  if (obstacle) return `The reason: ${obstacle.what}.${attempt ? "" : ` ${silence} either.`}`;
  if (!attempt) return `${silence}: perhaps none is running.`;
  const last = `The last plant status, of ${attempt.timestamp},`;
  if (attempt.what === "refused") return `${last} was refused: ${attempt.reason}`;
  if (attempt.what === "planned")
    return `${last} was accepted, but nothing of its plan was carried out: no water flowed, and no light went on.`;
  return `What was done last, at ${attempt.timestamp}, does not count: a hold or a fault kept the water off then.`;
}

function inWords(time: Millis): string {
  const [count, unit] =
    time < IN_HOURS ? [Math.floor(time / hours(1)), "hour"] : [Math.floor(time / hours(24)), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

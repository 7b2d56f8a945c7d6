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

export interface CareNews {
  readonly plant: string;
  readonly lasted: Millis;
  /** Wall clock at the last completed care; at the plant's first start where there was none yet. */
  readonly since: string;
  readonly everCared: boolean;
  readonly attempt: Attempt | null;
  readonly obstacle: Obstacle | undefined;
  readonly period: Millis;
}

/** Above this, days say more than hours. */
const IN_HOURS = hours(72);

/** Tells the person that nobody cares for the plant: since when, why as far as the runtime knows, and what to do. */
export function careLetter({ plant, lasted, since, everCared, attempt, obstacle, period }: CareNews): string {
  const from = everCared ? "the last time was" : "it has been watched, without any care, since";
  const again = `This message comes every ${inWords(period)} until ${plant} is cared for (care.tell_after_hours in the configuration).`;
  return [
    `Nobody has cared for ${plant} for ${inWords(lasted)}: ${from} ${since}.`,
    why(attempt, obstacle),
    obstacle?.remedy ?? whatToDo(attempt),
    `Please look after ${plant}; tendril status shows how it is.`,
    again,
  ].join("\n");
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

const whatToDo = (attempt: Attempt | null): string =>
  attempt
    ? "On the agent's computer, tendril log shows what the agent did."
    : "On the agent's computer, tendril log shows what the agent did last, and tendril agent starts it.";

function inWords(time: Millis): string {
  const [count, unit] =
    time < IN_HOURS ? [Math.floor(time / hours(1)), "hour"] : [Math.floor(time / hours(24)), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

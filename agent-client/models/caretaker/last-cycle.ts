import { type EpochMillis, type Millilitres, minutes, type Percent } from "../../units.js";
import { type Care, plantName } from "./care.js";
import { percent } from "./facts.js";
import { allOf } from "./transcript.js";

/** What this cycle came to, in a line: the note keeps it, and `lastCycle` reads it back. */
export function summary({ facts, exchanges, gate }: Care): string {
  const { soil } = facts;
  const done = (tool: string, argument: string) =>
    allOf(exchanges, tool).reduce((sum, { args, error }) => sum + (error ? 0 : Number(args[argument])), 0);
  const moisture = soil.fault === undefined ? `moisture ${percent(soil.reading)}` : "moisture unknown";
  const status = gate.plan ? "" : ", no cleared status";
  return `${moisture}, ${done("dispense_water", "ml")} ml, ${done("turn_on_light", "minutes")} min of light${status}`;
}

const LINE = /^(\S+) moisture (?:(-?\d+(?:\.\d+)?) %|unknown), (\d+) ml,/;

interface LastCycle {
  readonly at: EpochMillis;
  readonly moisture: Percent | undefined;
  readonly poured: Millilitres;
}

export function lastCycle(care: Care): LastCycle | undefined {
  const [, timestamp = "", moisture, ml] = LINE.exec(care.memory.plants.get(plantName(care)) ?? "") ?? [];
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) return undefined;
  return { at, moisture: moisture === undefined ? undefined : Number(moisture), poured: Number(ml) };
}

/** Water needs a quarter of an hour from the surface to the probe (CONTRACT.md, "Water"), and some minutes more to be sure. */
const SINKS_IN = minutes(20);
/** A rise beyond noise. */
const ANSWER: Percent = 1;

/** Whether the last water is still on its way, so that the reading tells of the time before it. */
export function isSinkingIn(care: Care): boolean {
  const { now, soil } = care.facts;
  const last = lastCycle(care);
  if (now === undefined || !last || last.poured === 0 || now - last.at >= SINKS_IN || now < last.at)
    return false;
  const risen = (soil.reading?.percent ?? 0) - (last.moisture ?? Number.POSITIVE_INFINITY);
  return risen < ANSWER;
}

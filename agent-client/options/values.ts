import { InvalidArgumentError, Option } from "commander";
import { messageOf } from "../../drivers/system-error.js";
import { TOOL_SETS } from "../cycle/tool-set.js";
import { UsageError } from "../errors.js";
import type { Bounds } from "../models/retrying-model.js";
import { STYLES } from "../models/style.js";
import { hours, type Millis, minutes, seconds } from "../units.js";

const UNITS: Readonly<Record<string, Millis>> = { s: seconds(1), m: minutes(1), h: hours(1) };

/** From cycle to cycle. Throws for anything but 1m to 24h. */
export const duration = (text: string): Millis =>
  time(text, [minutes(1), hours(24)], "from 1m to 24h, such as 30m or 1.5h");

/** For one reply. Throws for anything but 1s to 29m. */
export const replyTime = (text: string): Millis =>
  time(text, [seconds(1), LONGEST_CYCLE], "from 1s to 29m, such as 10m");

/** For a whole cycle. Throws for anything but 1m to 29m. */
export const cycleTime = (text: string): Millis =>
  time(text, [minutes(1), LONGEST_CYCLE], "from 1m to 29m, such as 25m");

/** For a look at the network. Throws for anything but 1s to 1m. */
export const lookTime = (text: string): Millis =>
  time(text, [seconds(1), minutes(1)], "from 1s to 1m, such as 5s");

/** A runtime holds a cycle open, and others off, for half an hour at most (its cycle.max_age_minutes). */
const LONGEST_CYCLE: Millis = minutes(29);

function time(text: string, [least, most]: readonly [Millis, Millis], range: string): Millis {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const length = Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (length >= least && length <= most) return length;
  throw new Error(`must be a time ${range}`);
}

export const rounds = (text: string): number => wholeNumber(text, 1000);

/** A limit of a day. */
export const limit = (text: string): number => wholeNumber(text, 1_000_000_000);

function wholeNumber(text: string, most: number): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  throw new Error(`must be a whole number from 1 to ${most}`);
}

/** Commander wants its own error to name the option. */
export const checked =
  <T>(parse: (text: string) => T) =>
  (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  };

/** How a language model works. */
export const styleOption = (): Option =>
  new Option(
    "--style <style>",
    "how a language model works: calls, it calls tools; decide, it answers once a cycle, and the program reads and acts for it; auto, what it was found to be able to do (default)",
  ).choices(STYLES);

/** How many tools a language model is shown. */
export const toolsOption = (): Option =>
  new Option(
    "--tools <set>",
    "what a language model is shown: care, the tools that a care cycle takes (default), or all of the runtime's",
  ).choices(TOOL_SETS);

/** What a model may take: `replyWithin` and `cycleWithin`. */
export const boundOptions = (): Option[] => [
  new Option("--reply-within <time>", "time for one reply of a model, else it has failed: 90s, 10m")
    .argParser(checked(replyTime))
    .default(minutes(10), "10m"),
  new Option("--cycle-within <time>", "time for a whole cycle, less than the runtime's cycle.max_age_minutes")
    .argParser(checked(cycleTime))
    .default(minutes(25), "25m"),
];

/** Throws a UsageError for bounds that cannot both be kept. */
export function possibleBounds(bounds: Bounds): Bounds {
  if (bounds.reply < bounds.cycle) return bounds;
  throw new UsageError("--reply-within must be less than --cycle-within: a cycle takes several replies");
}

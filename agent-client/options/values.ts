import { InvalidArgumentError, Option } from "commander";
import { messageOf } from "../../drivers/system-error.js";
import { hours, type Millis, minutes, seconds } from "../clock.js";
import { TOOL_SETS } from "../cycle/tool-runner.js";
import { UsageError } from "../errors.js";
import type { Bounds } from "../models/retrying-model.js";
import { STYLES } from "../models/style.js";

const UNITS: Readonly<Record<string, Millis>> = { s: seconds(1), m: minutes(1), h: hours(1) };

/** Time between cycles. Throws for anything but 1m to 24h. */
export const duration = (text: string): Millis =>
  time(text, [minutes(1), hours(24)], "from 1m to 24h, such as 30m or 1.5h");

/** Time for one reply. Throws for anything but 1s to 29m. */
export const replyTime = (text: string): Millis =>
  time(text, [seconds(1), LONGEST_CYCLE], "from 1s to 29m, such as 10m");

/** Time for a whole cycle. Throws for anything but 1m to 29m. */
export const cycleTime = (text: string): Millis =>
  time(text, [minutes(1), LONGEST_CYCLE], "from 1m to 29m, such as 25m");

/** Time to look at the network. Throws for anything but 1s to 1m. */
export const lookTime = (text: string): Millis =>
  time(text, [seconds(1), minutes(1)], "from 1s to 1m, such as 5s");

/** A runtime keeps a cycle open for half an hour at most (its cycle.max_age_minutes). */
const LONGEST_CYCLE: Millis = minutes(29);

function time(text: string, [least, most]: readonly [Millis, Millis], range: string): Millis {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const length = Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (length >= least && length <= most) return length;
  throw new Error(`must be a time ${range}`);
}

export const rounds = (text: string): number => wholeNumber(text, 1000);

export const limit = (text: string): number => wholeNumber(text, 1_000_000_000);

function wholeNumber(text: string, most: number): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
  throw new Error(`must be a whole number from 1 to ${most}`);
}

/** Throws commander's own error, so that commander names the option. */
export const checked =
  <T>(parse: (text: string) => T) =>
  (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(messageOf(error));
    }
  };

export const styleOption = (): Option =>
  new Option(
    "--style <style>",
    "how a language model works: calls, it calls tools; decide, it answers once a cycle, and the program reads and acts for it; auto, found out by a test (default)",
  ).choices(STYLES);

/** Which tools a language model gets. */
export const toolsOption = (): Option =>
  new Option(
    "--tools <set>",
    "tools for a language model: care, those of a care cycle (default), or all of the runtime's",
  ).choices(TOOL_SETS);

export const boundOptions = (): Option[] => [
  new Option("--reply-within <time>", "time limit for one reply of a model: 90s, 10m")
    .argParser(checked(replyTime))
    .default(minutes(10), "10m"),
  new Option("--cycle-within <time>", "time limit for a cycle, less than the runtime's cycle.max_age_minutes")
    .argParser(checked(cycleTime))
    .default(minutes(25), "25m"),
];

/** Throws a UsageError unless a reply's limit is below a cycle's. */
export function possibleBounds(bounds: Bounds): Bounds {
  if (bounds.reply < bounds.cycle) return bounds;
  throw new UsageError("--reply-within must be less than --cycle-within: a cycle takes several replies");
}

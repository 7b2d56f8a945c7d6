import type { Clock } from "../../../drivers/ports.js";
import { type Millis, millis, seconds } from "../../../drivers/units.js";
import { LEAST_SPAN } from "../../config/devices.js";
import type { MeasuredProbe } from "../../wire/plants.js";
import { CommandError } from "../failure.js";
import { Refused } from "../remote.js";
import type { Terminal } from "./terminal.js";

export type Unit = MeasuredProbe["unit"];

/** A level that has come to rest. */
export interface Steady {
  readonly level: number;
  readonly unit: Unit;
  /** From the least to the greatest, of the levels or of one measurement's conversions. */
  readonly spread: number;
  readonly resembles: MeasuredProbe["resembles"];
  /** The calibration that the runtime goes by now. */
  readonly inForce: { readonly dry: number; readonly wet: number };
}

/** So many in a row must agree, so far apart: three seconds, in which a probe that is still getting wet shows it (choices). */
const IN_A_ROW = 6;
const EVERY: Millis = millis(500);
/** A hundredth of the span that a usual probe of the kind has, 1.5 V or 1500 counts (a choice). */
const WITHIN: Readonly<Record<Unit, number>> = { V: 0.015, counts: 15 };
/** What the conversions of one measurement may differ by: half of the least span there is; an open input picks up more. */
const HUM: Readonly<Record<Unit, number>> = { V: LEAST_SPAN.V / 2, counts: LEAST_SPAN.counts / 2 };
/** Soil and water settle in seconds; who still fiddles with a plug needs a little longer (a choice). */
const PATIENCE: Millis = seconds(60);

/** The last levels, where they agree. */
export function steadyOf(measured: readonly MeasuredProbe[]): Steady | undefined {
  const last = measured.slice(-IN_A_ROW);
  const newest = last.at(-1);
  if (last.length < IN_A_ROW || !newest) return undefined;
  const { unit, resembles, dry, wet } = newest;
  if (rangeOf(last) > WITHIN[unit] || last.some((each) => each.spread > HUM[unit])) return undefined;
  const levels = last.map(({ level }) => level).sort((a, b) => a - b);
  const level = ((levels[IN_A_ROW / 2 - 1] ?? 0) + (levels[IN_A_ROW / 2] ?? 0)) / 2;
  const spread = Math.max(rangeOf(last), ...last.map((each) => each.spread));
  return { level, unit, spread, resembles, inForce: { dry, wet } };
}

/** Levels are told to the millivolt, counts are whole. */
export const inWords = (level: number, unit: Unit): string =>
  unit === "V" ? `${level.toFixed(3)} V` : `${Math.round(level)} counts`;

/**
 * Measures until the level stands still. Throws a CommandError that says what is wrong where it does not within a minute;
 * a probe that does not answer may be plugged in meanwhile.
 */
export async function untilSteady(
  measure: () => Promise<MeasuredProbe>,
  terminal: Terminal,
  clock: Pick<Clock, "monotonic" | "sleep">,
): Promise<Steady> {
  const giveUpAt = clock.monotonic() + PATIENCE;
  let measured: MeasuredProbe[] = [];
  let trouble: Refused | undefined;
  while (clock.monotonic() < giveUpAt) {
    try {
      measured = [...measured, await measure()].slice(-IN_A_ROW);
      trouble = undefined;
    } catch (error) {
      trouble = hardwares(error);
      measured = [];
    }
    const steady = steadyOf(measured);
    terminal.show(`      ${trouble?.message ?? progress(measured)}`);
    if (steady) return steady;
    await clock.sleep(EVERY, terminal.interrupted);
  }
  throw trouble ?? new CommandError(restless(measured));
}

/** What the probe or its bus says; any other refusal is none of this loop's. */
function hardwares(error: unknown): Refused {
  if (error instanceof Refused && /^(BUS|PROBE|CONVERSION|PIN)_/.test(error.code)) return error;
  throw error;
}

function progress(measured: readonly MeasuredProbe[]): string {
  const newest = measured.at(-1);
  if (!newest) return "";
  return `${inWords(newest.level, newest.unit)}, within ${inWords(rangeOf(measured), newest.unit)}: waiting until it stands still`;
}

function restless(measured: readonly MeasuredProbe[]): string {
  const levels = measured.map(({ level }) => level);
  const unit = measured[0]?.unit ?? "V";
  const [least, most] = [Math.min(...levels), Math.max(...levels)].map((level) => inWords(level, unit));
  const open = measured.some(({ resembles }) => resembles === "open input");
  const likely = open
    ? "as an input with nothing on it does: is the probe plugged in, and on this channel?"
    : "a loose wire, or somebody moves it";
  return `the probe does not come to rest: it goes between ${least} and ${most}, ${likely}`;
}

const rangeOf = (measured: readonly MeasuredProbe[]): number => {
  const levels = measured.map(({ level }) => level);
  return Math.max(...levels) - Math.min(...levels);
};

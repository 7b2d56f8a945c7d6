import { hours, type Millis } from "../../drivers/units.js";

/** Above it no water flows; and where the figure is from. */
export interface WetLimit {
  /** Of the calibrated span. */
  readonly percent: number;
  readonly from: "configured" | "fitted" | "default";
}

/**
 * Percent, until the pot has shown what it holds. Drained soil is at 65 to 80 % of the span from dry to soaked (the
 * bench's substrates), and the largest dose lifts half a litre of it by about 6 %. Care waters below 40 %, toward 55 %.
 */
export const DEFAULT_NOT_ABOVE = 55;

/** A choice: a pot with half a litre of soil, 80 % of it the span. Only for water that the probe has not read yet. */
const ML_PER_PERCENT = 4;

/** The percent that the soil is expected to reach, before the probe has read it. */
export const levelToCome = (before: number, ml: number): number =>
  Math.round(10 * (before + ml / ML_PER_PERCENT)) / 10;

/** A mean of the moisture over half an hour. */
export interface Level {
  /** Its end, epoch milliseconds. */
  readonly at: number;
  readonly percent: number;
}

/**
 * A soak: the soil gets wetter by `rise` within an hour. What the pot holds then shows in one of two ways. Either the
 * soil loses `drained` more in the first four hours than in the same hours of the next day: that tells draining from
 * the plant's drinking. Or after twelve hours it is wetter than the runtime's doses ever make it, so the pot holds at
 * least that. A rise of more than `noise` means water in between. Percent; choices.
 */
const SOAK = { rise: 3, drained: 1.5, noise: 1 };
const FIRST = hours(4);
/** By then the pot has drained. */
const DRAINED = hours(12);
const NEXT_DAY = { from: hours(24), to: hours(28) };
/** So many of the newest soaks must lie within `apart` percent: one by hand, or one full saucer, proves nothing. */
const AGREEING = { soaks: 3, apart: 5 };
/** Percent to leave for the largest dose: what it lifts half a litre of peat by. */
const ROOM = 6;
/** Bounds of the fitted limit, for a probe that drifts or is stuck and a plant that drinks a lot. Choices. */
const FITTED = { least: 45, most: 60 };

/** What the pot still holds half a day after a soak, less one dose; undefined until the pot has shown it. */
export function fittedLimit(levels: readonly Level[]): number | undefined {
  const held = soaks(levels).slice(-AGREEING.soaks);
  if (held.length < AGREEING.soaks || Math.max(...held) - Math.min(...held) > AGREEING.apart)
    return undefined;
  const limit = Math.min(...held) - ROOM;
  return Math.round(Math.max(FITTED.least, Math.min(FITTED.most, limit)));
}

/** Percent that the pot held twelve hours after each soak, oldest first. */
function soaks(levels: readonly Level[]): readonly number[] {
  return levels.flatMap((peak, index) => {
    const [before, last] = [levels[index - 2], levels[index - 1]];
    const isRise = before && peak.at - before.at <= hours(1) && peak.percent - before.percent >= SOAK.rise;
    if (!isRise || !last || last.percent >= peak.percent) return [];
    const held = heldAfter(peak, levels.slice(index + 1));
    return held === undefined || Number.isNaN(held) ? [] : held;
  });
}

function heldAfter(peak: Level, later: readonly Level[]): number | undefined {
  const within = later.filter(({ at }) => at <= peak.at + NEXT_DAY.to);
  if (within.some(({ percent }, index) => percent > (within[index - 1] ?? peak).percent + SOAK.noise))
    return undefined;
  const at = (after: Millis) => within.find((level) => level.at === peak.at + after)?.percent ?? Number.NaN;
  const drop = peak.percent - at(FIRST);
  const drunk = at(NEXT_DAY.from) - at(NEXT_DAY.to);
  const held = at(DRAINED);
  // NaN stands for an hour without a reading, and no comparison with it is true
  return drop - drunk >= SOAK.drained || held >= DEFAULT_NOT_ABOVE + ROOM ? held : undefined;
}

/**
 * The soil stays wet if for so long it is above the limit and does not fall by `fall` percent. Of the half-hours, the
 * part `read` must have readings, and the first must not be later than `late`. Choices.
 */
const STAYS_WET = { for: hours(5 * 24), fall: 2, read: 0.8, late: hours(12) };
const SLOT = hours(0.5);

/**
 * "stays": the soil was above the limit for days and does not fall: too much water, or a stuck probe. Drained soil
 * above the limit falls as the plant drinks, in winter by some percent in five days. Undefined if there are too few
 * readings.
 */
export function wetSpell(
  levels: readonly Level[],
  limit: number,
  now: number,
): "stays" | "falls" | undefined {
  const recent = levels.filter(({ at }) => at > now - STAYS_WET.for && at <= now);
  const [first, last] = [recent[0], recent.at(-1)];
  if (!first || !last || last.percent <= limit) return last && "falls";
  const isRead = recent.length >= (STAYS_WET.read * STAYS_WET.for) / SLOT;
  if (!isRead || first.at > now - STAYS_WET.for + STAYS_WET.late) return undefined;
  const least = Math.max(limit, first.percent - STAYS_WET.fall);
  return recent.every(({ percent }) => percent >= least) ? "stays" : "falls";
}

/** The same in days, for a message. */
export const STAYS_WET_DAYS = STAYS_WET.for / hours(24);

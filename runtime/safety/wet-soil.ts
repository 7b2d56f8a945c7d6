import { hours, type Millis } from "../../drivers/units.js";

/** Above this no water flows; where the figure is from. */
export interface WetLimit {
  /** Of the calibrated span. */
  readonly percent: number;
  readonly from: "configured" | "fitted" | "default";
}

/**
 * Percent. Until a pot has shown what it holds: drained soil is at 65 to 80 % of a span from dry to soaked soil (the
 * bench's substrates), and the largest dose lifts half a litre of it by some 6 %. Care waters below 40 %, toward 55 %.
 */
export const DEFAULT_NOT_ABOVE = 55;

/** A choice: a small pot with half a litre of soil, of which 80 % is the span. It judges only water that the probe has not read yet. */
const ML_PER_PERCENT = 4;

/** Percent that the soil comes to, as far as can be told before the probe reads it. */
export const levelToCome = (before: number, ml: number): number =>
  Math.round(10 * (before + ml / ML_PER_PERCENT)) / 10;

/** A mean of the moisture over half an hour. */
export interface Level {
  /** Its end, epoch milliseconds. */
  readonly at: number;
  readonly percent: number;
}

/**
 * A soak: within an hour the soil gets wetter by `rise`. It shows what the pot holds in one of two ways. In the first four hours
 * the soil loses `drained` more than in the same hours of the next day: so draining is told from drinking, which comes
 * again by day. Or after twelve hours it is still wetter than the doses of the runtime make it, so the pot holds at least
 * that. Water in between shows as a rise of more than `noise`. Percent; choices.
 */
const SOAK = { rise: 3, drained: 1.5, noise: 1 };
const FIRST = hours(4);
/** When the pot has dripped its last. */
const DRAINED = hours(12);
const NEXT_DAY = { from: hours(24), to: hours(28) };
/** So many soaks, the newest, must agree within `apart` percent: one by hand, or a saucer full of water once, teaches nothing. */
const AGREEING = { soaks: 3, apart: 5 };
/** Room for the largest dose below what the pot holds: what it lifts half a litre of peat by. */
const ROOM = 6;
/** A probe that drifts or is stuck moves the limit no further than this, nor does a plant that drinks like a drain. Choices. */
const FITTED = { least: 45, most: 60 };

/** The limit that the pot itself has shown: what it still holds half a day after a soak, with room for a dose. Undefined until it has. */
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
    const [before, last] = levels.slice(Math.max(0, index - 2), index);
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
  // NaN, of an hour that was not read, is none of these
  return drop - drunk >= SOAK.drained || held >= DEFAULT_NOT_ABOVE + ROOM ? held : undefined;
}

/**
 * So long above the limit without falling by `fall` percent, and of that at least `read` of the half-hours were read, the
 * first not later than `late`. Choices.
 */
const STAYS_WET = { for: hours(5 * 24), fall: 2, read: 0.8, late: hours(12) };
const SLOT = hours(0.5);

/**
 * "stays": the soil has been above the limit for days and does not fall, so there is too much water, or the probe is stuck.
 * Drained soil above the limit falls by what the plant drinks, in winter some percent in five days. Undefined where too
 * little was read to tell.
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

/** How long that is, for a message. */
export const STAYS_WET_DAYS = STAYS_WET.for / hours(24);

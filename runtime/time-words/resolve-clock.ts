import type { ClockWords, PartOfDay } from "./meaning.js";
import { clockText, DAY_SECONDS } from "./wall-time.js";

/** What a clock can mean on a day: seconds since its midnight, the likely one first. */
export interface ClockChoice {
  readonly seconds: readonly number[];
  /** The first is meant wherever it is still to come. The others are for today, when it is past. */
  readonly isFirstMeant: boolean;
  /** What was taken for granted, for a person to read. */
  readonly note?: string;
}

const HOUR = 3600;

/** A bare day means 09:00 there. The other hours are choices, and named wherever they are taken. */
export const BARE_DAY_HOUR = 9;
const PART_HOURS: Readonly<Record<PartOfDay, number>> = {
  morning: 9,
  afternoon: 15,
  evening: 19,
  night: 21,
};

/** The hour that is taken where no time is said, in seconds since midnight. */
export const assumedSeconds = (part: PartOfDay | undefined): number =>
  (part ? PART_HOURS[part] : BARE_DAY_HOUR) * HOUR;

/** "a day without a time is taken as 09:00" */
export const assumedNote = (part: PartOfDay | undefined): string =>
  `${part ? `the ${part}` : "a day"} without a time is taken as ${clockText(assumedSeconds(part))}`;

export const DIAL_NOTE = "without am or pm, 7 to 11 are taken as the morning";

/** Of a dial: which hours belong to a part of the day, as people use the words, and whether they are am or pm. */
const ON_DIAL: Readonly<
  Record<PartOfDay, { readonly from: number; readonly to: number; readonly pm: boolean }>
> = {
  morning: { from: 1, to: 11, pm: false },
  afternoon: { from: 1, to: 7, pm: true },
  evening: { from: 4, to: 11, pm: true },
  night: { from: 6, to: 11, pm: true },
};

/** Of 24 hours: from, and before. */
export const IN_PART: Readonly<Record<PartOfDay, readonly [number, number]>> = {
  morning: [0, 12],
  afternoon: [12, 20],
  evening: [16, 24],
  night: [18, 24],
};

const secondsOf = ({ minute, second }: ClockWords, hour: number) => hour * HOUR + minute * 60 + second;

/** Undefined where part and clock contradict each other, as in "5 pm in the morning". */
export function clockChoice(clock: ClockWords, part: PartOfDay | undefined): ClockChoice | undefined {
  if (part !== undefined) {
    const seconds = secondsInPart(clock, part);
    return seconds === undefined ? undefined : { seconds: [seconds], isFirstMeant: true };
  }
  if (clock.midnight) return { seconds: [0, DAY_SECONDS], isFirstMeant: false };
  if (!clock.dial) return { seconds: [secondsOf(clock, clock.hour)], isFirstMeant: true };
  return choiceOnDial(clock);
}

/** From 7 to 11 is the morning, 12 is noon: nobody starts a day's work in the evening. From 1 to 6 nobody can know. */
function choiceOnDial(clock: ClockWords): ClockChoice {
  const am = secondsOf(clock, clock.hour % 12);
  const pm = am + 12 * HOUR;
  if (clock.hour === 12) return { seconds: [pm, am], isFirstMeant: true };
  if (clock.hour < 7) return { seconds: [am, pm], isFirstMeant: false };
  return {
    seconds: [am, pm],
    isFirstMeant: true,
    note: DIAL_NOTE,
  };
}

function secondsInPart(clock: ClockWords, part: PartOfDay): number | undefined {
  if (clock.midnight) return part === "evening" || part === "night" ? DAY_SECONDS : undefined;
  if (clock.dial) return clock.hour === 12 ? twelveInPart(clock, part) : onDialInPart(clock, part);
  const [from, before] = IN_PART[part];
  return clock.hour >= from && clock.hour < before ? secondsOf(clock, clock.hour) : undefined;
}

function onDialInPart(clock: ClockWords, part: PartOfDay): number | undefined {
  const { from, to, pm } = ON_DIAL[part];
  const isIn = clock.hour >= from && clock.hour <= to;
  return isIn ? secondsOf(clock, clock.hour + (pm ? 12 : 0)) : undefined;
}

/** "This afternoon at 12" is noon to one person and midnight to another; "12:15 in the afternoon" can only be one. */
function twelveInPart(clock: ClockWords, part: PartOfDay): number | undefined {
  if (part === "night" && clock.minute === 0) return DAY_SECONDS;
  return part === "afternoon" && clock.minute > 0 ? secondsOf(clock, 12) : undefined;
}

/** Hours of sleep, a choice: a reminder then is asked for by saying so. */
const SLEEP_BEFORE = 6 * HOUR;
const SLEEP_FROM = 22 * HOUR;
/** What comes so soon is meant, also at night: a choice. */
const SOON = 3 * HOUR;

/**
 * Of a dial without a day: seconds since today's midnight, more than a day's for tomorrow. It is the next time that the dial
 * shows it. In the hours of sleep it can also be the one after that, unless it is soon. 12 is noon, and after noon either.
 */
export function nextOnDial(clock: ClockWords, nowSeconds: number): readonly number[] {
  const am = secondsOf(clock, clock.hour % 12);
  if (clock.hour === 12 && am + 12 * HOUR >= nowSeconds) return [am + 12 * HOUR];
  if (clock.hour === 12) return [am + DAY_SECONDS, am + 36 * HOUR];
  const times = [am, am + 12 * HOUR, am + DAY_SECONDS, am + 36 * HOUR].filter((each) => each >= nowSeconds);
  const [next = am, after = am] = times;
  const ofDay = next % DAY_SECONDS;
  const isAsleep = ofDay < SLEEP_BEFORE || ofDay >= SLEEP_FROM;
  return isAsleep && next - nowSeconds > SOON ? [next, after] : [next];
}

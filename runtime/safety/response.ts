import { hours, type Millis, millis, minutes } from "../../drivers/units.js";
import { elapsed, type Stamp } from "./stamp.js";
import { LONGEST_PULSE } from "./water-window.js";

export interface ResponseRule {
  /** So many millilitres without an answer are a fault. */
  readonly ml: number;
  /** An answer counts within this time after a dose. */
  readonly window: Millis;
  /** Time that water needs from the pump to the probe. */
  readonly settle: Millis;
}

/** 60 ml in 3 h; the water has 15 minutes to reach the probe. */
const RESPONSE_DEFAULTS: ResponseRule = { ml: 60, window: hours(3), settle: minutes(15) };

export interface PouredDose {
  readonly ml: number;
  /** The end of the dose. */
  readonly stamp: Stamp;
  /** How long it flowed; the longest pulse if that is not known. */
  readonly flowed?: Millis;
  /** The end of the dose before it, whatever its outcome. */
  readonly previous?: Stamp;
  /** It was judged before, and had no answer then. */
  readonly silent?: boolean;
}

/** A reading and its noise in percent of the calibrated span: a rise means wetter, whatever the probe's polarity. */
export interface SoilReading {
  readonly percent: number;
  readonly noise: number;
  readonly stamp: Stamp;
}

type ResponseVerdict = {
  /** The newest dose that got an answer. It settles that dose and all before it. */
  readonly answered?: PouredDose | undefined;
  /** The doses that certainly got no answer. */
  readonly silent: ReadonlySet<PouredDose>;
  /** Percent before the oldest dose whose water may still be on its way; undefined without such a dose or reading. */
  readonly before?: number | undefined;
} & (
  | { readonly verdict: "fine" }
  /** Too much water without readings before or after it. */
  | { readonly verdict: "cannot judge"; readonly what: string }
  /** `ml`: how much water had no answer. */
  | { readonly verdict: "unresponsive"; readonly ml: number; readonly what: string }
);

interface ResponseEvidence {
  readonly doses: readonly PouredDose[];
  readonly readings: readonly SoilReading[];
  readonly now: Stamp;
  readonly rule?: ResponseRule;
}

/** Readings of this time before a dose are its baseline. Older ones were taken in wetter soil. */
const BASELINE = minutes(30);

/**
 * Percent of the span. Conversions within milliseconds do not show slow noise and drift. Soil that cools by 7 K, at the
 * −1 mV/K of the bench's probe, looks like water below this; 25 ml show above it in pots of up to 6 litres.
 */
const LEAST_RISE = 0.5;

/** A rise lasts if most of so many readings in a row show it. */
const LASTING = 3;
/** One reading alone proves no rise, because an answer unlocks water and is kept. */
const CONFIRMED = 2;

/**
 * Whether the soil answers to water. It does not if the tube is off, the tank empty, or the probe in the air. Each dose
 * of the last 24 hours is judged by itself, as soon as the readings show an answer. Doses since the last answer add up
 * however far apart they were poured, so an agent that comes four times a day cannot flood the floor.
 */
export function judgeResponse({
  doses,
  readings,
  now,
  rule = RESPONSE_DEFAULTS,
}: ResponseEvidence): ResponseVerdict {
  const seen = aged(readings, now);
  const judged = aged(doses, now)
    .toSorted((a, b) => a.age - b.age)
    .map((dose) => answerTo({ ...dose, previousAge: ageOfPrevious(dose, now) }, seen, rule));
  const since = judged.findIndex(({ answer }) => answer === "rise");
  const unanswered = since < 0 ? judged : judged.slice(0, since);
  const settled = unanswered.filter(({ isSettled }) => isSettled);
  const silent = settled.filter(({ answer }) => answer === "none");
  return {
    answered: judged[since]?.dose,
    silent: new Set(silent.map(({ dose }) => dose)),
    before: unanswered.findLast((each) => !each.isSettled && Number.isFinite(each.earlier))?.earlier,
    ...verdictOn(settled, silent, rule.ml),
  };
}

/** How the soil answered a dose. */
interface Answer {
  readonly dose: PouredDose;
  readonly ml: number;
  readonly answer: "rise" | "none" | "no reading before" | "no reading after";
  /** The water had time to reach the probe. */
  readonly isSettled: boolean;
  /** Percent in the half-hour before, even if another dose was poured in it. */
  readonly earlier: number;
  /** Percent, and its noise. */
  readonly baseline: number;
  readonly best: number;
  readonly noise: number;
}

function answerTo(dose: AgedDose, readings: readonly Aged<SoilReading>[], rule: ResponseRule): Answer {
  const before = baseline(readings, ageAtStart(dose), dose.previousAge);
  const after = readings.filter(({ age }) => age <= dose.age && age >= dose.age - rule.window);
  const percents = before.map(({ percent }) => percent);
  // a rise from the dose before it is no answer to this one, and may go on between two readings
  const isClose = dose.previousAge <= ageAtStart(dose) + BASELINE;
  const baselinePercent = isClose ? (percents.at(-1) ?? Number.NaN) : median(percents);
  const noise = Math.max(LEAST_RISE, median(before.map((reading) => reading.noise)));
  const best = highestLasting(after.map(({ percent }) => percent));
  const above = baselinePercent + noise;
  const isRead = after.some(({ age }) => age <= dose.age - rule.settle);
  // if only the newest reading shows a rise, it is too early to say either
  const isOpen = !isRead || (after.at(-1)?.percent ?? above) > above;
  const unread = before.length === 0 ? "no reading before" : "no reading after";
  const none = dose.silent || (before.length > 0 && !isOpen) ? "none" : unread;
  const answer = before.length > 0 && after.length >= CONFIRMED && best > above ? "rise" : none;
  const isSettled = dose.age >= rule.settle;
  const earlier = median(baseline(readings, ageAtStart(dose)).map(({ percent }) => percent));
  return {
    dose: dose.event,
    ml: dose.ml,
    answer,
    isSettled,
    earlier,
    baseline: baselinePercent,
    best,
    noise,
  };
}

/**
 * The highest level that two of three readings in a row reached: one of many is always high by chance. NaN of nothing.
 */
function highestLasting(percents: readonly number[]): number {
  if (percents.length < LASTING) return percents.length === 0 ? Number.NaN : Math.min(...percents);
  return Math.max(...percents.slice(LASTING - 1).map((_, i) => median(percents.slice(i, i + LASTING))));
}

/** A dose that the soil has not answered. */
export interface UnansweredDose {
  readonly ml: number;
  /** Time since its end, as far as it can be proved. */
  readonly waited: Millis;
}

type Admission = {
  /** Millilitres of the doses without an answer, in all. */
  readonly unanswered: number;
} & (
  | { readonly verdict: "admitted" }
  /** The soil may still answer: the water needs so much more time. */
  | { readonly verdict: "too early"; readonly wait: Millis }
  /** All of them had enough time. */
  | { readonly verdict: "no answer" }
);

/** Whether `ml` more may flow while these doses have no answer. Together they must stay within the rule's limit. */
export function admitUnanswered(
  doses: readonly UnansweredDose[],
  ml: number,
  { ml: limit, settle }: ResponseRule = RESPONSE_DEFAULTS,
): Admission {
  const unanswered = toDroplets(doses.reduce((sum, dose) => sum + dose.ml, 0));
  if (toDroplets(unanswered + ml) <= limit) return { verdict: "admitted", unanswered };
  const wait = millis(settle - Math.min(...doses.map(({ waited }) => waited)));
  return wait > 0 ? { verdict: "too early", unanswered, wait } : { verdict: "no answer", unanswered };
}

/** Removes the rounding errors of sums of decimals. */
export const toDroplets = (ml: number): number => Math.round(ml * 1e6) / 1e6;

/** Newest first. A dose that cannot be judged counts neither as answered nor as silent. */
function verdictOn(unanswered: readonly Answer[], silent: readonly Answer[], limit: number) {
  const poured = total(silent);
  const [last] = silent;
  if (last && poured >= limit) return unresponsive(poured, silent, last);
  if (total(unanswered) < limit) return { verdict: "fine" } as const;
  const doubt = unanswered.find(({ answer }) => answer !== "none");
  const what = `of ${total(unanswered)} ml a part has ${doubt?.answer}`;
  return { verdict: "cannot judge", what } as const;
}

function unresponsive(poured: number, silent: readonly Answer[], { best }: Answer) {
  const first = silent.at(-1);
  const [was, is, band] = [first?.baseline ?? best, best, first?.noise ?? 0].map((value) => value.toFixed(1));
  return {
    verdict: "unresponsive",
    ml: poured,
    what: `after ${poured} ml the soil went from ${was} % to ${is} % at best (noise ± ${band} %)`,
  } as const;
}

const total = (answers: readonly Answer[]): number => answers.reduce((sum, { ml }) => sum + ml, 0);

type Aged<T> = T & { readonly age: Millis; readonly event: T };

/** A dose with the time since the end of the dose before it; infinite if there was none, or it cannot be dated. */
type AgedDose = Aged<PouredDose> & { readonly previousAge: number };

function ageOfPrevious({ previous }: PouredDose, now: Stamp): number {
  const { certain = false, atLeast = 0 } = previous ? elapsed(previous, now) : {};
  return certain ? atLeast : Number.POSITIVE_INFINITY;
}

/** An event that cannot be dated is left out: it proves neither a baseline nor a rise. */
function aged<T extends { readonly stamp: Stamp }>(events: readonly T[], now: Stamp): Aged<T>[] {
  const dated = events.map((event) => ({ event, ...elapsed(event.stamp, now) }));
  return dated
    .filter(({ certain }) => certain)
    .map(({ event, atLeast }) => ({ ...event, event, age: atLeast }));
}

/** Stamps are of the ends of doses. */
const ageAtStart = ({ age, flowed = LONGEST_PULSE }: Aged<PouredDose>) => age + flowed;

/** The readings shortly before a dose but after the dose before it; without any, the last one before the dose. */
function baseline(
  readings: readonly Aged<SoilReading>[],
  began: number,
  previous = Number.POSITIVE_INFINITY,
): readonly Aged<SoilReading>[] {
  const older = readings
    .filter(({ age }) => age >= began && age <= previous)
    .toSorted((a, b) => b.age - a.age);
  const fresh = older.filter(({ age }) => age <= began + BASELINE);
  return fresh.length > 0 ? fresh : older.slice(-1);
}

/** NaN of nothing. */
function median(values: readonly number[]): number {
  const ordered = values.toSorted((a, b) => a - b);
  const middle = (ordered.length - 1) / 2;
  const [low = Number.NaN, high = Number.NaN] = [ordered[Math.floor(middle)], ordered[Math.ceil(middle)]];
  return (low + high) / 2;
}

import { hours, type Millis, millis, minutes } from "../../drivers/units.js";
import { elapsed, type Stamp } from "./stamp.js";
import { LONGEST_PULSE } from "./water-window.js";

export interface ResponseRule {
  /** So much water must show: millilitres. */
  readonly ml: number;
  /** Within so long after a dose. */
  readonly window: Millis;
  /** Water needs so long from the pump to the probe. */
  readonly settle: Millis;
}

/** CONTRACT.md "Water": 60 ml in 3 h; a quarter of an hour for the water to sink in. */
const RESPONSE_DEFAULTS: ResponseRule = { ml: 60, window: hours(3), settle: minutes(15) };

export interface PouredDose {
  readonly ml: number;
  /** The end of the dose. */
  readonly stamp: Stamp;
  /** How long it flowed; where that is not known, the longest pulse. */
  readonly flowed?: Millis;
  /** The end of the dose before it, whatever became of that one. */
  readonly previous?: Stamp;
  /** It was judged before, and had no answer then. */
  readonly silent?: boolean;
}

/** A reading in percent of the calibrated span, so that up is wet whatever the probe's polarity; noise likewise. */
export interface SoilReading {
  readonly percent: number;
  readonly noise: number;
  readonly stamp: Stamp;
}

export type ResponseVerdict = {
  /** The newest dose that got an answer, which settles it and all before it. */
  readonly answered?: PouredDose | undefined;
  /** The doses that are known to have got none. */
  readonly silent: ReadonlySet<PouredDose>;
  /** Percent that the soil read before the oldest dose whose water may still be on its way; undefined where none is, or nothing was read. */
  readonly before?: number | undefined;
} & (
  | { readonly verdict: "fine" }
  /** Too much water of which nothing was read before or after. */
  | { readonly verdict: "cannot judge"; readonly what: string }
  /** `ml`: so much water had no answer. */
  | { readonly verdict: "unresponsive"; readonly ml: number; readonly what: string }
);

export interface ResponseEvidence {
  readonly doses: readonly PouredDose[];
  readonly readings: readonly SoilReading[];
  readonly now: Stamp;
  readonly rule?: ResponseRule;
}

/** Readings of this long before a dose are its baseline: older ones tell of a wetter soil, and of its drying since. */
const BASELINE = minutes(30);

/**
 * Percent of the span. Conversions milliseconds apart know nothing of slow noise and drift: 7 K of cooling soil at the
 * −1 mV/K that the bench's probe has would look like water below this; 25 ml show above it in pots of up to 6 litres.
 */
const LEAST_RISE = 0.5;

/** Readings in a row of which most must show a rise. */
const LASTING = 3;
/** One reading alone proves no rise: an answer unlocks water, and is kept. */
const CONFIRMED = 2;

/**
 * Whether the soil answers to water: a tube off, an empty tank, a probe in the air. Each dose of the last 24 hours is
 * judged by itself, as soon as the readings show an answer; those since the last answer add up however far apart they were
 * poured, so that an agent that comes by four times a day floods no floor.
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

/** What the soil made of a dose. */
interface Answer {
  readonly dose: PouredDose;
  readonly ml: number;
  readonly answer: "rise" | "none" | "no reading before" | "no reading after";
  /** It had its time to show. */
  readonly isSettled: boolean;
  /** Percent in the half-hour before, whatever else was poured in it. */
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
  // the rise that the dose before it has brought is no answer to this one, and may go on between two readings
  const isClose = dose.previousAge <= ageAtStart(dose) + BASELINE;
  const baselinePercent = isClose ? (percents.at(-1) ?? Number.NaN) : median(percents);
  const noise = Math.max(LEAST_RISE, median(before.map((reading) => reading.noise)));
  const best = highestLasting(after.map(({ percent }) => percent));
  const above = baselinePercent + noise;
  const isRead = after.some(({ age }) => age <= dose.age - rule.settle);
  // a rise that only the newest reading shows is no answer yet, and not the lack of one
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
 * The highest level that lasted: two readings out of three in a row reached it. Of the hundreds of readings of three
 * hours, one is always high by chance. NaN of nothing.
 */
function highestLasting(percents: readonly number[]): number {
  if (percents.length < LASTING) return percents.length === 0 ? Number.NaN : Math.min(...percents);
  return Math.max(...percents.slice(LASTING - 1).map((_, i) => median(percents.slice(i, i + LASTING))));
}

/** A dose that the soil has not answered. */
export interface UnansweredDose {
  readonly ml: number;
  /** Since its end, as far as anybody can prove. */
  readonly waited: Millis;
}

export type Admission = {
  /** Of the doses without an answer, in all. */
  readonly unanswered: number;
} & (
  | { readonly verdict: "admitted" }
  /** The soil may still answer: so long until it has had its time. */
  | { readonly verdict: "too early"; readonly wait: Millis }
  /** All of them had their time. */
  | { readonly verdict: "no answer" }
);

/** Whether `ml` more may flow while the soil has not answered these: with them it must not be more than the rule's limit. */
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

/** Sums of decimals without their rounding errors. */
const toDroplets = (ml: number): number => Math.round(ml * 1e6) / 1e6;

/** Newest first. What cannot be judged is neither an answer nor the lack of one. */
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

/** A dose with the time since the end of the dose before it; infinite where there was none, or nobody can date it. */
type AgedDose = Aged<PouredDose> & { readonly previousAge: number };

function ageOfPrevious({ previous }: PouredDose, now: Stamp): number {
  const { certain = false, atLeast = 0 } = previous ? elapsed(previous, now) : {};
  return certain ? atLeast : Number.POSITIVE_INFINITY;
}

/** What cannot be dated proves nothing, neither a baseline nor a rise. */
function aged<T extends { readonly stamp: Stamp }>(events: readonly T[], now: Stamp): Aged<T>[] {
  const dated = events.map((event) => ({ event, ...elapsed(event.stamp, now) }));
  return dated
    .filter(({ certain }) => certain)
    .map(({ event, atLeast }) => ({ ...event, event, age: atLeast }));
}

/** Stamps are of the ends. */
const ageAtStart = ({ age, flowed = LONGEST_PULSE }: Aged<PouredDose>) => age + flowed;

/** What was read shortly before a dose, but not before the dose before it; where nothing was, the last there is. */
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

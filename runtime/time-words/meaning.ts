/** What the parts of a phrase mean, before anybody looks at the calendar. */

/** A length of time. Months and days follow the calendar; seconds are elapsed time. */
export interface Amount {
  readonly months: number;
  readonly days: number;
  readonly seconds: number;
}

/** This month, or another by its distance; or a named month, of the coming year where none is said. */
export type MonthOf =
  | { readonly offset: number }
  | { readonly month: number; readonly year: number | undefined };

/** Which one of the days with that name. "nth": counted from tomorrow on. */
export type Which = "coming" | "next" | "after next" | { readonly week: number } | { readonly nth: number };

export type DayWords =
  | { readonly kind: "days"; readonly days: number }
  | { readonly kind: "weekday"; readonly weekday: number; readonly which: Which }
  /** Several where digits can be read as month and day or as day and month. */
  | { readonly kind: "dates"; readonly dates: readonly DateWords[] }
  /** `weekday`: "Monday the 30th". */
  | {
      readonly kind: "day of month";
      readonly day: number;
      readonly of: MonthOf | undefined;
      readonly weekday?: number;
    }
  /** The nth weekday or, without one, the nth day. -1 is the last. */
  | {
      readonly kind: "nth";
      readonly nth: number;
      readonly weekday: number | undefined;
      readonly of: MonthOf | undefined;
    }
  /** `sign` -1: before. */
  | { readonly kind: "moved"; readonly from: DayWords; readonly by: Amount; readonly sign: 1 | -1 };

export interface DateWords {
  readonly year: number | undefined;
  readonly month: number;
  readonly day: number;
}

export type PartOfDay = "morning" | "afternoon" | "evening" | "night";

export interface ClockWords {
  /** 0 to 23, or 1 to 12 on a dial */
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** No am, pm or 24 hours are said: 1 to 12, of the morning or of the evening. */
  readonly dial: boolean;
  /** Midnight: the beginning of a day or its end. */
  readonly midnight?: boolean;
  /** am or pm was said. */
  readonly half?: boolean;
  /** A number alone. It is a time only beside words that ask for one. */
  readonly bare?: boolean;
  /** What it was exact to. */
  readonly grain: "hour" | "minute" | "second";
}

const UNITS = ["minute", "hour", "day", "week", "month", "year"] as const;
export type RepeatUnit = (typeof UNITS)[number];

export interface Repeat {
  readonly unit: RepeatUnit;
  readonly interval: number;
  readonly weekdays?: readonly number[];
  /** -1 is the last day. */
  readonly monthDays?: readonly number[];
  readonly nth?: { readonly nth: number; readonly weekday: number };
  readonly date?: { readonly month: number; readonly day: number };
}

/** All that a phrase says. */
export interface Meaning {
  readonly day?: DayWords;
  /** A weekday alone. Beside a date it must be that date's. */
  readonly weekday?: number;
  readonly clocks?: readonly ClockWords[];
  readonly part?: PartOfDay;
  /** The name of a zone, or an abbreviation of one. */
  readonly zone?: string;
  readonly repeat?: Repeat;
  /** From now on. */
  readonly elapsed?: Amount;
  readonly isNow?: true;
  /** "In the morning" and no more: the next one. */
  readonly coming?: PartOfDay;
  /** "This time": the time of day that it is now. */
  readonly isThisTime?: true;
  /** Words that people say of a time and that fix none: why, with what would. */
  readonly unclear?: string;
  /** Beside `unclear`: each recurrence that the words can mean. */
  readonly either?: readonly Repeat[];
  /** The first time of a recurrence is not before this. */
  readonly start?: Meaning;
}

/** Both together; undefined where both say the same kind of thing. */
export function merged(one: Meaning, other: Meaning): Meaning | undefined {
  const doubled = Object.keys(one).some((key) => key in other);
  return doubled ? undefined : { ...one, ...other };
}

/** When a recurrence begins: a day, or a time where it counts hours. Its zone is the recurrence's own. */
export function startAt(start: Meaning): Meaning | undefined {
  if (start.unclear !== undefined) return { unclear: start.unclear };
  const others = [start.zone, start.repeat, start.start, start.isNow, start.elapsed];
  return others.every((each) => each === undefined) ? { start } : undefined;
}

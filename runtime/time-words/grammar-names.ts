import type {
  Amount,
  ClockWords,
  DateWords,
  DayWords,
  Meaning,
  MonthOf,
  PartOfDay,
  Repeat,
  RepeatUnit,
} from "./meaning.js";
import { Grammar } from "./rules.js";

export type Meridiem = "am" | "pm";

/** What each name in the grammar stands for. */
interface Names {
  /** Any run of digits, as text. */
  digits: string;
  /** Any token. */
  word: string;
  /** Up to four digits. */
  int: number;
  ones: number;
  teens: number;
  tens: number;
  onesOrdinal: number;
  teensOrdinal: number;
  /** A number written in words, 0 to 59. */
  words: number;
  /** Digits or words. */
  number: number;
  ordinal: number;
  /** Written as 1st. */
  shortOrdinal: number;
  count: number;
  year: number;
  unit: Amount;
  /** "weeks'", of "in two weeks' time" */
  ownUnit: Amount;
  oneAmount: Amount;
  amount: Amount;
  meridiem: Meridiem;
  minutesPast: number;
  hour: ClockWords;
  spoken: ClockWords;
  /** Cannot be anything but a time of day. */
  time: ClockWords;
  /** A time of day where "at" stands in front. */
  atTime: ClockWords;
  lead: true;
  /** "sharp" */
  exactly: true;
  clock: ClockWords;
  /** Times of day behind a first one that had "at" in front. */
  listed: readonly ClockWords[];
  clocks: readonly ClockWords[];
  part: PartOfDay;
  parts: PartOfDay;
  month: number;
  monthOf: MonthOf;
  weekday: number;
  pluralWeekday: number;
  anyWeekday: number;
  weekdays: readonly number[];
  /** Working days, or those of the weekend. */
  dayKind: readonly number[];
  /** "monday to friday" */
  workWeek: readonly number[];
  /** "twice", "three times" */
  timesOf: number;
  weekdayList: readonly number[];
  pluralList: readonly number[];
  monthDay: number;
  monthDays: readonly number[];
  eachMonth: true;
  feast: { readonly month: number; readonly day: number };
  date: readonly DateWords[];
  day: DayWords;
  zone: string;
  /** Of a second: too little to matter. */
  fraction: true;
  /** "+02:00" or "z", behind a time in ISO 8601. */
  offset: string;
  repeatUnit: { readonly unit: RepeatUnit; readonly times: number };
  adverb: { readonly unit: RepeatUnit; readonly times: number };
  repeat: Repeat;
  piece: Meaning;
  pieces: Meaning;
  phrase: Meaning;
}

export type TimeGrammar = Grammar<Names>;

export const newGrammar = (): TimeGrammar => new Grammar<Names>();

import { plural } from "./lexicon.js";
import {
  type Amount,
  type ClockWords,
  type DateWords,
  type DayWords,
  type Meaning,
  type MonthOf,
  merged,
  type PartOfDay,
  type Repeat,
  type RepeatUnit,
} from "./meaning.js";
import { Grammar, type Table } from "./rules.js";

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
  tens: number;
  onesOrdinal: number;
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
  /** With or without "at". */
  led: ClockWords;
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

/** The words that every language has. */
interface Lexicon {
  readonly UNITS_OF_AMOUNT: Table<Amount>;
  readonly REPEAT_UNITS: Table<Names["repeatUnit"]>;
  readonly WEEKDAYS: Table<number>;
  readonly PLURAL_WEEKDAYS: Table<number>;
  readonly MONTHS: Table<number>;
  readonly PARTS: Table<PartOfDay>;
}

/** A language's words, and the rules without words. A phrase is pieces in any order, and none of a kind twice. */
export const newGrammar = (words: Lexicon): TimeGrammar =>
  new Grammar<Names>()
    .table("unit", words.UNITS_OF_AMOUNT)
    .table("repeatUnit", words.REPEAT_UNITS)
    .table("weekday", words.WEEKDAYS)
    .table("pluralWeekday", words.PLURAL_WEEKDAYS)
    .table("month", words.MONTHS)
    .table("part", words.PARTS)
    .table("parts", plural(words.PARTS))
    .rule("int", "{digits}", (digits) => (digits.length <= 4 ? Number(digits) : undefined))
    .same("number", ["{int}", "{words}"])
    .same("amount", "{oneAmount}")
    .rule("meridiem", ["am ~.?", "a ~.? m ~.?"], () => "am")
    .rule("meridiem", ["pm ~.?", "p ~.? m ~.?"], () => "pm")
    .rule("clocks", "{clock}", (clock) => [clock])
    .rule("monthDay", "{number}", (n) => (n >= 1 && n <= 31 ? n : undefined))
    .rule("weekdayList", "{weekday}", (n) => [n])
    .rule("pluralList", "{pluralWeekday}", (n) => [n])
    .same("weekdays", ["{weekdayList}", "{pluralList}"])
    .rule("piece", "{day}", (day) => ({ day }))
    .rule("piece", "{clocks}", (clocks) => ({ clocks }))
    .rule("piece", "{repeat}", (repeat) => ({ repeat }))
    .same("pieces", "{piece}")
    .rule("pieces", "{piece} ,? {pieces}", merged)
    .same("phrase", "{pieces} .?");

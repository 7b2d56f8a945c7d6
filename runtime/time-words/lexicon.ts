import type { Amount, PartOfDay, RepeatUnit } from "./meaning.js";
import type { Table } from "./rules.js";

/** Words with a value, several ways of writing parted by commas, as `Grammar.table` takes them. */

/** The words count up from `first`. "mon/mon_." is two ways of writing the same: mon, and mon with a dot. */
export const numbered = (words: string, first: number): Table<number> =>
  words.split(" ").map((word, index) => [word.replaceAll("/", ",").replaceAll("_", " ~"), first + index]);

/** Of more than one: "mornings". */
export const plural = <V>(words: Table<V>): Table<V> => words.map(([word, value]) => [`${word}s`, value]);

export const WEEKDAYS = numbered(
  "monday/mon/mon_. tuesday/tues/tue/tues_./tue_. wednesday/weds/wed/weds_./wed_. thursday/thurs/thur/thu/thurs_./thur_./thu_. friday/fri/fri_. saturday/sat/sat_. sunday/sun/sun_.",
  0,
);

export const PLURAL_WEEKDAYS = numbered("mondays tuesdays wednesdays thursdays fridays saturdays sundays", 0);

export const MONTHS = numbered(
  "january/jan/jan_. february/feb/feb_. march/mar/mar_. april/apr/apr_. may june/jun/jun_. july/jul/jul_. august/aug/aug_. september/sept/sep/sept_./sep_. october/oct/oct_. november/nov/nov_. december/dec/dec_.",
  1,
);

export const ONES = numbered("one two three four five six seven eight nine", 1);
export const TEENS = numbered(
  "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
  10,
);
export const TENS = numbered("twenty thirty forty fifty", 2).map(([word, n]) => [word, n * 10] as const);
export const ONES_ORDINAL = numbered("first second third fourth fifth sixth seventh eighth ninth", 1);
export const TEENS_ORDINAL = numbered(
  "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
  10,
);

/** One unit of time, as an amount has it. A second or an hour elapses; a day and what is longer is counted on the calendar. */
export const UNITS_OF_AMOUNT: Table<Amount> = [
  ["second,seconds,sec,secs,s", { months: 0, days: 0, seconds: 1 }],
  ["minute,minutes,min,mins,min ~.,mins ~.,m", { months: 0, days: 0, seconds: 60 }],
  ["hour,hours,hr,hrs,h,hr ~.,hrs ~.", { months: 0, days: 0, seconds: 3600 }],
  ["day,days,d", { months: 0, days: 1, seconds: 0 }],
  ["week,weeks,wk,wks", { months: 0, days: 7, seconds: 0 }],
  ["fortnight,fortnights", { months: 0, days: 14, seconds: 0 }],
  ["month,months", { months: 1, days: 0, seconds: 0 }],
  ["year,years,yr,yrs", { months: 12, days: 0, seconds: 0 }],
];

/** "week's,weeks'", of the first word of each unit. */
export const OWN_UNITS: Table<Amount> = UNITS_OF_AMOUNT.map(([words, amount]) => [
  words.replace(/^([a-z]+).*$/, "$1's,$1s'"),
  amount,
]);

export const REPEAT_UNITS: Table<{ unit: RepeatUnit; times: number }> = [
  ["minute,minutes,min,mins", { unit: "minute", times: 1 }],
  ["hour,hours,hr,hrs,h", { unit: "hour", times: 1 }],
  ["day,days", { unit: "day", times: 1 }],
  ["week,weeks", { unit: "week", times: 1 }],
  ["fortnight,fortnights", { unit: "week", times: 2 }],
  ["month,months", { unit: "month", times: 1 }],
  ["quarter,quarters", { unit: "month", times: 3 }],
  ["year,years", { unit: "year", times: 1 }],
];

export const ADVERBS: Table<{ unit: RepeatUnit; times: number }> = [
  ["hourly", { unit: "hour", times: 1 }],
  ["daily,everyday", { unit: "day", times: 1 }],
  ["weekly", { unit: "week", times: 1 }],
  ["fortnightly", { unit: "week", times: 2 }],
  ["monthly", { unit: "month", times: 1 }],
  ["quarterly", { unit: "month", times: 3 }],
  ["yearly,annually", { unit: "year", times: 1 }],
];

const DAY_PARTS: readonly PartOfDay[] = ["morning", "afternoon", "evening", "night"];
export const PARTS: Table<PartOfDay> = DAY_PARTS.map((part) => [part, part]);

/** Feasts that have the same date everywhere and every year. */
export const FEASTS = [
  ["new year's day,new year day,new years day,new year's,new year", { month: 1, day: 1 }],
  ["valentine's day,valentines day,valentine's", { month: 2, day: 14 }],
  [
    "saint|st patrick's day,saint|st patricks day,saint|st . patrick's day,saint|st patrick",
    { month: 3, day: 17 },
  ],
  ["international workers' day,international worker's day,international workers day", { month: 5, day: 1 }],
  ["halloween", { month: 10, day: 31 }],
  ["christmas|xmas eve", { month: 12, day: 24 }],
  ["christmas|xmas day,christmas|xmas", { month: 12, day: 25 }],
  ["boxing day", { month: 12, day: 26 }],
  ["new year's eve,new years eve,new year eve", { month: 12, day: 31 }],
] as const;

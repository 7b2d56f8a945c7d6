import type { Meridiem, TimeGrammar } from "./grammar-names.js";
import {
  ONES,
  ONES_ORDINAL,
  OWN_UNITS,
  PARTS,
  PLURAL_PARTS,
  TEENS,
  TEENS_ORDINAL,
  TENS,
  UNITS_OF_AMOUNT,
} from "./lexicon.js";
import type { Amount, ClockWords } from "./meaning.js";
import { ordinalSuffix } from "./wall-time.js";

/** Numbers, times of day, parts of the day, lengths of time. */
export function addClocks(grammar: TimeGrammar): void {
  addNumbers(grammar);
  addAmounts(grammar);
  addTimes(grammar);
  addSpokenTimes(grammar);
  grammar.table("part", PARTS).table("parts", PLURAL_PARTS);
  grammar
    .rule("lead", "at|@|around|about|approximately|roughly", () => true)
    .rule("lead", "at|@ about|around|approximately|roughly|exactly", () => true)
    .rule("clock", "{lead}? {time} approximately?", (_, time) => time)
    .rule("clock", "for {time}", (time) => time)
    .rule("clock", "{lead} {atTime} ish?", (_, time) => time)
    .rule("clock", "{lead}? {time} {exactly}", (_, time) => time)
    .rule("clock", "{lead}? {atTime} {exactly}", (_, time) => time)
    .rule("exactly", "sharp|precisely|exactly", () => true)
    .rule("exactly", "on the dot", () => true)
    .rule("clock", "{number} ~ish?", bareHour)
    .rule("listed", "{lead}? {time}", (_, time) => [time])
    .rule("listed", "{lead}? {atTime}", (_, time) => [time])
    .rule("listed", "{lead}? {time} , {listed}", (_, time, others) => [time, ...others])
    .rule("listed", "{lead}? {atTime} , {listed}", (_, time, others) => [time, ...others])
    .rule("listed", "{lead}? {time} ,? and|& {listed}", (_, time, others) => [time, ...others])
    .rule("listed", "{lead}? {atTime} ,? and|& {listed}", (_, time, others) => [time, ...others])
    .rule("clocks", "{lead} {atTime} ,|and|& {listed}", (_, time, others) => [time, ...others])
    .rule("clocks", "{clock}", (clock) => [clock])
    .rule("clocks", "{clock} and|&|, {clocks}", (clock, clocks) => [clock, ...clocks])
    .rule("clocks", "{clock} , and {clocks}", (clock, clocks) => [clock, ...clocks]);
}

function addNumbers(grammar: TimeGrammar): void {
  grammar.table("ones", ONES).table("teens", TEENS).table("tens", TENS);
  grammar.table("onesOrdinal", ONES_ORDINAL).table("teensOrdinal", TEENS_ORDINAL);
  grammar
    .rule("int", "{digits}", (digits) => (digits.length <= 4 ? Number(digits) : undefined))
    .rule("words", "{ones}", (n) => n)
    .rule("words", "{teens}", (n) => n)
    .rule("words", "{tens}", (n) => n)
    .rule("words", "{tens} -? {ones}", (tens, ones) => tens + ones)
    .rule("number", "{int}", (n) => n)
    .rule("number", "{words}", (n) => n)
    .rule("ordinal", "{onesOrdinal}", (n) => n)
    .rule("ordinal", "{teensOrdinal}", (n) => n)
    .rule("ordinal", "{tens} -? {onesOrdinal}", (tens, ones) => tens + ones)
    .rule("ordinal", "thirtieth", () => 30)
    .rule("ordinal", "{shortOrdinal}", (n) => n)
    .rule("shortOrdinal", "{digits} ~{word}", (digits, suffix) =>
      // "2th" is a slip, and it may be the digit that is wrong
      digits.length <= 2 && suffix === ordinalSuffix(Number(digits)) ? Number(digits) : undefined,
    );
}

function addAmounts(grammar: TimeGrammar): void {
  grammar.table("unit", UNITS_OF_AMOUNT).table("ownUnit", OWN_UNITS);
  grammar
    .rule("count", "a|an", () => 1)
    .rule("count", "{number} more?", (n) => n)
    .rule("count", "{digits} ~. ~{digits}", (whole, part) => Number(`${whole}.${part}`))
    .rule("count", "{int} ~/ ~{int}", (n, of) => (of > 1 && n < of ? n / of : undefined))
    .rule("count", "{number} and a|an half", (n) => n + 0.5)
    .rule("count", "a? couple of?", () => 2)
    .rule("count", "half a|an", () => 0.5)
    .rule("count", "sixty", () => 60)
    .rule("count", "ninety", () => 90)
    .rule("count", "a|one? quarter of an", () => 0.25)
    .rule("count", "three|3 -? quarters of an", () => 0.75)
    .rule("oneAmount", "{count} {unit}", times)
    .rule("oneAmount", "{count} {ownUnit} time", times)
    .rule("oneAmount", "{digits} ~. ~{digits} {unit}", inSixtieths)
    .rule("oneAmount", "a|an {unit} and a half", (unit) => times(1.5, unit))
    .rule("oneAmount", "{number} {unit} and a half", (n, unit) => times(n + 0.5, unit))
    .rule("oneAmount", "{digits} ~h ~{digits}", (hours, minutes) =>
      minutes.length === 2 && Number(minutes) < 60
        ? { months: 0, days: 0, seconds: Number(hours) * 3600 + Number(minutes) * 60 }
        : undefined,
    )
    .rule("amount", "{oneAmount}", (amount) => amount)
    .rule("amount", "{oneAmount} and|,? {amount}", sum);
}

/** "1.30 hours" can be an hour and 30 minutes too, and is asked about. "1.25 hours" is an hour and a quarter to everybody. */
function inSixtieths(whole: string, part: string, { months, days, seconds }: Amount): Amount | undefined {
  const isLikeMinutes = part.length === 2 && Number(part) < 60 && part !== "25";
  if (!isLikeMinutes || months > 0 || days > 0) return undefined;
  return { months, days, seconds: (Number(whole) + Number(part) / 60) * seconds };
}

/** Half a month is no length: undefined. */
function times(n: number, { months, days, seconds }: Amount): Amount | undefined {
  const amount = { months: n * months, days: n * days, seconds: Math.round(n * seconds) };
  return Number.isInteger(amount.months) && Number.isInteger(amount.days) ? amount : undefined;
}

/** The longer unit stands first: "an hour and ten minutes". */
function sum(one: Amount, other: Amount): Amount | undefined {
  const size = ({ months, days, seconds }: Amount) => months * 31 * 86_400 + days * 86_400 + seconds;
  if (size(one) <= size(other)) return undefined;
  return {
    months: one.months + other.months,
    days: one.days + other.days,
    seconds: one.seconds + other.seconds,
  };
}

function addTimes(grammar: TimeGrammar): void {
  grammar
    .rule("meridiem", "am ~.?", () => "am")
    .rule("meridiem", "pm ~.?", () => "pm")
    .rule("meridiem", "a ~.? m ~.?", () => "am")
    .rule("meridiem", "p ~.? m ~.?", () => "pm")
    .rule("meridiem", "in the am", () => "am")
    .rule("meridiem", "in the pm", () => "pm")
    .rule("time", "{digits} ~: ~{digits} ish? {meridiem}?", (hour, minute, half) =>
      clockOf(hour, minute, "", half),
    )
    .rule("time", "{digits} : {digits} {meridiem}", (hour, minute, half) => clockOf(hour, minute, "", half))
    // "dec 5 10 pm" is a day and an hour
    .rule("time", "{digits} {digits} {meridiem}", (hour, minute, half) =>
      isNoNumberOfHour(minute) ? clockOf(hour, minute, "", half) : undefined,
    )
    // "7.12" can be 7 December, and "19.30" is a number where no day stands beside it
    .rule("time", "{digits} ~. ~{digits}", (hour, minute) => {
      const clock = isNoNumberOfHour(minute) ? clockOf(hour, minute, "", undefined) : undefined;
      return clock && { ...clock, bare: true };
    })
    .rule("time", "{digits} ~: ~{digits} ~p ~.?", (hour, minute) => clockOf(hour, minute, "", "pm"))
    .rule("time", "{digits} ~: ~{digits} ~a ~.?", (hour, minute) => clockOf(hour, minute, "", "am"))
    .rule("time", "{digits} ~: ~{digits} ~: ~{digits} {meridiem}?", clockOf)
    .rule("time", "{digits} ~. ~{digits} {meridiem}", (hour, minute, half) => clockOf(hour, minute, "", half))
    .rule("time", "{digits} ~.? ish? o'clock? {meridiem}", (digits, half) => compactClock(digits, half))
    .rule("time", "{words} o'clock? {meridiem}", (hour, half) => clockOf(String(hour), "", "", half))
    .rule("time", "{number} o'clock", (hour) => clockOf(String(hour), "", "", undefined))
    .rule("time", "{digits} hours|hrs", (digits) =>
      digits.length === 4 ? hours24(digits.slice(0, 2), digits.slice(2)) : undefined,
    )
    .rule("time", "{digits} ~: ~{digits} hours|hrs", hours24)
    .rule("time", "{digits} ~: ~{digits} ~h", hours24)
    .rule("time", "{digits} ~h", (digits) =>
      digits.length === 4 ? hours24(digits.slice(0, 2), digits.slice(2)) : hours24(digits, ""),
    )
    .rule("time", "{digits} ~h ~{digits}", hours24)
    .rule("time", "the? noon|midday|noonish", () => NOON)
    .rule("time", "noon - ish", () => NOON)
    .rule("time", "12|twelve noon", () => NOON)
    .rule("time", "the? mid day", () => NOON)
    .rule("time", "midnight", () => MIDNIGHT)
    .rule("time", "12|twelve midnight", () => MIDNIGHT)
    .rule("time", "mid night", () => MIDNIGHT)
    .rule("atTime", "{digits}", (digits) => compactClock(digits, undefined))
    .rule("atTime", "{words}", (hour) => clockOf(String(hour), "", "", undefined))
    .rule("atTime", "{digits} ~. ~{digits}", (hour, minute) => clockOf(hour, minute, "", undefined))
    .rule("atTime", "{digits} ~p ~.?", (digits) => compactClock(digits, "pm"))
    .rule("atTime", "{digits} ~a ~.?", (digits) => compactClock(digits, "am"));
}

export const NOON: ClockWords = { hour: 12, minute: 0, second: 0, dial: false, grain: "hour" };
export const MIDNIGHT: ClockWords = {
  hour: 0,
  minute: 0,
  second: 0,
  dial: false,
  midnight: true,
  grain: "hour",
};

/** Undefined for what no clock shows. A leading zero says that the hour is one of 24. */
export function clockOf(
  hourText: string,
  minuteText: string,
  secondText: string,
  half: Meridiem | undefined,
): ClockWords | undefined {
  const [hour, minute, second] = [hourText, minuteText, secondText].map(Number) as [number, number, number];
  const isWritten = hourText.length <= 2 && [minuteText, secondText].every(({ length }) => length % 2 === 0);
  if (!isWritten || hour > 23 || minute > 59 || second > 59) return undefined;
  const grain = secondText ? "second" : minuteText ? "minute" : "hour";
  const onDial = hour >= 1 && hour <= 12;
  if (!half) return { hour, minute, second, grain, dial: onDial && !hourText.startsWith("0") };
  return onDial
    ? { hour: (hour % 12) + (half === "pm" ? 12 : 0), minute, second, grain, dial: false, half: true }
    : undefined;
}

/** Two digits above 12: minutes, no hour of the dial and no month. */
const isNoNumberOfHour = (digits: string): boolean => digits.length === 2 && Number(digits) > 12;

/** "7", "0730", "330" */
const compactClock = (digits: string, half: Meridiem | undefined): ClockWords | undefined =>
  digits.length <= 2
    ? clockOf(digits, "", "", half)
    : digits.length <= 4
      ? clockOf(digits.slice(0, -2), digits.slice(-2), "", half)
      : undefined;

/** "15h", "3h18": this way of writing always means 24 hours. */
export function hours24(hour: string, minute: string): ClockWords | undefined {
  const clock = clockOf(hour, minute, "", undefined);
  return clock && { ...clock, dial: false };
}

function bareHour(hour: number): ClockWords | undefined {
  const clock = hour <= 12 ? clockOf(String(hour), "", "", undefined) : undefined;
  return clock && { ...clock, bare: true };
}

/** Spoken ways: half past six, ten to five, seven thirty. "10 to 11" and "nine to five" are stretches of time. */
function addSpokenTimes(grammar: TimeGrammar): void {
  grammar
    .rule("hour", "{number} o'clock? {meridiem}?", (n, half) =>
      n <= 12 ? clockOf(String(n), "", "", half) : undefined,
    )
    .rule("hour", "noon|midday", () => NOON)
    .rule("hour", "midnight", () => ({ ...MIDNIGHT, midnight: false }))
    .rule("minutesPast", "half past", () => 30)
    .rule("minutesPast", "a? quarter past|after", () => 15)
    .rule("minutesPast", "a? quarter to|till|before", () => -15)
    .rule("minutesPast", "{number} minutes|minute|mins|min? past|after", minutesOf)
    .rule("minutesPast", "{number} minutes|minute|mins|min to|till|before", (n) => minutesOf(-n))
    .rule("minutesPast", "{int} to", (n) => (n > 12 ? minutesOf(-n) : undefined))
    .rule("minutesPast", "{words} to", (n) => (n % 5 === 0 ? minutesOf(-n) : undefined))
    .rule("time", "{minutesPast} {hour}", (minutes, hour) => moved(hour, minutes))
    .rule("spoken", "{words} -? {words}", (hour, minute) => (minute >= 10 ? spoken(hour, minute) : undefined))
    .rule("spoken", "{words} -? oh|o|ou -? {ones}", spoken)
    .rule("time", "{spoken} {meridiem}", (clock, half) =>
      clockOf(String(clock.hour), String(clock.minute).padStart(2, "0"), "", half),
    )
    .rule("time", "{spoken}", (clock) => (clock.hour >= 10 ? clock : { ...clock, bare: true }))
    .rule("atTime", "{spoken}", (clock) => clock);
}

const minutesOf = (n: number): number | undefined => (n !== 0 && Math.abs(n) < 60 ? n : undefined);

/** Of number words only 1 to 12 are hours: "twenty fifteen" is a year. */
const spoken = (hour: number, minute: number): ClockWords | undefined =>
  hour >= 1 && hour <= 12 ? { hour, minute, second: 0, dial: true, grain: "minute" } : undefined;

export function moved(clock: ClockWords, minutes: number): ClockWords {
  const around = clock.dial ? 12 * 60 : 24 * 60;
  const all = (clock.hour * 60 + minutes + around) % around;
  const hour = Math.floor(all / 60);
  return { ...clock, hour: clock.dial && hour === 0 ? 12 : hour, minute: all % 60, grain: "minute" };
}

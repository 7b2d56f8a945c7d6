import type { Meridiem, TimeGrammar } from "./grammar-names.js";
import { ONES, ONES_ORDINAL, OWN_UNITS, TEENS, TEENS_ORDINAL, TENS } from "./lexicon.js";
import type { Amount, ClockWords } from "./meaning.js";
import { ordinalSuffix } from "./wall-time.js";

/** Numbers, times of day, lengths of time. */
export function addClocks(grammar: TimeGrammar): void {
  addNumbers(grammar);
  addAmounts(grammar);
  addTimes(grammar);
  addSpokenTimes(grammar);
  grammar
    .rule("lead", "at|@|around|about|approximately|roughly", () => true)
    .rule("lead", "at|@ about|around|approximately|roughly|exactly", () => true)
    .rule("exactly", ["sharp|precisely|exactly", "on the dot"], () => true)
    .rule("led", ["{lead}? {time}", "{lead}? {atTime}"], (_, time) => time)
    .same("clock", "for {time}")
    .rule("clock", ["{lead}? {time} approximately?", "{lead} {atTime} ish?"], (_, time) => time)
    .rule("clock", "{led} {exactly}", (time) => time)
    .rule("clock", "{number} ~ish?", bareHour)
    .rule("listed", "{led}", (time) => [time])
    .rule("listed", ["{led} , {listed}", "{led} ,? and|& {listed}"], (time, others) => [time, ...others])
    .rule("clocks", "{lead} {atTime} ,|and|& {listed}", (_, time, others) => [time, ...others])
    .rule("clocks", ["{clock} and|&|, {clocks}", "{clock} , and {clocks}"], (clock, clocks) => [
      clock,
      ...clocks,
    ]);
}

function addNumbers(grammar: TimeGrammar): void {
  grammar
    .table("ones", ONES)
    .table("tens", TENS)
    .table("words", TEENS)
    .same("words", ["{ones}", "{tens}"])
    .rule("words", "{tens} -? {ones}", (tens, ones) => tens + ones)
    .table("onesOrdinal", ONES_ORDINAL)
    .table("ordinal", [...TEENS_ORDINAL, ["thirtieth", 30]])
    .same("ordinal", ["{onesOrdinal}", "{shortOrdinal}"])
    .rule("ordinal", "{tens} -? {onesOrdinal}", (tens, ones) => tens + ones)
    .rule("shortOrdinal", "{digits} ~{word}", (digits, suffix) =>
      // "2th" is a slip, and it may be the digit that is wrong
      digits.length <= 2 && suffix === ordinalSuffix(Number(digits)) ? Number(digits) : undefined,
    );
}

function addAmounts(grammar: TimeGrammar): void {
  grammar
    .table("ownUnit", OWN_UNITS)
    .table("count", [
      ["a|an", 1],
      ["a? couple of?", 2],
      ["half a|an", 0.5],
      ["a|one? quarter of an", 0.25],
      ["three|3 -? quarters of an", 0.75],
      ["sixty", 60],
      ["ninety", 90],
    ])
    .same("count", "{number} more?")
    // "1.000" is a thousand to half of the world
    .rule("count", "{digits} ~.|, ~{digits}", (whole, part) =>
      part.length === 3 ? undefined : Number(`${whole}.${part}`),
    )
    .rule("count", "{int} ~/ ~{int}", (n, of) => (of > 1 && n < of ? n / of : undefined))
    .rule("count", "{number} and a|an half", (n) => n + 0.5)
    .rule("oneAmount", ["{count} {unit}", "{count} {ownUnit} time"], times)
    .rule("oneAmount", "{digits} ~.|, ~{digits} {unit}", inSixtieths)
    .rule("oneAmount", "a|an {unit} and a half", (unit) => times(1.5, unit))
    .rule("oneAmount", "{number} {unit} and a half", (n, unit) => times(n + 0.5, unit))
    .rule("oneAmount", "{digits} ~h ~{digits}", (hours, minutes) =>
      minutes.length === 2 && Number(minutes) < 60
        ? { months: 0, days: 0, seconds: Number(hours) * 3600 + Number(minutes) * 60 }
        : undefined,
    )
    .rule("amount", "{oneAmount} and|,? {amount}", sum);
}

/** "1.30 hours" can be an hour and 30 minutes too, and is asked about. "1.25 hours" is an hour and a quarter to everybody. */
function inSixtieths(whole: string, part: string, { months, days, seconds }: Amount): Amount | undefined {
  const isLikeMinutes = part.length === 2 && Number(part) < 60 && part !== "25";
  if (!isLikeMinutes || months > 0 || days > 0) return undefined;
  return { months, days, seconds: (Number(whole) + Number(part) / 60) * seconds };
}

/** Half a month is no length: undefined. */
export function times(n: number, { months, days, seconds }: Amount): Amount | undefined {
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
    .rule("meridiem", "in the am", () => "am")
    .rule("meridiem", "in the pm", () => "pm")
    .rule("time", "{digits} ~: ~{digits} ish? {meridiem}?", inHalf)
    .rule("time", ["{digits} : {digits} {meridiem}", "{digits} ~. ~{digits} {meridiem}"], inHalf)
    // "dec 5 10 pm" is a day and an hour
    .rule("time", "{digits} {digits} {meridiem}", (hour, minute, half) =>
      isNoNumberOfHour(minute) ? inHalf(hour, minute, half) : undefined,
    )
    // "7.12" can be 7 December, and "19.30" is a number where no day stands beside it
    .rule("time", "{digits} ~. ~{digits}", (hour, minute) => {
      return isNoNumberOfHour(minute) ? bare(clockOf(hour, minute)) : undefined;
    })
    .rule("time", "{digits} ~p ~.?", (digits) => bare(compactClock(digits, "pm")))
    .rule("time", "{digits} ~a ~.?", (digits) => bare(compactClock(digits, "am")))
    // no year begins with a zero; "1800" may be one
    .rule("time", "{digits}", (digits) =>
      digits.startsWith("0")
        ? fourDigits(digits)
        : digits.startsWith("2")
          ? undefined
          : bare(fourDigits(digits)),
    )
    .rule("time", "{digits} ~: ~{digits} ~p ~.?", (hour, minute) => inHalf(hour, minute, "pm"))
    .rule("time", "{digits} ~: ~{digits} ~a ~.?", (hour, minute) => inHalf(hour, minute, "am"))
    .rule("time", "{digits} ~: ~{digits} ~: ~{digits} {meridiem}?", clockOf)
    .rule("time", "{digits} ~.? ish? o'clock? {meridiem}", compactClock)
    .rule("time", "{words} o'clock? {meridiem}", (hour, half) => inHalf(String(hour), "", half))
    .rule("time", "{number} o'clock", (hour) => clockOf(String(hour)))
    .rule("time", ["{digits} hours|hrs", "{digits} ~h"], fourDigits)
    .rule("time", "{digits} ~h", (digits) => hours24(digits))
    .rule(
      "time",
      ["{digits} ~: ~{digits} hours|hrs", "{digits} ~: ~{digits} ~h", "{digits} ~h ~{digits}"],
      hours24,
    )
    .table("time", [
      ["the? noon|midday|noonish,noon - ish,12|twelve noon,the? mid day", NOON],
      ["midnight,12|twelve midnight,mid night", MIDNIGHT],
    ])
    .rule("atTime", "{digits}", (digits) => compactClock(digits))
    .rule("atTime", "{words}", (hour) => clockOf(String(hour)))
    .rule("atTime", "{digits} ~. ~{digits}", (hour, minute) => clockOf(hour, minute))
    .rule("atTime", "{digits} ~p ~.?", (digits) => compactClock(digits, "pm"))
    .rule("atTime", "{digits} ~a ~.?", (digits) => compactClock(digits, "am"));
}

export const NOON: ClockWords = { hour: 12, minute: 0, second: 0, dial: false, grain: "hour" };
export const MIDNIGHT: ClockWords = { ...NOON, hour: 0, midnight: true };

/** Undefined for what no clock shows. A leading zero says that the hour is one of 24. */
export function clockOf(
  hourText: string,
  minuteText = "",
  secondText = "",
  half?: Meridiem,
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

export const inHalf = (hour: string, minute: string, half: Meridiem | undefined): ClockWords | undefined =>
  clockOf(hour, minute, "", half);

/** Two digits above 12: minutes, no hour of the dial and no month. */
const isNoNumberOfHour = (digits: string): boolean => digits.length === 2 && Number(digits) > 12;

/** "7", "0730", "330" */
function compactClock(digits: string, half?: Meridiem): ClockWords | undefined {
  if (digits.length <= 2) return inHalf(digits, "", half);
  return digits.length <= 4 ? inHalf(digits.slice(0, -2), digits.slice(-2), half) : undefined;
}

/** "15h", "3h18": this way of writing always means 24 hours. */
export function hours24(hour: string, minute = ""): ClockWords | undefined {
  const clock = clockOf(hour, minute);
  return clock && { ...clock, dial: false };
}

/** "1530 hours" */
const fourDigits = (digits: string): ClockWords | undefined =>
  digits.length === 4 ? hours24(digits.slice(0, 2), digits.slice(2)) : undefined;

const bare = (clock: ClockWords | undefined): ClockWords | undefined => clock && { ...clock, bare: true };

const bareHour = (hour: number): ClockWords | undefined =>
  hour <= 12 ? bare(clockOf(String(hour))) : undefined;

/** Spoken ways: half past six, ten to five, seven thirty. "10 to 11" and "nine to five" are stretches of time. */
function addSpokenTimes(grammar: TimeGrammar): void {
  grammar
    .rule("hour", "{number} o'clock? {meridiem}?", (n, half) =>
      n <= 12 ? inHalf(String(n), "", half) : undefined,
    )
    .table("hour", [
      ["noon|midday", NOON],
      ["midnight", { ...MIDNIGHT, midnight: false }],
    ])
    .table("minutesPast", [
      ["half past", 30],
      ["a? quarter past|after", 15],
      ["a? quarter to|till|before|of", -15],
    ])
    .rule("minutesPast", "{number} minutes|minute|mins|min? past|after", minutesOf)
    .rule("minutesPast", "{number} minutes|minute|mins|min to|till|before", (n) => minutesOf(-n))
    .rule("minutesPast", "{int} to", (n) => (n > 12 ? minutesOf(-n) : undefined))
    .rule("minutesPast", "{words} to", (n) => (n % 5 === 0 ? minutesOf(-n) : undefined))
    .rule("time", "{minutesPast} {hour}", (minutes, hour) => moved(hour, minutes))
    .rule("spoken", "{words} -? {words}", (hour, minute) => (minute >= 10 ? spoken(hour, minute) : undefined))
    .rule("spoken", "{words} -? oh|o|ou -? {ones}", spoken)
    .rule("time", "{spoken} {meridiem}", ({ hour, minute }, half) =>
      inHalf(String(hour), String(minute).padStart(2, "0"), half),
    )
    .rule("time", "{spoken}", (clock) => (clock.hour >= 10 ? clock : { ...clock, bare: true }))
    .same("atTime", "{spoken}");
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

import { clockOf, hours24, MIDNIGHT, moved, NOON } from "./grammar-clock.js";
import { newGrammar, type TimeGrammar } from "./grammar-names.js";
import { ALL_WEEK, every, WEEKEND, WORKDAYS, weekly } from "./grammar-repeat.js";
import * as spanish from "./lexicon-spanish.js";
import type { Amount, ClockWords, DayWords, Meaning, PartOfDay, Repeat } from "./meaning.js";
import { merged, startAt } from "./meaning.js";
import { MAX_INTERVAL } from "./recurrence.js";

/** Times in Spanish, without accents. Less than the English grammar knows: what is not here is refused. */
export function spanishGrammar(): TimeGrammar {
  const grammar = newGrammar();
  grammar.table("words", spanish.NUMBERS).table("unit", spanish.UNITS_OF_AMOUNT);
  grammar.table("weekday", spanish.WEEKDAYS).table("pluralWeekday", spanish.PLURAL_WEEKDAYS);
  grammar.table("month", spanish.MONTHS).table("repeatUnit", spanish.REPEAT_UNITS);
  grammar
    .table("onesOrdinal", spanish.ORDINALS)
    .table("part", spanish.PARTS)
    .table("parts", spanish.PLURAL_PARTS);
  addNumbers(grammar);
  addClocks(grammar);
  addDays(grammar);
  addRepeats(grammar);
  addPieces(grammar);
  addUnclear(grammar);
  return grammar;
}

function addNumbers(grammar: TimeGrammar): void {
  grammar
    .rule("int", "{digits}", (digits) => (digits.length <= 4 ? Number(digits) : undefined))
    .rule("number", "{int}", (n) => n)
    .rule("number", "{words}", (n) => n)
    .rule("oneAmount", "{number} {unit}", times)
    .rule("oneAmount", "{number} {unit} y media|medio", (n, unit) => times(n + 0.5, unit))
    .rule("oneAmount", "una? hora y media", () => ({ months: 0, days: 0, seconds: 5400 }))
    .rule("oneAmount", "una? hora y cuarto", () => ({ months: 0, days: 0, seconds: 4500 }))
    .rule("oneAmount", "media hora", () => ({ months: 0, days: 0, seconds: 1800 }))
    .rule("oneAmount", "un cuarto de hora", () => ({ months: 0, days: 0, seconds: 900 }))
    .rule("amount", "{oneAmount}", (amount) => amount);
}

/** Half a month is no length: undefined. */
function times(n: number, { months, days, seconds }: Amount): Amount | undefined {
  const amount = { months: n * months, days: n * days, seconds: n * seconds };
  return Object.values(amount).every(Number.isInteger) ? amount : undefined;
}

function addClocks(grammar: TimeGrammar): void {
  grammar
    .rule("hour", "{digits} ~: ~{digits}", (hour, minute) => clockOf(hour, minute, "", undefined))
    .rule("hour", "{digits} ~h ~{digits}", hours24)
    .rule("hour", "{digits}", (hour) => (hour.length <= 2 ? clockOf(hour, "", "", undefined) : undefined))
    .rule("hour", "{words}", (n) => (n <= 12 ? clockOf(String(n), "", "", undefined) : undefined))
    .rule("spoken", "{hour} en punto", (hour) => hour)
    .rule("spoken", "{hour}", (hour) => hour)
    .rule("spoken", "{hour} {minutesPast}", (hour, minutes) =>
      hour.grain === "hour" ? moved(hour, minutes) : undefined,
    )
    .rule("minutesPast", "y media", () => 30)
    .rule("minutesPast", "y cuarto", () => 15)
    .rule("minutesPast", "menos cuarto", () => -15)
    .rule("minutesPast", "y {number} minutos?", (n) => (n >= 1 && n <= 59 ? n : undefined))
    .rule("minutesPast", "menos {number} minutos?", (n) => (n >= 1 && n <= 29 ? -n : undefined))
    .rule("clock", "a|sobre|hacia? las|la {spoken} h|hs|horas?", (clock) => clock)
    .rule("meridiem", "am ~.?", () => "am")
    .rule("meridiem", "pm ~.?", () => "pm")
    .rule("meridiem", "a ~.? m ~.?", () => "am")
    .rule("meridiem", "p ~.? m ~.?", () => "pm")
    .rule("clock", "a las|la {hour} {meridiem}", (clock, half) => halved(clock, half, [12, 11]))
    .rule("clock", "{digits} {meridiem}", (hour, half) => clockOf(hour, "", "", half))
    .rule("clock", "{digits} ~: ~{digits} {meridiem}", (hour, minute, half) =>
      clockOf(hour, minute, "", half),
    )
    .rule("clock", "a|sobre|hacia? las|la {spoken} de la madrugada", (clock) => halved(clock, "am", [1, 6]))
    .rule("clock", "a|sobre|hacia? las|la {spoken} de la manana", (clock) => halved(clock, "am", [1, 11]))
    .rule("clock", "a|sobre|hacia? las|la {spoken} de la tarde", (clock) => halved(clock, "pm", [12, 8]))
    .rule("clock", "a|sobre|hacia? las|la {spoken} de la noche", (clock) => halved(clock, "pm", [6, 11]))
    .rule("clock", "a|sobre|hacia? las|la {spoken} del mediodia", (clock) => halved(clock, "pm", [12, 3]))
    .rule("clock", "a|sobre|hacia? las 12|doce de la noche", () => MIDNIGHT)
    .rule("clock", "a|al el? mediodia", () => NOON)
    .rule("clock", "a|al la? medianoche", () => MIDNIGHT)
    .rule("clock", "{digits} ~: ~{digits}", (hour, minute) => clockOf(hour, minute, "", undefined))
    .rule("clock", "{digits} ~h", (hour) => {
      const clock = clockOf(hour, "", "", undefined);
      return clock && { ...clock, dial: false };
    })
    .rule("clocks", "{clock}", (clock) => [clock])
    .rule("clocks", "{clock} y {clocks}", (clock, others) => [clock, ...others]);
}

/** An hour of the dial in its half of the day, where people say so; twelve comes before one. Undefined for any other. */
function halved(
  clock: ClockWords,
  half: "am" | "pm",
  [first, last]: readonly [number, number],
): ClockWords | undefined {
  const isUsual = clock.hour % 12 >= first % 12 && clock.hour % 12 <= last;
  if (!clock.dial || !isUsual) return undefined;
  return { ...clock, hour: (clock.hour % 12) + (half === "pm" ? 12 : 0), dial: false, half: true };
}

function addDays(grammar: TimeGrammar): void {
  const days = (n: number): DayWords => ({ kind: "days", days: n });
  // as in English: where the coming one and that of next week differ, people mean either
  const inDays = (by: Amount): DayWords | undefined =>
    by.seconds === 0 ? { kind: "moved", from: days(0), by, sign: 1 } : undefined;
  const nth = (n: number, weekday: number | undefined, offset: number): DayWords => ({
    ...{ kind: "nth", nth: n, weekday, of: { offset } },
  });
  const next = (weekday: number): DayWords => ({ kind: "weekday", weekday, which: "next" });
  grammar
    .table("day", [
      ["hoy", days(0)],
      ["manana", days(1)],
      ["pasado manana", days(2)],
      ["ayer", days(-1)],
    ])
    .rule("day", "el? proximo {weekday}", next)
    .rule("day", "el? {weekday} que viene", next)
    .rule("day", "el? {weekday} proximo", next)
    .rule("year", "{digits}", (digits) => (/^(19|2[01])\d\d$/.test(digits) ? Number(digits) : undefined))
    .rule("monthDay", "{number}", (n) => (n >= 1 && n <= 31 ? n : undefined))
    .rule("monthDay", "primero", () => 1)
    .rule("date", "{monthDay} de {month}", (day, month) => [{ year: undefined, month, day }])
    .rule("date", "{monthDay} de {month} de|del {year}", (day, month, year) => [{ year, month, day }])
    // everywhere in Spanish the day comes first
    .rule("date", "{int} /|- {int}", (day, month) => dayFirst(day, month))
    .rule("date", "{int} ~/ ~{int} ~/ ~{year}", (day, month, year) => dayFirst(day, month, year))
    .rule("day", "el? dia? {date}", (dates) => ({ kind: "dates", dates }))
    .rule("day", "en|dentro de? {amount}", (by) => inDays(by))
    // people count today too: eight days are a week, and fifteen are two
    .rule("day", "en|dentro de? {number} dias", (n) =>
      n === 8 || n === 15 ? inDays({ months: 0, days: n - 1, seconds: 0 }) : undefined,
    )
    .rule("day", "el {onesOrdinal} {weekday} del? este? mes", (n, weekday) => nth(n, weekday, 0))
    .rule("day", "el {onesOrdinal} {weekday} del proximo mes", (n, weekday) => nth(n, weekday, 1))
    .rule("day", "el {onesOrdinal} {weekday} del mes que viene", (n, weekday) => nth(n, weekday, 1))
    .rule("day", "el {onesOrdinal} {weekday} de {month}", (n, weekday, month) => ({
      ...{ kind: "nth", nth: n, weekday, of: { month, year: undefined } },
    }))
    .rule("day", "el {onesOrdinal} {weekday} de {month} de|del {year}", (n, weekday, month, year) => ({
      ...{ kind: "nth", nth: n, weekday, of: { month, year } },
    }))
    .rule("day", "el ultimo dia del? este? mes", () => nth(-1, undefined, 0))
    .rule("day", "el ultimo dia del mes que viene", () => nth(-1, undefined, 1))
    .rule("day", "el dia? {monthDay} del mes que viene", (day) => ({
      ...{ kind: "day of month", day, of: { offset: 1 } },
    }))
    .rule("day", "el dia? {monthDay}", (day) => ({ kind: "day of month", day, of: undefined }))
    .rule("day", "el? {weekday} {monthDay}", (weekday, day) => ({
      ...{ kind: "day of month", day, of: undefined, weekday },
    }));
}

const dayFirst = (day: number, month: number, year?: number) =>
  day >= 1 && day <= 31 && month >= 1 && month <= 12 ? [{ year, month, day }] : undefined;

function addRepeats(grammar: TimeGrammar): void {
  const monthly = (part: Partial<Repeat>): Repeat => ({ unit: "month", interval: 1, ...part });
  grammar
    .rule("weekdayList", "{weekday}", (n) => [n])
    .rule("weekdayList", "{weekday} ,|y|e {weekdayList}", (n, others) => [n, ...others])
    .rule("pluralList", "{pluralWeekday}", (n) => [n])
    .rule("pluralList", "{pluralWeekday} ,|y|e los? {pluralList}", (n, others) => [n, ...others])
    .rule("repeat", "diariamente", () => ({ unit: "day", interval: 1 }))
    .rule("repeat", "a diario", () => ({ unit: "day", interval: 1 }))
    .rule("repeat", "semanalmente", () => ({ unit: "week", interval: 1 }))
    .rule("repeat", "mensualmente", () => ({ unit: "month", interval: 1 }))
    .rule("repeat", "anualmente", () => ({ unit: "year", interval: 1 }))
    .rule("repeat", "cada {repeatUnit}", (unit) => every(1, unit))
    .rule("repeat", "cada {number} {repeatUnit}", every)
    .rule("repeat", "todos|todas los|las {repeatUnit}", (unit) => every(1, unit))
    .rule("repeat", "cada {number} dias", (n) =>
      n === 8 || n === 15 ? every((n - 1) / 7, { unit: "week", times: 1 }) : undefined,
    )
    .rule("repeat", "una vez al|a|por la? {repeatUnit}", (unit) => every(1, unit))
    .rule("repeat", "cada media hora", () => ({ unit: "minute", interval: 30 }))
    .rule("repeat", "cada {number} semanas los? el? {weekdays}", (interval, weekdays) =>
      interval >= 1 && interval <= MAX_INTERVAL ? weekly(weekdays, interval) : undefined,
    )
    .rule("weekdays", "{weekdayList}", (list) => list)
    .rule("weekdays", "{pluralList}", (list) => list)
    .rule("timesOf", "{number} veces", (n) => (n > 1 ? n : undefined))
    .rule("repeat", "en? dias alternos", () => ({ unit: "day", interval: 2 }))
    .rule("repeat", "un dia si y otro no", () => ({ unit: "day", interval: 2 }))
    .rule("repeat", "cada {weekdayList}", (weekdays) => weekly(weekdays))
    .rule("repeat", "todos? los {pluralList}", (weekdays) => weekly(weekdays))
    .rule("repeat", "de? lunes a viernes", () => weekly(WORKDAYS))
    .rule("repeat", "entre semana", () => weekly(WORKDAYS))
    .rule("repeat", "todos? los fines de semana", () => weekly(WEEKEND))
    .rule("repeat", "cada dia menos|excepto los|el? {pluralList}", (weekdays) =>
      weekly(ALL_WEEK.filter((each) => !weekdays.includes(each))),
    )
    .rule("repeat", "el dia? {monthDay} de cada mes", (day) => monthly({ monthDays: [day] }))
    .rule("repeat", "cada mes el dia? {monthDay}", (day) => monthly({ monthDays: [day] }))
    .rule("repeat", "el ultimo dia de cada mes", () => monthly({ monthDays: [-1] }))
    .rule("repeat", "cada {onesOrdinal} {weekday} del|de cada? mes", (nth, weekday) =>
      monthly({ nth: { nth, weekday } }),
    )
    .rule("repeat", "el {onesOrdinal} {weekday} de cada mes", (nth, weekday) =>
      monthly({ nth: { nth, weekday } }),
    );
}

/** A phrase is pieces in any order, and none of a kind twice. */
function addPieces(grammar: TimeGrammar): void {
  const onDay = (part: PartOfDay): Meaning => ({ day: { kind: "days", days: 0 }, part });
  grammar
    .rule("piece", "{day}", (day) => ({ day }))
    .rule("piece", "el|este? {weekday}", (weekday) => ({ weekday }))
    .rule("piece", "{clocks}", (clocks) => ({ clocks }))
    .rule("piece", "{repeat}", (repeat) => ({ repeat }))
    .rule("piece", "ahora mismo?", () => ({ isNow: true }))
    .rule("piece", "esta {part}", onDay)
    .rule("piece", "por|en la {part}", (part) => ({ part }))
    .rule("piece", "todas? las {parts}", (part) => ({ part, repeat: { unit: "day", interval: 1 } }))
    .rule("piece", "cada {part}", (part) => ({ part, repeat: { unit: "day", interval: 1 } }))
    .rule("piece", "en|dentro de? {amount}", (elapsed) => (elapsed.seconds > 0 ? { elapsed } : undefined))
    .rule("phrase", "por la {part} .?", (part) => (part === "night" ? undefined : { coming: part }))
    .rule("piece", "desde {pieces}", startAt)
    .rule("piece", "a partir de|del {pieces}", startAt)
    .rule("piece", "empezando {pieces}", startAt)
    .rule("piece", "{timesOf} al|por dia {clocks}", (n, clocks) =>
      clocks.length === n ? { clocks, repeat: { unit: "day", interval: 1 } } : undefined,
    )
    .rule("pieces", "{piece}", (piece) => piece)
    .rule("pieces", "{piece} ,? {pieces}", merged)
    .rule("phrase", "{pieces} .?", (pieces) => pieces);
}

/** Why a phrase fixes no time. The words in quotes are clear; the rest is English, as all refusals are. */
function addUnclear(grammar: TimeGrammar): void {
  const unclear = (why: string) => (): Meaning => ({ unclear: why });
  const days = unclear('they are several days; "el sabado a las 10" is one time');
  const hours = unclear('it says no hours; "cada dia a las 8:00 y 20:00" does');
  grammar
    .rule("piece", "el|este|en proximo? fin de semana", days)
    .rule("piece", "la|esta|proxima semana", days)
    .rule("piece", "la semana que viene", days)
    .rule("piece", "a? fin|finales|principios de mes", unclear('"el ultimo dia del mes" is one day'))
    .rule("piece", "{timesOf} al|por|a dia|semana|mes", hours)
    .rule("piece", "{timesOf} por|a la semana", hours)
    .rule(
      "piece",
      "antes de|del {pieces}",
      unclear('a deadline is no point in time; "el viernes a las 9" is one'),
    )
    .rule("piece", "hasta {pieces}", unclear('what recurs has no end here; say "cada dia a las 8:00"'))
    .rule(
      "piece",
      "en|dentro de? unos|unas|algunos|algunas {unit}",
      unclear('it says no number; "en 3 horas" does'),
    )
    .rule(
      "piece",
      "cada tercer dia",
      unclear('it has two meanings; "cada dos dias" and "cada tres dias" have one each'),
    )
    .rule("piece", "los|el? {weekdayList}", (list) =>
      list.length > 1
        ? { unclear: 'they are several days; "cada lunes y jueves" recurs, "el lunes" is one' }
        : undefined,
    )
    .rule("piece", "en|dentro de? un rato|momento", unclear('it says no number; "en 3 horas" does'))
    .rule("phrase", "{pieces} o {pieces} .?", unclear('they are two times; say one, as "el sabado a las 10"'))
    .rule("piece", "temprano|pronto", unclear('it names no hour, as "a las 7:00" does'))
    .rule("piece", "mas tarde", unclear('it names no hour, as "a las 17:00" does'))
    .rule("piece", "a primera hora", unclear('it names no hour, as "a las 7:00" does'));
}

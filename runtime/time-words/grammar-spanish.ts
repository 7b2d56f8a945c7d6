import { clockOf, hours24, inHalf, MIDNIGHT, moved, NOON, times } from "./grammar-clock.js";
import { days, fromToday, weekdayOf } from "./grammar-days.js";
import { newGrammar, type TimeGrammar } from "./grammar-names.js";
import {
  allWeekBut,
  daily,
  every,
  minutely,
  monthly,
  monthlyNth,
  WEEKEND,
  WORKDAYS,
  weekly,
  weeksOn,
} from "./grammar-repeat.js";
import { addUnclearWords, unclear } from "./grammar-unclear.js";
import * as spanish from "./lexicon-spanish.js";
import { type ClockWords, type DayWords, type MonthOf, startAt } from "./meaning.js";

/** Times in Spanish, without accents. Less than the English grammar knows: what is not here is refused. */
export function spanishGrammar(): TimeGrammar {
  const grammar = newGrammar(spanish).table("words", spanish.NUMBERS).table("onesOrdinal", spanish.ORDINALS);
  addAmounts(grammar);
  addClocks(grammar);
  addDays(grammar);
  addRepeats(grammar);
  addPieces(grammar);
  addUnclear(grammar);
  return grammar;
}

const addAmounts = (grammar: TimeGrammar) =>
  grammar
    .rule("oneAmount", "{number} {unit}", times)
    .rule("oneAmount", "{number} {unit} y media|medio", (n, unit) => times(n + 0.5, unit))
    .table("oneAmount", [
      ["una? hora y media", { months: 0, days: 0, seconds: 5400 }],
      ["una? hora y cuarto", { months: 0, days: 0, seconds: 4500 }],
      ["media hora", { months: 0, days: 0, seconds: 1800 }],
      ["un cuarto de hora", { months: 0, days: 0, seconds: 900 }],
    ]);

const addClocks = (grammar: TimeGrammar) =>
  grammar
    .rule("hour", "{digits} ~: ~{digits}", (hour, minute) => clockOf(hour, minute))
    .rule("hour", "{digits} ~h ~{digits}", hours24)
    .rule("hour", "{digits}", (hour) => (hour.length <= 2 ? clockOf(hour) : undefined))
    .rule("hour", "{words}", (n) => (n <= 12 ? clockOf(String(n)) : undefined))
    .same("spoken", ["{hour} en punto", "{hour}"])
    .rule("spoken", "{hour} {minutesPast}", (hour, minutes) =>
      hour.grain === "hour" ? moved(hour, minutes) : undefined,
    )
    .table("minutesPast", [
      ["y media", 30],
      ["y cuarto", 15],
      ["menos cuarto", -15],
    ])
    .rule("minutesPast", "y {number} minutos?", (n) => (n >= 1 && n <= 59 ? n : undefined))
    .rule("minutesPast", "menos {number} minutos?", (n) => (n >= 1 && n <= 29 ? -n : undefined))
    .same("led", "a|sobre|hacia? las|la {spoken}")
    .rule("clock", "{led} h|hs|horas?", (clock) => clock)
    .rule("clock", "a las|la {hour} {meridiem}", (clock, half) => halved(clock, half, [12, 11]))
    .rule("clock", "{digits} {meridiem}", (hour, half) => inHalf(hour, "", half))
    .rule("clock", "{digits} ~: ~{digits} {meridiem}?", inHalf)
    .rule("clock", "{led} de la madrugada", (clock) => halved(clock, "am", [1, 6]))
    .rule("clock", "{led} de la manana", (clock) => halved(clock, "am", [1, 11]))
    .rule("clock", "{led} de la tarde", (clock) => halved(clock, "pm", [12, 8]))
    .rule("clock", "{led} de la noche", (clock) => halved(clock, "pm", [6, 11]))
    .rule("clock", "{led} del mediodia", (clock) => halved(clock, "pm", [12, 3]))
    .table("clock", [
      ["a|sobre|hacia? las 12|doce de la noche,a|al la? medianoche", MIDNIGHT],
      ["a|al el? mediodia", NOON],
    ])
    .rule("clock", "{digits} ~h", (hour) => hours24(hour))
    .rule("clocks", "{clock} y {clocks}", (clock, others) => [clock, ...others]);

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
  const nth = (n: number, weekday: number | undefined, of: MonthOf): DayWords => ({
    kind: "nth",
    nth: n,
    weekday,
    of,
  });
  const next = { offset: 1 };
  grammar
    .table("day", [
      ["hoy", days(0)],
      ["manana", days(1)],
      ["pasado manana", days(2)],
      ["ayer", days(-1)],
      ["el ultimo dia del? este? mes", nth(-1, undefined, { offset: 0 })],
      ["el ultimo dia del mes que viene", nth(-1, undefined, next)],
    ])
    // as in English: where the coming one and that of next week differ, people mean either
    .rule(
      "day",
      ["el? proximo {weekday}", "el? {weekday} que viene", "el? {weekday} proximo"],
      weekdayOf("next"),
    )
    .rule("year", "{digits}", (digits) => (/^(19|2[01])\d\d$/.test(digits) ? Number(digits) : undefined))
    .table("monthDay", [["primero", 1]])
    .rule("date", "{monthDay} de {month}", (day, month) => [{ year: undefined, month, day }])
    .rule("date", "{monthDay} de {month} de|del {year}", (day, month, year) => [{ year, month, day }])
    // everywhere in Spanish the day comes first
    .rule("date", "{int} /|- {int}", (day, month) => dayFirst(day, month))
    .rule("date", "{int} ~/ ~{int} ~/ ~{year}", dayFirst)
    .rule("day", "el? dia? {date}", (dates) => ({ kind: "dates", dates }))
    .rule("day", "en|dentro de? {amount}", fromToday)
    // people count today too: eight days are a week, and fifteen are two
    .rule("day", "en|dentro de? {number} dias", (n) =>
      n === 8 || n === 15 ? fromToday({ months: 0, days: n - 1, seconds: 0 }) : undefined,
    )
    .rule("day", "el {onesOrdinal} {weekday} del? este? mes", (n, weekday) => nth(n, weekday, { offset: 0 }))
    .rule(
      "day",
      ["el {onesOrdinal} {weekday} del proximo mes", "el {onesOrdinal} {weekday} del mes que viene"],
      (n, weekday) => nth(n, weekday, next),
    )
    .rule("day", "el {onesOrdinal} {weekday} de {month}", (n, weekday, month) =>
      nth(n, weekday, { month, year: undefined }),
    )
    .rule("day", "el {onesOrdinal} {weekday} de {month} de|del {year}", (n, weekday, month, year) =>
      nth(n, weekday, { month, year }),
    )
    .rule("day", "el dia? {monthDay} del mes que viene", (day) => ({ kind: "day of month", day, of: next }))
    .rule("day", "el dia? {monthDay}", (day) => ({ kind: "day of month", day, of: undefined }))
    .rule("day", "el? {weekday} {monthDay}", (weekday, day) => ({
      ...{ kind: "day of month", day, of: undefined, weekday },
    }));
}

const dayFirst = (day: number, month: number, year?: number) =>
  day >= 1 && day <= 31 && month >= 1 && month <= 12 ? [{ year, month, day }] : undefined;

const addRepeats = (grammar: TimeGrammar) =>
  grammar
    .rule("weekdayList", "{weekday} ,|y|e {weekdayList}", (n, others) => [n, ...others])
    .rule("pluralList", "{pluralWeekday} ,|y|e los? {pluralList}", (n, others) => [n, ...others])
    .table("repeat", [
      ["diariamente,a diario", daily()],
      ["en? dias alternos,un dia si y otro no", daily(2)],
      ["semanalmente", { unit: "week", interval: 1 }],
      ["mensualmente", { unit: "month", interval: 1 }],
      ["anualmente", { unit: "year", interval: 1 }],
      ["cada media hora", minutely(30)],
      ["de? lunes a viernes,entre semana", weekly(WORKDAYS)],
      ["todos? los fines de semana", weekly(WEEKEND)],
      ["el ultimo dia de cada mes", monthly({ monthDays: [-1] })],
    ])
    .rule(
      "repeat",
      ["cada {repeatUnit}", "todos|todas los|las {repeatUnit}", "una vez al|a|por la? {repeatUnit}"],
      (unit) => every(1, unit),
    )
    .rule("repeat", "cada {number} {repeatUnit}", every)
    .rule("repeat", "cada {number} dias", (n) =>
      n === 8 || n === 15 ? every((n - 1) / 7, { unit: "week", times: 1 }) : undefined,
    )
    .rule("repeat", "cada {number} semanas los? el? {weekdays}", weeksOn)
    .rule("timesOf", "{number} veces", (n) => (n > 1 ? n : undefined))
    .rule("repeat", ["cada {weekdayList}", "todos? los {pluralList}"], (weekdays) => weekly(weekdays))
    .rule(
      "repeat",
      [
        "cada dia menos|excepto|salvo los|el? {weekdays}",
        "todos los dias menos|excepto|salvo los|el? {weekdays}",
      ],
      allWeekBut,
    )
    .rule("repeat", ["el dia? {monthDay} de cada mes", "cada mes el dia? {monthDay}"], (day) =>
      monthly({ monthDays: [day] }),
    )
    .rule(
      "repeat",
      ["cada {onesOrdinal} {weekday} del|de cada? mes", "el {onesOrdinal} {weekday} de cada mes"],
      monthlyNth,
    );

const addPieces = (grammar: TimeGrammar) =>
  grammar
    .rule("piece", "el|este? {weekday}", (weekday) => ({ weekday }))
    .rule("piece", "ahora mismo?", () => ({ isNow: true }))
    .rule("piece", "esta {part}", (part) => ({ day: days(0), part }))
    .rule("piece", "por|en la {part}", (part) => ({ part }))
    .rule("piece", ["todas? las {parts}", "cada {part}"], (part) => ({ part, repeat: daily() }))
    .rule("piece", "en|dentro de? {amount}", (elapsed) => (elapsed.seconds > 0 ? { elapsed } : undefined))
    .rule("phrase", "por la {part} .?", (part) => (part === "night" ? undefined : { coming: part }))
    .rule("piece", ["desde {pieces}", "a partir de|del {pieces}", "empezando {pieces}"], startAt)
    .rule("piece", "{timesOf} al|por dia {clocks}", (n, clocks) =>
      clocks.length === n ? { clocks, repeat: daily() } : undefined,
    );

/** Why a phrase fixes no time. The words in quotes are clear; the rest is English, as all refusals are. */
function addUnclear(grammar: TimeGrammar): void {
  const days = 'they are several days; "el sabado a las 10" is one time';
  const hours = unclear('it says no hours; "cada dia a las 8:00 y 20:00" does');
  const noNumber = 'it says no number; "en 3 horas" does';
  const noHour = 'it names no hour, as "a las 7:00" does';
  addUnclearWords(grammar, [
    ["el|este|en proximo? fin de semana,la|esta|proxima semana,la semana que viene", days],
    ["a? fin|finales|principios de mes", '"el ultimo dia del mes" is one day'],
    ["cada tercer dia", 'it has two meanings; "cada dos dias" and "cada tres dias" have one each'],
    ["en|dentro de? un rato|momento", noNumber],
    ["temprano|pronto,a primera hora", noHour],
    ["mas tarde", 'it names no hour, as "a las 17:00" does'],
  ]);
  grammar
    .rule("piece", ["{timesOf} al|por|a dia|semana|mes", "{timesOf} por|a la semana"], hours)
    .rule(
      "piece",
      "antes de|del {pieces}",
      unclear('a deadline is no point in time; "el viernes a las 9" is one'),
    )
    .rule("piece", "hasta {pieces}", unclear('what recurs has no end here; say "cada dia a las 8:00"'))
    .rule("piece", "en|dentro de? unos|unas|algunos|algunas {unit}", unclear(noNumber))
    .rule("piece", "los|el? {weekdayList}", (list) =>
      list.length > 1
        ? { unclear: 'they are several days; "cada lunes y jueves" recurs, "el lunes" is one' }
        : undefined,
    )
    .rule(
      "phrase",
      "{pieces} o {pieces} .?",
      unclear('they are two times; say one, as "el sabado a las 10"'),
    );
}

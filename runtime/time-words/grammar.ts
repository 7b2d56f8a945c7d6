import { addClocks } from "./grammar-clock.js";
import { addDays, days } from "./grammar-days.js";
import { newGrammar, type TimeGrammar } from "./grammar-names.js";
import { addRepeats, daily, weekly } from "./grammar-repeat.js";
import { spanishGrammar } from "./grammar-spanish.js";
import { addUnclear } from "./grammar-unclear.js";
import * as english from "./lexicon.js";
import { type Meaning, startAt } from "./meaning.js";
import { tokensOf } from "./rules.js";
import { ZONE_ABBREVIATIONS } from "./wall-time.js";

/** A choice: no time takes more words, and the work grows with them. */
const MAX_TOKENS = 40;
/** In characters: as many words of twelve letters. */
const LONGEST_PHRASE = MAX_TOKENS * 12;

/** A choice: what is rarer than once a year is a slip. */
const MAX_DAYS = 366;

function addPieces(grammar: TimeGrammar): void {
  grammar
    .table("piece", [
      ["right? now", { isNow: true }],
      ["tonight", { day: days(0), part: "night" }],
      ["last night", { day: days(-1), part: "night" }],
      ["at? this time", { isThisTime: true }],
      ["nightly", { part: "night", repeat: daily() }],
    ])
    .table("phrase", [["at? this time next week .?", { isThisTime: true, day: days(7) }]])
    .rule("piece", "on? {weekday}", (weekday) => ({ weekday }))
    .rule("piece", "this {part}", (part) => ({ day: days(0), part }))
    .rule("phrase", "in the {part} .?", (part) => (part === "night" ? undefined : { coming: part }))
    .rule("piece", "on|in? the {part} of {day}", (part, day) =>
      part === "night" ? undefined : { part, day },
    )
    .rule("piece", ["{part}", "in the? {part}", "at {part}", "early|late {part}"], (part) => ({ part }))
    .rule("piece", ["{parts}", "every|each {part}"], (part) => ({ part, repeat: daily() }))
    .rule("piece", "every other {part}", (part) => ({ part, repeat: daily(2) }))
    .rule("piece", "every {ordinal} {part}", (interval, part) =>
      interval > 1 && interval <= MAX_DAYS ? { part, repeat: daily(interval) } : undefined,
    )
    .rule("piece", "on? {weekday} {parts}", (weekday, part) => ({ part, repeat: weekly([weekday]) }))
    .rule("piece", ["every|each {weekdays} {part}", "{dayKind} {parts}"], (weekdays, part) => ({
      part,
      repeat: weekly(weekdays),
    }))
    .rule(
      "piece",
      ["in about|around|exactly? {amount} time?", "{amount} from now", "{amount} hence"],
      (elapsed) => (elapsed.seconds > 0 ? { elapsed } : undefined),
    )
    .rule("piece", "{amount} ago", ({ months, days, seconds }) =>
      seconds > 0 ? { elapsed: { months: -months, days: -days, seconds: -seconds } } : undefined,
    )
    .rule("piece", ["{zone}", "( {zone} )"], (zone) => ({ zone }))
    .rule("zone", "{word}", zoneNamed)
    .rule(
      "piece",
      ["starting|beginning on|at? {pieces}", "from {pieces} on|onward|onwards?", "as of {pieces}"],
      startAt,
    )
    // beside a time it is what people call the working days, whatever day it is said on
    .rule("piece", "{workWeek} ,? {clocks}", (weekdays, clocks) => ({ clocks, repeat: weekly(weekdays) }))
    .rule("piece", "{clocks} ,? {workWeek}", (clocks, weekdays) => ({ clocks, repeat: weekly(weekdays) }))
    .rule("piece", "{timesOf} a|per|every|each day at? {clocks}", (n, clocks) =>
      clocks.length === n ? { clocks, repeat: daily() } : undefined,
    )
    .rule("offset", "+ ~{digits} ~: ~{digits}", (hours, minutes) => `+${hours}:${minutes}`)
    .rule("offset", "- ~{digits} ~: ~{digits}", (hours, minutes) => `-${hours}:${minutes}`)
    .rule("offset", "z", () => "z")
    .rule("fraction", ". ~{digits}", () => true)
    .rule("piece", "{date} ~t ~{time} ~{fraction}? ~{offset}?", (dates, time, _, zone) => ({
      day: { kind: "dates", dates },
      clocks: [{ ...time, dial: false }],
      ...(zone && { zone }),
    }))
    // "2h" is an hour of the day to one person and a length of time to another
    .rule("phrase", "at? {int} ~h .?", (hours) =>
      hours >= 1 && hours <= 12 ? { elapsed: { months: 0, days: 0, seconds: hours * 3600 } } : undefined,
    );
}

/** An IANA name has a slash in it, and an offset a sign. */
const NAMED_ZONE = /^[a-z_]+\/[a-z_+/-]+\d*$|^(utc|gmt)[+-]/;

const zoneNamed = (word: string): string | undefined =>
  ZONE_ABBREVIATIONS.has(word) || NAMED_ZONE.test(word) ? word : undefined;

/** A part of the day, a zone or a number alone is no time. */
function isWhole(meaning: Meaning): boolean {
  const { day, weekday, clocks, part, repeat, elapsed, isNow, coming, unclear, start } = meaning;
  if (unclear !== undefined || coming !== undefined || start !== undefined) return true;
  const hasDay = day !== undefined || weekday !== undefined || repeat !== undefined;
  const isBare = clocks?.some(({ bare }) => bare) ?? false;
  if (isBare && part === undefined && !isNearDay(meaning)) return false;
  return hasDay || clocks !== undefined || elapsed !== undefined || isNow === true;
}

/** A number behind a date could be a year. Behind a weekday, also of each week, or "tomorrow" it is an hour. */
const isNearDay = ({ day, weekday, repeat }: Meaning): boolean =>
  day === undefined
    ? weekday !== undefined || repeat?.weekdays !== undefined
    : day.kind === "days" || day.kind === "weekday";

const grammar = newGrammar(english);
addClocks(grammar);
addDays(grammar);
addRepeats(grammar);
addPieces(grammar);
addUnclear(grammar);

/** What no English phrase is may be a Spanish one. */
const GRAMMARS = [grammar, spanishGrammar()];

/** Every way to read the whole phrase in one language; none where a word of it belongs to no time. */
export function meaningsOf(phrase: string): readonly Meaning[] {
  if (isTooLong(phrase)) return [];
  const tokens = tokensOf(phrase);
  for (const each of GRAMMARS) {
    const meanings = each.readings("phrase", tokens).filter(isWhole);
    if (meanings.length > 0) return meanings;
  }
  return [];
}

export const isTooLong = (phrase: string): boolean =>
  phrase.length > LONGEST_PHRASE || tokensOf(phrase).length > MAX_TOKENS;

/** The first word that fits nowhere, or undefined where each does and something is missing. */
export function firstStranger(phrase: string): string | undefined {
  const tokens = tokensOf(phrase);
  return tokens[Math.max(...GRAMMARS.map((each) => each.furthest("phrase", tokens)))]?.text;
}

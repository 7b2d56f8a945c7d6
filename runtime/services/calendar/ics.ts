import { createHash } from "node:crypto";
import { isSubdaily, parseRule, ruleText } from "../../time-words/recurrence.js";
import { nextInstants } from "../../time-words/understand.js";
import { DAY_SECONDS, dateOf, WallZone } from "../../time-words/wall-time.js";
import { VERSION } from "../../wire/program.js";
import type { CalendarEntry } from "../module.js";

/** A choice: calendars show nothing of an entry without a length. Seconds. */
const LENGTH_OF_A_POINT = 15 * 60;
/** RFC 5545, 3.1: bytes of a line, without its end. */
const LONGEST_LINE = 75;

interface FeedOptions {
  readonly name: string;
  readonly withDescriptions: boolean;
  /** Epoch milliseconds: zones are described from before the first entry to ten years from now. */
  readonly now: number;
}

/** A calendar as RFC 5545 has it. The same entries always give the same text. */
export function calendarText(
  entries: readonly CalendarEntry[],
  { name, withDescriptions, now }: FeedOptions,
): string {
  const zones = new Map<string, number>();
  const events = entries.flatMap((entry) => eventLines(entry, withDescriptions, zones));
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    `PRODID:-//Tendril//Tendril ${VERSION}//EN`,
    "CALSCALE:GREGORIAN",
    `X-WR-CALNAME:${escaped(name)}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
    ...[...zones].flatMap(([zone, first]) => timezoneLines(zone, first, now)),
    ...events,
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}

function eventLines(entry: CalendarEntry, withDescriptions: boolean, zones: Map<string, number>): string[] {
  const { uid, title, description, location, created, changed, done } = entry;
  const text = (property: string, value: string | null) =>
    withDescriptions && value !== null ? [`${property}:${escaped(value)}`] : [];
  return [
    "BEGIN:VEVENT",
    `UID:${escaped(uid)}`,
    // without METHOD it says when the entry was changed last [RFC 5545, 3.8.7.2]
    `DTSTAMP:${utc(changed)}`,
    `CREATED:${utc(created)}`,
    `LAST-MODIFIED:${utc(changed)}`,
    `SEQUENCE:${sequenceOf(entry)}`,
    ...timeLines(entry, zones),
    `SUMMARY:${escaped(done ? `✓ ${title}` : title)}`,
    ...text("DESCRIPTION", description),
    ...text("LOCATION", location),
    // nobody is busy for a task
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ];
}

/** RFC 5545, 3.3.8. */
const LARGEST_INTEGER = 2_147_483_647;

/** Rises with each change: seconds from the making of the entry to its last change. A memory may say that it was made long ago. */
const sequenceOf = ({ created, changed }: CalendarEntry): number =>
  Math.min(LARGEST_INTEGER, Math.max(0, Math.floor((Date.parse(changed) - Date.parse(created)) / 1000)));

/** A recurrence stands in its zone, so that it follows summer time; everything else is UTC or whole days. */
function timeLines(entry: CalendarEntry, zones: Map<string, number>): string[] {
  const { start, end, recurrence } = entry;
  const days = entry.maybeAllDay ? wholeDays(entry) : undefined;
  if (days) return [`DTSTART;VALUE=DATE:${days.from}`, `DTEND;VALUE=DATE:${days.to}`];
  const first = seconds(start);
  const last = end === null || end === start ? first + LENGTH_OF_A_POINT : seconds(end);
  const rule = recurrence === null ? undefined : parseRule(recurrence);
  if (!rule || isSubdaily(rule)) {
    const recurs = rule ? [`RRULE:${ruleText(rule)}`] : [];
    return [`DTSTART:${stamp(first)}Z`, `DTEND:${stamp(last)}Z`, ...recurs];
  }
  const wall = new WallZone(entry.zone);
  zones.set(entry.zone, Math.min(zones.get(entry.zone) ?? first, first));
  const tzid = escapedParameter(entry.zone);
  const from = `TZID=${tzid}:${stamp(wall.wallOf(first))}`;
  return [
    `DTSTART;${from}`,
    `DTEND;TZID=${tzid}:${stamp(wall.wallOf(last))}`,
    ...(isTimeOf(rule, wall.wallOf(first)) && isNextOf(entry)
      ? [`RRULE:${ruleText(withoutTheObvious(rule))}`]
      : // a start that the rule does not name is no time of the event to all programs [RFC 5545, 3.8.5.3]
        [`RRULE:${ruleText(rule)}`, `RDATE;${from}`]),
  ];
}

/** Not where somebody has moved this one time, nor where the clocks are set forward over it. */
function isTimeOf({ hours = [], minute = 0 }: ReturnType<typeof parseRule>, wall: number): boolean {
  const time = wall % DAY_SECONDS;
  return hours.length === 0 || hours.some((hour) => (hour * 60 + minute) * 60 === time);
}

/** Whether its rule names the day of its start. */
function isNextOf({ start, zone, recurrence }: CalendarEntry): boolean {
  const after = Date.parse(start) - 1;
  return nextInstants(recurrence ?? "", { at: start, zone, after, count: 1 })[0] === start;
}

/** Some calendars do not know BYHOUR. One hour a day is that of the start. */
function withoutTheObvious(rule: ReturnType<typeof parseRule>): ReturnType<typeof parseRule> {
  if (rule.hours === undefined || rule.hours.length > 1) return rule;
  const { hours: _, minute: __, ...plain } = rule;
  return plain;
}

/** The first day, and the day after the last, where it begins and ends with a day of its zone. */
function wholeDays({ start, end, zone }: CalendarEntry): { from: string; to: string } | undefined {
  const wall = new WallZone(zone);
  const [first, last] = [wall.wallOf(seconds(start)), wall.wallOf(seconds(end ?? start))];
  if (first % DAY_SECONDS !== 0 || last % DAY_SECONDS !== 0) return undefined;
  const day = first / DAY_SECONDS;
  return { from: dateText(day), to: dateText(Math.max(day + 1, last / DAY_SECONDS)) };
}

const seconds = (iso: string): number => Math.floor(Date.parse(iso) / 1000);
const utc = (iso: string): string => `${stamp(seconds(iso))}Z`;

/** RFC 5545, 3.3.11. What is no text, such as a control character, becomes a blank; so does U+2028, where some programs end a line. */
const escaped = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");

/** A zone's name has no quote; with a colon, as "UTC+02:00" has, it must stand in quotes. */
const escapedParameter = (zone: string): string => (/[:;,]/.test(zone) ? `"${zone}"` : zone);

/** Lines of at most 75 bytes, broken between characters; a continued line begins with a blank. */
function folded(line: string): string {
  const lines: string[] = [];
  let current = "";
  let bytes = 0;
  for (const character of line) {
    const more = Buffer.byteLength(character);
    if (bytes + more > LONGEST_LINE) {
      lines.push(current);
      current = " ";
      bytes = 1;
    }
    current += character;
    bytes += more;
  }
  return [...lines, current].join("\r\n");
}

/** Names a text, for clients that ask whether it has changed. */
export const etagOf = (text: string): string =>
  `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;

/** A choice: a recurring task is looked at within ten years, and the feed is read anew long before. Seconds. */
const AHEAD = 10 * 366 * DAY_SECONDS;
/** What comes before the first entry: a year, so that the offset of its first day is told. Seconds. */
const BEFORE = 366 * DAY_SECONDS;

interface Change {
  /** The first second with the new offset. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** A zone as VTIMEZONE: its changes from before `first` (seconds) to ten years after `now` (milliseconds). RFC 5545, 3.6.5. */
function timezoneLines(zone: string, first: number, now: number): string[] {
  const wall = new WallZone(zone);
  const begin = Math.min(first, now / 1000) - BEFORE;
  const changes = changesOf(wall, Math.floor(begin / DAY_SECONDS) * DAY_SECONDS, now / 1000 + AHEAD);
  const offset = wall.offsetAt(begin);
  const start = { at: Math.floor(begin), from: offset, to: offset };
  const kinds = new Map<string, Change[]>();
  for (const change of [start, ...changes]) {
    const kind = `${change.from} ${change.to}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), change]);
  }
  const least = Math.min(...[start, ...changes].map(({ to }) => to));
  return [
    "BEGIN:VTIMEZONE",
    `TZID:${zone}`,
    ...[...kinds.values()].flatMap((all) => observance(all, least)),
    "END:VTIMEZONE",
  ];
}

/** All changes by the same offsets. Summer time is what is ahead of the least offset. */
function observance(all: readonly Change[], least: number): string[] {
  const [first] = all;
  if (!first) return [];
  const kind = first.to > least ? "DAYLIGHT" : "STANDARD";
  const local = ({ at, from }: Change) => stamp(at + from);
  return [
    `BEGIN:${kind}`,
    `DTSTART:${local(first)}`,
    ...all.slice(1).map((change) => `RDATE:${local(change)}`),
    `TZOFFSETFROM:${offsetText(first.from)}`,
    `TZOFFSETTO:${offsetText(first.to)}`,
    `END:${kind}`,
  ];
}

/** Looked for a week at a time, then to the second. No zone changes twice within a week. */
function changesOf(wall: WallZone, from: number, until: number): Change[] {
  const changes: Change[] = [];
  const week = 7 * DAY_SECONDS;
  for (let at = from; at < until; at += week) {
    const [before, after] = [wall.offsetAt(at), wall.offsetAt(at + week)];
    if (before !== after) changes.push({ at: changeIn(wall, at, at + week), from: before, to: after });
  }
  return changes;
}

/** The first second in (low, high] with the offset of `high`. */
function changeIn(wall: WallZone, low: number, high: number): number {
  const after = wall.offsetAt(high);
  let [before, at] = [low, high];
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2);
    if (wall.offsetAt(middle) === after) at = middle;
    else before = middle;
  }
  return at;
}

/** "+0530", with seconds only where there are some. */
function offsetText(offset: number): string {
  const size = Math.abs(offset);
  const parts = [Math.floor(size / 3600), Math.floor((size % 3600) / 60), size % 60];
  const text = parts.map((part) => String(part).padStart(2, "0"));
  return `${offset < 0 ? "-" : "+"}${text.slice(0, size % 60 === 0 ? 2 : 3).join("")}`;
}

/** "20261123" */
function dateText(day: number): string {
  const { year, month, day: ofMonth } = dateOf(day);
  return `${padded(year, 4)}${padded(month, 2)}${padded(ofMonth, 2)}`;
}

/** Seconds as a clock shows them: "20261123T120000". */
function stamp(wall: number): string {
  const day = Math.floor(wall / DAY_SECONDS);
  const time = wall - day * DAY_SECONDS;
  const [hour, minute, second] = [Math.floor(time / 3600), Math.floor((time % 3600) / 60), time % 60];
  return `${dateText(day)}T${padded(hour, 2)}${padded(minute, 2)}${padded(second, 2)}`;
}

const padded = (value: number, digits: number): string => String(value).padStart(digits, "0");

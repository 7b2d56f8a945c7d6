import { DAY_SECONDS, dateOf, WallZone } from "../../time-words/wall-time.js";

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
export function timezoneLines(zone: string, first: number, now: number): string[] {
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
export function dateText(day: number): string {
  const { year, month, day: ofMonth } = dateOf(day);
  return `${padded(year, 4)}${padded(month, 2)}${padded(ofMonth, 2)}`;
}

/** Seconds as a clock shows them: "20261123T120000". */
export function stamp(wall: number): string {
  const day = Math.floor(wall / DAY_SECONDS);
  const time = wall - day * DAY_SECONDS;
  const [hour, minute, second] = [Math.floor(time / 3600), Math.floor((time % 3600) / 60), time % 60];
  return `${dateText(day)}T${padded(hour, 2)}${padded(minute, 2)}${padded(second, 2)}`;
}

const padded = (value: number, digits: number): string => String(value).padStart(digits, "0");

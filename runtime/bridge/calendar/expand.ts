import ICAL from "ical.js";
import { type CalendarEvent, MAX_EVENTS } from "../../wire/calendar.js";
import {
  type CalendarItem,
  DAY,
  type Facts,
  floating,
  instantOf,
  type Moment,
  readEvent,
  wallOf,
  Zones,
} from "./event.js";

/** The part of a calendar that is wanted: instants in seconds, and the zone for times that name none. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly zone: string;
}

export interface Expanded {
  readonly events: readonly CalendarEvent[];
  /** Events that cannot be read, recur too often, or are more than an answer takes. */
  readonly leftOff: number;
}

/**
 * Steps of one recurrence, and of all in a calendar. Choices: every day for a hundred years, which takes 0.4 s on a PC;
 * each second does not get anywhere.
 */
const MAX_STEPS = 36_600;
const MAX_STEPS_IN_ALL = 500_000;
/** Occurrences of one event in the span. A choice: one an hour for ten days. */
const MAX_OCCURRENCES = 250;
/** Characters of all events as JSON. Room for the rest of the answer is left (LONGEST_ANSWER). */
const MAX_CHARACTERS = 900_000;

/**
 * So far from the span a time on a wall is outside of it in every zone, also if a change of all later occurrences has
 * moved it by a day.
 */
const REACH = 2 * DAY;

/** The text is no calendar, or only the beginning of one. */
export class NoCalendar extends Error {
  override readonly name = "NoCalendar";
}

/** An occurrence that is known by the moment at which its rule has it. */
interface Occurrence {
  readonly start: Moment;
  readonly duration: number;
  readonly facts: Facts;
}

/** All events that take place in the span, soonest first. Throws NoCalendar. */
export function eventsIn(text: string, span: Span): Expanded {
  if (!/^\s*BEGIN:VCALENDAR\s/i.test(text) || !/^END:VCALENDAR\s*$/im.test(text)) throw new NoCalendar();
  const { items, unreadable } = itemsOf(text, span.zone);
  const expansion = new Expansion(span, items);
  const found = items.flatMap((item) => expansion.of(item)).sort((a, b) => order(a) - order(b));
  const events = fitting(found.map(eventOf));
  return { events, leftOff: unreadable + expansion.tooOften + found.length - events.length };
}

/** Each event is read by itself, so a bad one takes no other along. */
function itemsOf(text: string, zone: string): { items: CalendarItem[]; unreadable: number } {
  const lines = text.split(/\r?\n/);
  const zones = new Zones(zone, timezonesOf(lines));
  const items: CalendarItem[] = [];
  let unreadable = 0;
  for (const block of blocksOf(lines, "VEVENT"))
    try {
      items.push(readEvent(ICAL.Component.fromString(block), zones));
    } catch {
      unreadable += 1;
    }
  return { items, unreadable };
}

function timezonesOf(lines: readonly string[]): Map<string, ICAL.Timezone> {
  const found = new Map<string, ICAL.Timezone>();
  for (const block of blocksOf(lines, "VTIMEZONE"))
    try {
      const timezone = new ICAL.Timezone(ICAL.Component.fromString(block));
      found.set(timezone.tzid, timezone);
    } catch {
      // an event with this zone gets the house's
    }
  return found;
}

/** The text of each component of this name. One that does not end is part of the next. */
function* blocksOf(lines: readonly string[], name: string): Generator<string> {
  let begin: number | undefined;
  for (const [at, line] of lines.entries()) {
    const word = line.trimEnd().toUpperCase();
    if (word === `BEGIN:${name}`) begin ??= at;
    if (word !== `END:${name}` || begin === undefined) continue;
    yield lines.slice(begin, at + 1).join("\r\n");
    begin = undefined;
  }
}

/** Finds the occurrences of events in a span, within bounds. */
class Expansion {
  tooOften = 0;
  private steps = 0;
  private readonly changed = new Map<string, CalendarItem[]>();
  private readonly cancelled = new Set<string>();

  constructor(
    private readonly span: Span,
    items: readonly CalendarItem[],
  ) {
    for (const item of items) this.learn(item);
  }

  of(item: CalendarItem): Occurrence[] {
    const { uid, replaces, rules, extra, start, duration, facts } = item;
    if (replaces) return this.ofChange(item);
    if (item.isCancelled) return [];
    if (rules.length === 0 && extra.length === 0) return this.inSpan([{ start, duration, facts }]);
    const starts = this.startsOf(item);
    if (!starts) {
      this.tooOften += 1;
      return [];
    }
    const changes = uid === undefined ? [] : (this.changed.get(uid) ?? []);
    return this.inSpan(starts.flatMap((each) => unchanged(item, each, changes)));
  }

  /** A change is an event of its own; of two for one occurrence the newer counts. */
  private ofChange(item: CalendarItem): Occurrence[] {
    const { uid = "", isCancelled, start, duration, facts } = item;
    const isNewest = this.changed.get(uid)?.includes(item) ?? true;
    return isCancelled || !isNewest || this.cancelled.has(uid)
      ? []
      : this.inSpan([{ start, duration, facts }]);
  }

  private learn(item: CalendarItem): void {
    const { uid, replaces, isCancelled, sequence } = item;
    if (uid === undefined) return;
    if (!replaces) {
      if (isCancelled) this.cancelled.add(uid);
      return;
    }
    const known = this.changed.get(uid) ?? [];
    const same = known.find((each) => each.replaces && isSame(each.replaces.moment, replaces.moment));
    if (same && same.sequence > sequence) return;
    this.changed.set(uid, [...known.filter((each) => each !== same), item]);
  }

  /** Undefined if there are too many to be a person's. */
  private startsOf(item: CalendarItem): readonly Moment[] | undefined {
    const fixed = item.rules.length === 0 ? [item.start, ...item.extra] : item.extra;
    const starts = new Map(fixed.map((moment) => [instantOf(moment), moment]));
    for (const rule of item.rules)
      for (const wall of this.wallsOf(rule, item)) {
        if (wall === undefined || starts.size > MAX_OCCURRENCES) return undefined;
        const moment = { ...item.start, wall };
        starts.set(instantOf(moment), moment);
      }
    return [...starts.values()];
  }

  /** The times of a rule within the span, on the wall of the event's zone. Undefined: it does not get through. */
  private *wallsOf(rule: ICAL.Recur, { start, duration }: CalendarItem): Generator<number | undefined> {
    const { from, to } = this.span;
    const times = bounded(rule, start).iterator(floating(start.wall, start.isDate));
    for (let step = 0; ; step += 1) {
      const time = times.next();
      const wall = time ? wallOf(time) : Number.POSITIVE_INFINITY;
      if (wall > to + REACH) return;
      this.steps += 1;
      if (step > MAX_STEPS || this.steps > MAX_STEPS_IN_ALL) return yield undefined;
      if (wall + duration + REACH >= from) yield wall;
    }
  }

  private inSpan(occurrences: readonly Occurrence[]): Occurrence[] {
    const { from, to } = this.span;
    return occurrences.filter(({ start, duration }) => {
      if (start.wall > to + REACH || start.wall + duration + REACH < from) return false;
      const begin = instantOf(start);
      // the date of a whole day begins up to 14 hours earlier or later elsewhere
      const slack = start.isDate ? DAY : 0;
      return begin - slack < to && (begin + duration + slack > from || begin >= from);
    });
  }
}

/** The rule with its end on the wall of the event's zone, where its steps are. */
function bounded(rule: ICAL.Recur, start: Moment): ICAL.Recur {
  const own = rule.clone();
  const { until } = own;
  if (!until) return own;
  const isUtc = until.zone === ICAL.Timezone.utcTimezone;
  const wall = isUtc && !until.isDate ? start.zone.wallOf(wallOf(until)) : wallOf(until);
  // a day as the end of a timed event includes the whole day
  own.until = floating(until.isDate && !start.isDate ? wall + DAY - 1 : wall, start.isDate);
  return own;
}

/** The occurrence, unless it is excepted or replaced; moved if it follows a change of all later ones. */
function unchanged(item: CalendarItem, start: Moment, changes: readonly CalendarItem[]): Occurrence[] {
  if (item.except.some((each) => isSame(each, start))) return [];
  if (changes.some(({ replaces }) => replaces && isSame(replaces.moment, start))) return [];
  const change = lastBefore(start, changes);
  if (!change?.replaces) return [{ start, duration: item.duration, facts: item.facts }];
  if (change.isCancelled) return [];
  const moved = change.start.wall - change.replaces.moment.wall;
  const { duration, facts } = change;
  return [{ start: { ...start, wall: start.wall + moved }, duration, facts }];
}

/** The newest change of all later ones that this occurrence follows. */
function lastBefore(start: Moment, changes: readonly CalendarItem[]): CalendarItem | undefined {
  const at = instantOf(start);
  const before = changes.filter(({ replaces }) => replaces?.andFollowing && instantOf(replaces.moment) < at);
  const replacedAt = ({ replaces, start: own }: CalendarItem) => instantOf(replaces?.moment ?? own);
  return before.sort((a, b) => replacedAt(a) - replacedAt(b)).at(-1);
}

/** A day names every occurrence on it: some programs write the date alone for an event with a time. */
function isSame(named: Moment, start: Moment): boolean {
  if (named.isDate === start.isDate) return instantOf(named) === instantOf(start);
  return Math.floor(named.wall / DAY) === Math.floor(start.wall / DAY);
}

const order = ({ start }: Occurrence): number => instantOf(start);

function eventOf({ start, duration, facts }: Occurrence): CalendarEvent {
  const begin = instantOf(start);
  const said = (instant: number) => {
    const iso = new Date(instant * 1000).toISOString();
    return start.isDate ? iso.slice(0, "2026-11-23".length) : iso;
  };
  const { title, location, ...external } = facts;
  return {
    title,
    location,
    start: said(begin),
    end: said(begin + duration),
    all_day: start.isDate,
    ...external,
  };
}

/** As many of the soonest as fit into an answer. */
function fitting(events: readonly CalendarEvent[]): CalendarEvent[] {
  let left = MAX_CHARACTERS;
  return events.slice(0, MAX_EVENTS).filter((event) => {
    left -= JSON.stringify(event).length + 1;
    return left > 0;
  });
}

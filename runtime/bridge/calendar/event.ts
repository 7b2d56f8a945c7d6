import ICAL from "ical.js";
import { WallZone } from "../../time-words/wall-time.js";
import { LONGEST } from "../../wire/calendar.js";
import { isZone } from "../../wire/house-time.js";

/**
 * What the clocks show, in seconds since 1970-01-01T00:00 as if they showed UTC (`wall`), and when they do (`instant`).
 */
interface EventZone {
  instantOf(wall: number): number;
  wallOf(instant: number): number;
}

const UTC: EventZone = { instantOf: (wall) => wall, wallOf: (instant) => instant };

/** The zones of one calendar: by their IANA names, else by the rules that the calendar brings along. */
export class Zones {
  private readonly known = new Map<string, EventZone>();

  /** `house` is for times without a zone. */
  constructor(
    private readonly house: string,
    private readonly brought: ReadonlyMap<string, ICAL.Timezone>,
  ) {}

  /** The zone of a time with this TZID. A whole day has none: it is the same date everywhere. */
  of(time: ICAL.Time, tzid: string | undefined): EventZone {
    if (time.isDate || time.zone === ICAL.Timezone.utcTimezone) return UTC;
    return this.named(tzid ?? this.house);
  }

  private named(tzid: string): EventZone {
    const known = this.known.get(tzid) ?? this.find(tzid);
    this.known.set(tzid, known);
    return known;
  }

  private find(tzid: string): EventZone {
    const name = ianaName(tzid);
    const rules = this.brought.get(tzid);
    return remembering(name === undefined && rules ? byRules(rules) : new WallZone(name ?? this.house));
  }
}

/** To ask for an offset takes a tenth of a millisecond, and the same times are asked for again and again. */
function remembering(zone: EventZone): EventZone {
  const known = new Map<number, number>();
  const instantOf = (wall: number) => {
    const instant = known.get(wall) ?? zone.instantOf(wall);
    known.set(wall, instant);
    return instant;
  };
  return { instantOf, wallOf: (instant) => zone.wallOf(instant) };
}

/** "Europe/Berlin", also at the end of "/mozilla.org/20050126_1/Europe/Berlin"; undefined for "W. Europe Standard Time". */
function ianaName(tzid: string): string | undefined {
  const parts = tzid.split("/");
  const ends = parts.map((_, at) => parts.slice(at).join("/")).filter((end) => end.includes("/"));
  return [tzid, ...ends].find(isZone);
}

function byRules(rules: ICAL.Timezone): EventZone {
  const offsetAt = (wall: number) => rules.utcOffset(floating(wall, false));
  return {
    instantOf: (wall) => wall - offsetAt(wall),
    wallOf: (instant) => instant + offsetAt(instant + offsetAt(instant)),
  };
}

/** A wall time as the library has it, without a zone: recurrences count by the clocks on the wall. */
export function floating(wall: number, isDate: boolean): ICAL.Time {
  const at = new Date(wall * 1000);
  const parts = {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    isDate,
  };
  return new ICAL.Time(parts, ICAL.Timezone.localTimezone);
}

export const wallOf = ({ year, month, day, hour, minute, second }: ICAL.Time): number =>
  Date.UTC(year, month - 1, day, hour, minute, second) / 1000;

/** A time of an event: seconds on the wall of its zone, or midnight of a whole day. */
export interface Moment {
  readonly wall: number;
  readonly zone: EventZone;
  readonly isDate: boolean;
}

export const DAY = 86_400;

export const instantOf = ({ wall, zone }: Moment): number => zone.instantOf(wall);

/** What is shown of an event. All of it are words of strangers. */
export interface Facts {
  readonly title: string;
  readonly location: string | null;
  readonly external_id: string | null;
  readonly external_url: string | null;
}

/** One VEVENT: an event, or what one of its occurrences was changed to. */
export interface CalendarItem {
  /** Undefined: an event without one belongs to nothing. */
  readonly uid: string | undefined;
  readonly sequence: number;
  readonly isCancelled: boolean;
  readonly start: Moment;
  /** Seconds; for a whole day at least one day. */
  readonly duration: number;
  readonly rules: readonly ICAL.Recur[];
  readonly extra: readonly Moment[];
  readonly except: readonly Moment[];
  /** The occurrence that this one replaces, and whether it replaces all later ones too. */
  readonly replaces: { readonly moment: Moment; readonly andFollowing: boolean } | undefined;
  readonly facts: Facts;
}

/** Reads a VEVENT. Throws if it has no start, or anything in it is no iCalendar. */
export function readEvent(component: ICAL.Component, zones: Zones): CalendarItem {
  const moments = (name: string) =>
    component.getAllProperties(name).flatMap((property) => momentsOf(property, zones));
  const [start] = moments("dtstart");
  if (!start) throw new Error("an event has no start");
  const [replaced] = moments("recurrence-id");
  return {
    uid: textOf(component, "uid"),
    sequence: Number(component.getFirstPropertyValue("sequence")) || 0,
    isCancelled: textOf(component, "status")?.toUpperCase() === "CANCELLED",
    start,
    duration: durationOf(component, start, moments("dtend")[0]),
    rules: component.getAllProperties("rrule").flatMap(rulesOf),
    extra: moments("rdate"),
    except: moments("exdate"),
    replaces: replaced && { moment: replaced, andFollowing: isForFollowing(component) },
    facts: factsOf(component),
  };
}

function momentsOf(property: ICAL.Property, zones: Zones): Moment[] {
  const tzid = parameter(property, "tzid");
  return property.getValues().map((value: unknown) => {
    const time = value instanceof ICAL.Period ? value.start : value;
    if (!(time instanceof ICAL.Time)) throw new Error(`${property.name} is no time`);
    return { wall: wallOf(time), zone: zones.of(time, tzid), isDate: time.isDate };
  });
}

function parameter(property: ICAL.Property, name: string): string | undefined {
  const found: unknown = property.getParameter(name);
  const [first] = Array.isArray(found) ? found : [found];
  return typeof first === "string" ? first : undefined;
}

const rulesOf = (property: ICAL.Property): ICAL.Recur[] =>
  property.getValues().filter((value: unknown): value is ICAL.Recur => value instanceof ICAL.Recur);

const isForFollowing = (component: ICAL.Component): boolean => {
  const property = component.getFirstProperty("recurrence-id");
  return property !== null && parameter(property, "range")?.toUpperCase() === "THISANDFUTURE";
};

/** DTEND, else DURATION, else a day or no time at all (RFC 5545, 3.6.1). An end before the start counts as none. */
function durationOf(component: ICAL.Component, start: Moment, end: Moment | undefined): number {
  const given: unknown = component.getFirstPropertyValue("duration");
  const least = start.isDate ? DAY : 0;
  if (end) return Math.max(least, instantOf(end) - instantOf(start));
  return Math.max(least, given instanceof ICAL.Duration ? given.toSeconds() : 0);
}

function factsOf(component: ICAL.Component): Facts {
  const url = textOf(component, "url");
  const isLink = url !== undefined && /^https?:\/\//i.test(url) && url.length <= LONGEST.url;
  return {
    title: cut(textOf(component, "summary") ?? "", LONGEST.title) || "(no title)",
    location: cut(textOf(component, "location") ?? "", LONGEST.location) || null,
    external_id: idOf(textOf(component, "uid")),
    external_url: isLink ? url : null,
  };
}

function textOf(component: ICAL.Component, name: string): string | undefined {
  const value: unknown = component.getFirstPropertyValue(name);
  return value === null || value === undefined ? undefined : String(value).trim() || undefined;
}

/** An id that is too long cannot be shortened and still name the event. */
const idOf = (uid: string | undefined): string | null =>
  uid === undefined || uid.length > LONGEST.id ? null : uid;

/** On one line. What is cut off leaves a mark. */
function cut(text: string, longest: number): string {
  const points = [...text.replaceAll(/\s+/g, " ").trim()];
  return points.length <= longest ? points.join("") : `${points.slice(0, longest - 1).join("")}…`;
}

import ICAL from "ical.js";
import { LONGEST } from "../../wire/calendar.js";
import { type EventZone, wallOf, type Zones } from "./zones.js";

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

import ICAL from "ical.js";
import { WallZone } from "../../time-words/wall-time.js";
import { isZone } from "../../wire/house-time.js";

/**
 * What the clocks show, in seconds since 1970-01-01T00:00 as if they showed UTC (`wall`), and when they do (`instant`).
 */
export interface EventZone {
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

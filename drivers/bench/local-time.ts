import { type EpochMillis, hours, minutes } from "../units.js";

/** The instants that a local time may mean: none in a spring's gap, two in an autumn's fold, else one; earliest first. */
export type LocalTime = (text: string) => readonly EpochMillis[];

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;
const OFFSET = /^([+-])(\d\d):(\d\d)$/;

/** Reads times of `zone`: `UTC`, an offset as `+02:00`, or an IANA name. Throws RangeError for any other. */
export function localTime(zone: string): LocalTime {
  const offsetAt = offsetOf(zone);
  return (text) => {
    const local = FORM.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
    if (Number.isNaN(local)) throw new RangeError(`"${text}" is no time of the form 2025-09-15T17:07`);
    const offsets = new Set([local - hours(24), local + hours(24)].map(offsetAt));
    const instants = [...offsets].map((offset) => local - offset).filter((at) => at + offsetAt(at) === local);
    return instants.sort((a, b) => a - b) as EpochMillis[];
  };
}

/** Milliseconds that the zone is ahead of UTC at an instant. */
type OffsetAt = (at: number) => number;

function offsetOf(zone: string): OffsetAt {
  const [, sign, hour, minute] = OFFSET.exec(zone) ?? [];
  if (sign === undefined) return offsetOfNamed(zone);
  const fixed = (sign === "-" ? -1 : 1) * (hours(Number(hour)) + minutes(Number(minute)));
  return () => fixed;
}

/** A format in the manner of ISO 8601, whose text differs from UTC's by the offset. */
function offsetOfNamed(zone: string): OffsetAt {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return (at) => Date.parse(`${format.format(at).replace(" ", "T")}Z`) - Math.floor(at / 1000) * 1000;
}

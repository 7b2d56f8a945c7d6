import { offsetName, WallZone } from "./wall-time.js";

/** What people call the time of a place: hours east of UTC, and the place whose clocks go by it for a part of the year. */
const ABBREVIATIONS: Readonly<
  Record<string, readonly { readonly offset: number; readonly place: string }[]>
> = {
  cet: [{ offset: 1, place: "Europe/Berlin" }],
  cest: [{ offset: 2, place: "Europe/Berlin" }],
  bst: [{ offset: 1, place: "Europe/London" }],
  pst: [{ offset: -8, place: "America/Los_Angeles" }],
  pdt: [{ offset: -7, place: "America/Los_Angeles" }],
  mst: [{ offset: -7, place: "America/Denver" }],
  mdt: [{ offset: -6, place: "America/Denver" }],
  cdt: [{ offset: -5, place: "America/Chicago" }],
  est: [{ offset: -5, place: "America/New_York" }],
  edt: [{ offset: -4, place: "America/New_York" }],
  cst: [
    { offset: -6, place: "America/Chicago" },
    { offset: 8, place: "Asia/Shanghai" },
  ],
  ist: [
    { offset: 5.5, place: "Asia/Kolkata" },
    { offset: 2, place: "Asia/Jerusalem" },
  ],
};

export const ZONE_ABBREVIATIONS: ReadonlySet<string> = new Set([
  ...Object.keys(ABBREVIATIONS),
  "utc",
  "gmt",
  "z",
]);

/**
 * The zones that a word can mean. In summer "PST" is the time of California to most people and an hour later to the
 * letter: both are kept, and where they differ the phrase is ambiguous. Undefined for what is no zone.
 */
export function zonesNamed(word: string): readonly WallZone[] | undefined {
  const known = ABBREVIATIONS[word];
  if (!known) return zoneOrNone(word);
  return known.flatMap(({ offset, place }) => [new WallZone(offsetName(offset * 3600)), new WallZone(place)]);
}

function zoneOrNone(word: string): readonly WallZone[] | undefined {
  try {
    return [new WallZone(word)];
  } catch {
    return undefined;
  }
}

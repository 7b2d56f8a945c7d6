/** Times as people in the house read them. Records, the wire and all that is counted by day stay in UTC. */
export class HouseTime {
  private readonly format: Intl.DateTimeFormat;

  /** `zone`: an IANA name. Throws RangeError for any other. */
  constructor(readonly zone: string = "UTC") {
    this.format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    });
  }

  /** "2026-11-23" */
  day(at: string | number): string {
    const { year, month, day } = this.partsOf(at);
    return `${year?.padStart(4, "0")}-${month}-${day}`;
  }

  /** "14:05" */
  clock(at: string | number): string {
    const { hour, minute } = this.partsOf(at);
    return `${hour}:${minute}`;
  }

  /** "2026-11-23 14:05" */
  minute(at: string | number): string {
    return `${this.day(at)} ${this.clock(at)}`;
  }

  private partsOf(at: string | number): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
    const parts = this.format.formatToParts(typeof at === "string" ? Date.parse(at) : at);
    return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  }
}

/** Whether this computer knows a time zone of that name. */
export function isZone(zone: string): boolean {
  try {
    return new HouseTime(zone).zone === zone;
  } catch {
    return false;
  }
}

/** In UTC where this computer knows no zone of that name. */
export const houseTimeOf = (zone: string): HouseTime => new HouseTime(isZone(zone) ? zone : "UTC");

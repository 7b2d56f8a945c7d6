/** Times as people in the house read them. The wire and everything that is recorded stay in UTC. As runtime/house-time.ts. */
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

  /** "14:05" */
  clock(timestamp: string): string {
    const { hour, minute } = this.partsOf(timestamp);
    return `${hour}:${minute}`;
  }

  /** "2026-11-23" */
  day(timestamp: string): string {
    const { year, month, day } = this.partsOf(timestamp);
    return `${year?.padStart(4, "0")}-${month}-${day}`;
  }

  private partsOf(timestamp: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
    const parts = this.format.formatToParts(Date.parse(timestamp));
    return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  }
}

/** UTC where this computer knows no zone of that name. */
export function houseTimeOf(zone: string): HouseTime {
  try {
    return new HouseTime(zone);
  } catch {
    return new HouseTime();
  }
}

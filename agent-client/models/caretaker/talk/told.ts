import type { HouseTime } from "../../../../runtime/wire/house-time.js";

/** A time of the record, as people write it. */
export type Told = (iso: string) => string;

const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

/** "10:00" of today, "10:00 yesterday", "10:00 on 1 June". `now`: ISO 8601; empty where it is not known. */
export function told(time: HouseTime, now: string): Told {
  const [yesterday, today] = now === "" ? [] : time.lastDays(2, now);
  return (iso) => {
    const day = time.day(iso);
    if (day === today) return time.clock(iso);
    const [, month = 1, date] = day.split("-").map(Number);
    return `${time.clock(iso)} ${day === yesterday ? "yesterday" : `on ${date} ${MONTHS[month - 1]}`}`;
  };
}

import { hours, minutes } from "../../../drivers/units.js";
import type { Quantity } from "../../../runtime/store/measurements.js";

/** Four quantities, a row of each every minute: five years of them are 10.5 million rows. */
export const SERIES: readonly { readonly place: string; readonly quantity: Quantity }[] = [
  { place: "living room", quantity: "air_temperature" },
  { place: "living room", quantity: "relative_humidity" },
  { place: "living room", quantity: "air_pressure" },
  { place: "balcony", quantity: "air_temperature" },
];
export const MAX_ROWS = 10_512_000;
export const END = Date.parse("2026-06-30T12:34:56.789Z");

export interface Row {
  readonly place: string;
  readonly quantity: Quantity;
  readonly at: number;
  readonly value: number;
}

/** The same rows each time, oldest first. */
export function* rowsOf(count: number): Generator<Row> {
  const times = Math.floor(count / SERIES.length);
  for (let n = 1; n <= times; n += 1)
    for (const [at, series] of SERIES.entries())
      yield { ...series, at: END - (times - n) * minutes(1), value: 20 + ((n * 7919 + at) % 3000) / 100 };
}

/** How many hours the rows cover. */
export const spanOf = (count: number): number =>
  Math.max(1, Math.floor(((count / SERIES.length) * minutes(1)) / hours(1)));

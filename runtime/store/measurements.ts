import type { HistoryQuery, HistoryResult } from "./bucket.js";
import type { Database } from "./database.js";
import { isSampling, unknownField } from "./history.js";
import { type RecordShape, SeriesTable } from "./series.js";

/** What is measured beside the soil, and in which unit. A new quantity is one line here. */
export const QUANTITIES = {
  air_temperature: "°C",
  relative_humidity: "%",
  air_pressure: "hPa",
} as const;
export type Quantity = keyof typeof QUANTITIES;

export interface Measurement {
  readonly quantity: Quantity;
  readonly unit: string;
  /** A plant's id, or the name of a room. */
  readonly place: string;
  /** Wall time, epoch milliseconds. */
  readonly at: number;
  readonly value: number;
  /** Null or absent: good. */
  readonly quality?: string | null;
}

/** What is measured together at one place: the quantity behind each field of a record. The first one leads: it is counted. */
export interface MeasuredTogether {
  readonly place: string;
  readonly fields: Readonly<Record<string, Quantity>>;
}

const LAYOUT = {
  table: "measurements",
  sums: "measurement_sums",
  key: ["place", "quantity"],
  numbers: ["value"],
  others: ["unit", "quality"],
};

/** All measurements but the soil's, which has four figures to each reading (readings.ts). */
export class MeasurementStore {
  private readonly series: SeriesTable<Measurement>;

  constructor(database: Database, onFailure: (error: Error) => void, relaxed = false) {
    this.series = new SeriesTable(LAYOUT, database, onFailure, relaxed);
  }

  /** The unit is the quantity's own. */
  add(measurement: Omit<Measurement, "unit">): void {
    this.series.add({ ...measurement, unit: QUANTITIES[measurement.quantity] });
  }

  flush(): Promise<void> {
    return this.series.flush();
  }

  /** The last `n` measurements of a quantity at a place in order of arrival, the newest last. */
  latest(place: string, quantity: Quantity, n: number): Promise<Measurement[]> {
    return this.series.latest([place, quantity], n);
  }

  /** Throws TOO_MANY_BUCKETS, UNKNOWN_FIELD, INVALID_ARGUMENT. */
  async history(query: HistoryQuery, { place, fields }: MeasuredTogether): Promise<HistoryResult> {
    const { valueField } = query;
    const names = Object.keys(fields);
    if (valueField !== undefined && !names.includes(valueField)) throw unknownField(query, names);
    const quantity = fields[valueField ?? names[0] ?? ""] ?? "";
    return isSampling(query)
      ? this.series.sample(query, [place, quantity], recordOf(fields))
      : this.series.aggregate(query, [place, quantity], valueField === undefined ? undefined : "value");
  }
}

/** What was measured at the same place at the same time is one record. A quantity that is missing there is null. */
function recordOf(fields: MeasuredTogether["fields"]): RecordShape {
  const figures = Object.entries(fields).map(([field, quantity]) => `'${field}', ${beside(quantity)}`);
  return {
    body: `json_object('at', at, ${figures.join(", ")})`,
    decode: (body) => {
      const { at, ...record } = JSON.parse(body) as { readonly at: number };
      return { timestamp: new Date(at).toISOString(), ...record };
    },
  };
}

const beside = (quantity: Quantity): string =>
  `(SELECT same.value FROM measurements AS same WHERE same.place = measurements.place
     AND same.quantity = '${quantity}' AND same.at = measurements.at ORDER BY same.seq DESC LIMIT 1)`;

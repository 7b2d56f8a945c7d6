import { TendrilError } from "../errors.js";
import type { HistoryQuery, HistoryResult } from "./bucket.js";
import type { Database } from "./database.js";
import { isSampling, unknownField } from "./history.js";
import { dayStatements, type SeriesLayout } from "./rollup.js";
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

const LAYOUT: SeriesLayout = {
  table: "measurements",
  sums: "measurement_sums",
  days: "measurement_days",
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

  /** Builds the sums over days where they are not there yet. */
  build(): Promise<void> {
    return this.series.build();
  }

  close(): Promise<void> {
    return this.series.close();
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

/** A reading of the soil: the moisture at a plant, and what the probe gave for it. */
export interface StoredReading {
  readonly plant: string;
  /** Wall time, epoch milliseconds. */
  readonly at: number;
  /** Counts of the ADC, or of a seesaw. */
  readonly value: number;
  readonly percent: number;
  /** Counts. */
  readonly noise: number;
  /** In the unit of the probe's calibration: volts, or the counts of a seesaw. */
  readonly level: number;
}

const NUMBERS = ["value", "percent", "noise", "level"] as const;
const SOIL_LAYOUT: SeriesLayout = {
  table: "readings",
  sums: "reading_sums",
  days: "reading_days",
  key: ["plant"],
  numbers: NUMBERS,
  others: [],
};

/** SQL that makes the sums over days of all that is measured. */
export const DAY_STATEMENTS: readonly string[] = [SOIL_LAYOUT, LAYOUT].flatMap(dayStatements);

const RECORD: RecordShape = {
  body: "json_object('at', at, 'value', value, 'percent', percent, 'noise', noise, 'level', level)",
  decode: (body) => {
    const { at, ...reading } = JSON.parse(body) as StoredReading;
    return { timestamp: new Date(at).toISOString(), ...reading };
  },
};

/** The moisture readings of all plants. They have tables of their own: a reading has four figures where others have one. */
export class ReadingStore {
  private readonly series: SeriesTable<StoredReading>;

  constructor(database: Database, onFailure: (error: Error) => void, relaxed = false) {
    this.series = new SeriesTable(SOIL_LAYOUT, database, onFailure, relaxed);
  }

  add(reading: StoredReading): void {
    this.series.add(reading);
  }

  flush(): Promise<void> {
    return this.series.flush();
  }

  /** Builds the sums over days where they are not there yet. */
  build(): Promise<void> {
    return this.series.build();
  }

  close(): Promise<void> {
    return this.series.close();
  }

  /** The last `n` readings of a plant in order of arrival, the newest last. */
  latest(plant: string, n: number): Promise<StoredReading[]> {
    return this.series.latest([plant], n);
  }

  /** Of one plant: `plant` is required. Throws TOO_MANY_BUCKETS, UNKNOWN_FIELD, INVALID_ARGUMENT. */
  async history(query: HistoryQuery): Promise<HistoryResult> {
    const { plant, valueField } = query;
    if (plant === undefined)
      throw new TendrilError("INVALID_ARGUMENT", "plant is missing: readings are kept per plant");
    const field = NUMBERS.find((name) => name === valueField);
    if (valueField !== undefined && !field) throw unknownField(query, NUMBERS);
    return isSampling(query)
      ? this.series.sample(query, [plant], RECORD)
      : this.series.aggregate(query, [plant], field);
  }
}

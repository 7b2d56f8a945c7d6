import { ROOM_QUANTITIES, type RoomSeries } from "../../drivers/room-quantities.js";
import { invalidArgument } from "../errors.js";
import type { HistoryQuery, HistoryResult } from "./bucket.js";
import { isSampling, unknownField } from "./history.js";
import type { SeriesLayout } from "./rollup-schema.js";
import type { RecordShape } from "./samples.js";
import { type SeriesParts, SeriesTable } from "./series.js";

/** What is measured beside the soil. */
export type Quantity = RoomSeries;

const OF_ROOMS = Object.values(ROOM_QUANTITIES);
export const QUANTITIES = byName(({ unit }) => unit);
/** Least and most that an import takes. */
export const RANGES = byName(({ range }): readonly [number, number] => range);

function byName<T>(of: (row: (typeof OF_ROOMS)[number]) => T): Readonly<Record<Quantity, T>> {
  return Object.fromEntries(OF_ROOMS.map((row) => [row.series, of(row)])) as Record<Quantity, T>;
}

interface Measurement {
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
interface MeasuredTogether {
  readonly place: string;
  readonly fields: Readonly<Record<string, Quantity>>;
}

export const LAYOUT: SeriesLayout = {
  table: "measurements",
  sums: "measurement_sums",
  days: "measurement_days",
  key: ["place", "quantity"],
  numbers: ["value"],
  others: ["unit", "quality"],
  indexed: ["value"],
};

/** All measurements but the soil's, which has four figures to each reading (ReadingStore). */
export class MeasurementStore extends SeriesTable<Measurement> {
  constructor(parts: SeriesParts) {
    super(LAYOUT, parts);
  }

  /** The unit is the quantity's own. */
  override add(measurement: Omit<Measurement, "unit">): void {
    super.add({ ...measurement, unit: QUANTITIES[measurement.quantity] });
  }

  /** The last `n` measurements of a quantity at a place in order of arrival, the newest last. */
  latest(place: string, quantity: Quantity, n: number): Promise<Measurement[]> {
    return this.newest([place, quantity], n);
  }

  /** Throws TOO_MANY_BUCKETS, UNKNOWN_FIELD, HISTORY_THINNED, INVALID_ARGUMENT. */
  async history(query: HistoryQuery, together: MeasuredTogether): Promise<HistoryResult> {
    const { valueField } = query;
    const { place, fields } = together;
    const names = Object.keys(fields);
    if (valueField !== undefined && !names.includes(valueField)) throw unknownField(query, names);
    const quantity = fields[valueField ?? names[0] ?? ""] ?? "";
    return isSampling(query)
      ? this.sample(query, [place, quantity], recordOf(together))
      : this.aggregate(query, [place, quantity], valueField === undefined ? undefined : "value");
  }
}

/** What was measured at the same place at the same time is one record. A quantity that is missing there is null. */
const recordOf = ({ place, fields }: MeasuredTogether): RecordShape => ({
  fields: Object.entries(fields).map(([name, quantity]) => ({
    name,
    key: [place, quantity],
    column: "value",
  })),
  newest: true,
});

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

/** A count of a chip: 16 bits, with a sign or without. */
const MIN_COUNT = -32_768;
const MAX_COUNT = 65_535;
/**
 * Least and most of what is kept of a reading. The percentage is a choice: a probe may leave its span by a quarter of it
 * (drivers/devices/soil-probe.ts), and may have been calibrated anew since.
 */
export const SOIL_RANGES: Readonly<Record<(typeof NUMBERS)[number], readonly [least: number, most: number]>> =
  {
    value: [MIN_COUNT, MAX_COUNT],
    percent: [-200, 300],
    noise: [0, MAX_COUNT],
    level: [MIN_COUNT, MAX_COUNT],
  };
export const SOIL_LAYOUT: SeriesLayout = {
  table: "readings",
  sums: "reading_sums",
  days: "reading_days",
  key: ["plant"],
  numbers: NUMBERS,
  others: [],
  // a wider index would be a fourteenth more to write for each reading, and soil is most of what is read
  indexed: [],
};

/** How all that is measured is laid out. */
export const SERIES_LAYOUTS: readonly SeriesLayout[] = [SOIL_LAYOUT, LAYOUT];

const recordOfSoil = (plant: string, newest: boolean): RecordShape => ({
  fields: NUMBERS.map((column) => ({ name: column, key: [plant], column })),
  newest,
});

/** The moisture readings of all plants. They have tables of their own: a reading has four figures where others have one. */
export class ReadingStore extends SeriesTable<StoredReading> {
  constructor(parts: SeriesParts) {
    super(SOIL_LAYOUT, parts);
  }

  /** The last `n` readings of a plant in order of arrival, the newest last. */
  latest(plant: string, n: number): Promise<StoredReading[]> {
    return this.newest([plant], n);
  }

  /** Of one plant: `plant` is required. Throws TOO_MANY_BUCKETS, UNKNOWN_FIELD, HISTORY_THINNED, INVALID_ARGUMENT. */
  async history(query: HistoryQuery): Promise<HistoryResult> {
    const { plant, valueField } = query;
    if (plant === undefined) throw invalidArgument("plant is missing: readings are kept per plant");
    const field = NUMBERS.find((name) => name === valueField);
    if (valueField !== undefined && !field) throw unknownField(query, NUMBERS);
    return isSampling(query)
      ? this.sample(query, [plant], recordOfSoil(plant, query.aggregation === "last"))
      : this.aggregate(query, [plant], field);
  }
}

import { TendrilError } from "../errors.js";
import type { HistoryQuery, HistoryResult } from "./bucket.js";
import type { Database } from "./database.js";
import { isSampling, unknownField } from "./history.js";
import { type RecordShape, SeriesTable } from "./series.js";

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
const LAYOUT = { table: "readings", sums: "reading_sums", key: ["plant"], numbers: NUMBERS, others: [] };

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
    this.series = new SeriesTable(LAYOUT, database, onFailure, relaxed);
  }

  add(reading: StoredReading): void {
    this.series.add(reading);
  }

  flush(): Promise<void> {
    return this.series.flush();
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

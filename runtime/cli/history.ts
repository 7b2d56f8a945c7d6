import { HouseTime } from "../house-time.js";
import type { Bucket } from "../wire/plants.js";
import { chart } from "./chart.js";
import { CommandError } from "./failure.js";
import { counted } from "./print.js";
import { overviewOf, plantArgument, type Remote } from "./remote.js";

export interface HistoryOptions {
  readonly hours: number;
  readonly plant?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  /** Again and again: then the JSON of each look is one line. */
  readonly watch?: boolean;
}

interface History {
  readonly items: readonly Bucket[];
  readonly coverage: { readonly records: number };
}

/** What is drawn of each history: the tool, the aggregation, the field, its unit. */
const HISTORIES = {
  moisture: { tool: "get_moisture_history", aggregation: "mean", value_field: "percent", unit: "%" },
  water: { tool: "get_water_history", aggregation: "sum", value_field: "ml_dispensed", unit: "ml" },
  light: { tool: "get_light_history", aggregation: "sum", value_field: "minutes", unit: "min" },
} as const;

export type HistoryKind = keyof typeof HISTORIES;

const MARGIN = 16;
const WIDEST = 96;

/** A history as a chart, or as figures: times are UTC there, and each line is what a column of the chart is. */
export async function history(
  remote: Remote,
  kind: HistoryKind,
  { hours, plant, json = false, csv = false, watch = false }: HistoryOptions,
  columns = process.stdout.columns ?? 80,
): Promise<string> {
  const { tool, unit, ...query } = HISTORIES[kind];
  const wide = Math.max(12, Math.min(WIDEST, columns - MARGIN));
  const samples_per_hour = Math.min(3600, wide / hours);
  const drawn = { ...query, hours, samples_per_hour, ...(await plantArgument(remote, plant)) };
  const asked = remote.call<History>(tool, { ...drawn, include_empty: true });
  const { items, coverage } = await emptyIfUnknown(asked);
  if (csv) return csvOf(items, unit);
  if (json) return JSON.stringify(items.map(rounded), null, watch ? 0 : 2);
  if (coverage.records === 0) return `nothing in the ${kind} history of the last ${hours} h`;
  const { zone } = await overviewOf(remote);
  const points = items.map(({ bucket_end, value }) => ({ at: Date.parse(bucket_end), value }));
  const heading = `${kind} of the last ${hours} h (${counted(coverage.records, "record")})`;
  return `${heading}\n${chart(points, unit, 8, new HouseTime(zone))}`;
}

const csvOf = (items: readonly Bucket[], unit: string): string =>
  [
    `from,until,${unit === "%" ? "percent" : unit},records`,
    ...items
      .map(rounded)
      .map(
        ({ bucket_start, bucket_end, value, count }) =>
          `${bucket_start},${bucket_end},${value ?? ""},${count}`,
      ),
  ].join("\n");

/** To a tenth: a probe's noise is more than that of a percent, and a pump's flow is known to less of a millilitre. */
const rounded = (bucket: Bucket): Bucket => ({
  ...bucket,
  value: bucket.value === null ? null : Math.round(bucket.value * 10) / 10,
});

/** A window without any record has no field to sum up either. */
const emptyIfUnknown = (asked: Promise<History>): Promise<History> =>
  asked.catch((error: unknown) => {
    if (error instanceof CommandError && error.message.includes("UNKNOWN_FIELD"))
      return { items: [], coverage: { records: 0 } };
    throw error;
  });

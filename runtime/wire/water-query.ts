import type { Bucket, CareEvent, PouredDose } from "./plants.js";
import type { WaterEvidence } from "./why-water.js";

/** The one question that page and caretaker ask of the record, to say why there was water or none. */

/** A call of a tool. Its answer goes to `next`. */
interface WaterCall {
  readonly name: "get_water_history" | "get_care_record";
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** How an answer is read: a program that trusts the runtime takes it as it is, another one checks it. */
export interface WaterReaders {
  /** `records`: how many there are in all. */
  doses(answer: unknown): { readonly items: readonly PouredDose[]; readonly records: number };
  sums(answer: unknown): readonly Bucket[];
  record(answer: unknown): readonly CareEvent[];
}

interface WaterRange {
  readonly hours: number;
  /** ISO 8601, by the runtime's clock. */
  readonly end: string;
  /** The argument that names the plant; empty where the tools take none. */
  readonly which: { readonly plant?: string };
}

/** The runtime gives at most 10,000 buckets: as fine as that allows. Two small doses, one after the other, can still be in one. */
export const finest = (hours: number): number => Math.min(3600, Math.floor(9900 / hours));

/** Of each bucket the last dose; where that leaves doses out, also what all of them were together. */
export function* askForWater(
  { hours, end, which }: WaterRange,
  read: WaterReaders,
): Generator<WaterCall, Pick<WaterEvidence, "doses" | "total" | "record">, unknown> {
  const fine = { ...which, hours, end_time: end, samples_per_hour: finest(hours) };
  const range = { start_time: new Date(Date.parse(end) - hours * 3_600_000).toISOString(), end_time: end };
  const last = { ...fine, aggregation: "last" };
  const { items: doses, records } = read.doses(yield { name: "get_water_history", arguments: last });
  const record = read.record(yield { name: "get_care_record", arguments: { ...which, ...range } });
  if (doses.length === records) return { doses, record };
  const sums = { ...fine, aggregation: "sum", value_field: "ml_dispensed" };
  const buckets = read.sums(yield { name: "get_water_history", arguments: sums });
  return { doses, record, total: totalOf(buckets) };
}

export const totalOf = (buckets: readonly Pick<Bucket, "value" | "count">[]): WaterEvidence["total"] =>
  buckets
    .filter(({ value }) => (value ?? 0) > 0)
    .reduce((all, { value, count }) => ({ ml: all.ml + (value ?? 0), doses: all.doses + count }), {
      ml: 0,
      doses: 0,
    });

import { z } from "zod";
import type { Clock } from "../../drivers/ports.js";
import type { HistoryQuery, HistoryResult } from "../store/bucket.js";
import { isoTime } from "../tools/iso-time.js";
import { defineTool, reads, type ServiceKey, type Tool } from "../tools/tool.js";
import { historyResult } from "../wire/plants.js";

/** The parameters that every bucketed history takes (CONTRACT, Bucketed history). Six tools list them: few words. */
export const historyInput = z.strictObject({
  hours: z.int().min(1).max(876_000).default(24).describe("how far back from end_time"),
  samples_per_hour: z
    .number()
    .positive()
    .max(3600)
    .default(6)
    .describe("buckets an hour: 6 = 10 min each, 0.042 = a day, 0.006 = a week"),
  aggregation: z
    .enum(["first", "last", "middle", "count", "sum", "mean"])
    .default("middle")
    .describe("first, last, middle: a record a bucket; count, sum, mean: a figure"),
  value_field: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("dotted path of the field; required for sum and mean"),
  end_time: isoTime("included; now by default").optional(),
  include_empty: z.boolean().default(false),
});

export function historyQuery(
  input: z.output<typeof historyInput>,
  clock: Clock,
  plant?: string,
): HistoryQuery {
  return {
    hours: input.hours,
    samplesPerHour: input.samples_per_hour,
    aggregation: input.aggregation,
    endMs: input.end_time ?? clock.now(),
    includeEmpty: input.include_empty,
    ...(input.value_field !== undefined && { valueField: input.value_field }),
    ...(plant !== undefined && { plant }),
  };
}

interface HistoryTool<S> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** One plant's records, or everybody's. */
  readonly perPlant: boolean;
  readonly service: ServiceKey<S>;
}

/** What answers a history: a log, or a service over one. */
interface Histories {
  history(query: HistoryQuery): Promise<HistoryResult>;
}

/** A bucketed history: they differ in what they tell of, and in nothing else. */
export const historyTool = <S extends Histories>({ title, perPlant, ...tool }: HistoryTool<S>): Tool =>
  defineTool({
    ...tool,
    facts: reads(title, { world: "closed" }),
    role: "observer",
    perPlant,
    input: historyInput,
    output: historyResult,
    run: (input, { service, clock, plant }) =>
      service.history(historyQuery(input, clock, perPlant ? plant : undefined)),
  });

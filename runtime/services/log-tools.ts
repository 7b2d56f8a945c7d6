import { z } from "zod";
import type { Clock } from "../../drivers/ports.js";
import { hours as inMs } from "../../drivers/units.js";
import { invalidArgument } from "../errors.js";
import { AGGREGATIONS, type HistoryQuery, type HistoryResult } from "../store/bucket.js";
import { isoTime } from "../tools/iso-time.js";
import { sourcesIn, type Tainted } from "../tools/taint.js";
import {
  defineTool,
  reads,
  type ServiceKey,
  type Tool,
  type ToolContext,
  untrustedIf,
} from "../tools/tool.js";
import { historyResult } from "../wire/plants.js";

/** The result of a tool that only writes something down. */
export const done = z.object({ timestamp: z.string(), success: z.boolean() });

/** The parameters of a page from the end of a log. */
export const pageInput = (n: number) =>
  z.strictObject({
    n: z.int().min(1).max(50).default(n),
    offset: z.int().min(0).max(1_000_000_000).default(0).describe("skips so many from the end"),
  });

interface RecordsTool<S, I extends z.ZodObject> extends Pick<Tool, "name" | "description" | "perPlant"> {
  readonly title: string;
  readonly service: ServiceKey<S>;
  /** The result is `{"count": N, "<key>": [records]}`. */
  readonly key: string;
  readonly input: I;
  /** The shape of the records, if a program of ours reads them. */
  readonly output?: z.ZodType;
  /** If it is not the number of the shown records. */
  count?(service: S): number;
  find(input: z.output<I>, context: ToolContext<S>): Promise<readonly object[]> | readonly object[];
}

export const recordsTool = <S, I extends z.ZodObject>({
  title,
  key,
  output = z.object({ count: z.int(), [key]: z.array(z.record(z.string(), z.unknown())) }),
  count,
  find,
  ...tool
}: RecordsTool<S, I>): Tool =>
  defineTool<S, I, z.ZodType>({
    ...tool,
    output,
    facts: reads(title, { world: "closed" }),
    role: "observer",
    run: async (input, context) => {
      const records = await find(input, context);
      const result = { count: count?.(context.service) ?? records.length, [key]: records };
      return untrustedIf(sourcesIn(records), result);
    },
  });

/** The parameters of all records of a time. */
export const rangeInput = z.strictObject({
  start_time: isoTime("first instant"),
  end_time: isoTime("last instant"),
});

/** Throws INVALID_ARGUMENT. */
export function assertInOrder(
  tool: string,
  { start_time, end_time }: { readonly start_time: number; readonly end_time: number },
): void {
  if (start_time > end_time) throw invalidArgument(`${tool}: start_time is after end_time`);
}

interface Searchable {
  search(keyword: string, sinceMs: number): Promise<readonly object[]>;
}

/** A tool that finds records of the last hours by a keyword. */
export const searchTool = <S extends Searchable>(
  tool: Pick<RecordsTool<S, z.ZodObject>, "name" | "title" | "description" | "service" | "key">,
): Tool =>
  recordsTool({
    ...tool,
    input: z.strictObject({
      keyword: z.string().min(1).max(1000),
      hours: z.int().min(1).max(876_000).default(24).describe("how many hours back"),
    }),
    find: ({ keyword, hours }, { service, clock }) => service.search(keyword, clock.now() - inMs(hours)),
  });

/** The parameters of every history. Six tools list them, so they use few words. */
export const historyInput = z.strictObject({
  hours: z.int().min(1).max(876_000).default(24).describe("how far back from end_time"),
  samples_per_hour: z
    .number()
    .positive()
    .max(3600)
    .default(6)
    .describe("buckets an hour: 6 = 10 min each, 0.042 = a day, 0.006 = a week"),
  aggregation: z
    .enum(AGGREGATIONS)
    .default("middle")
    .describe("first, last, middle: a record a bucket; the others: a figure"),
  value_field: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("dotted path of the field; required for sum, mean, min, max"),
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

/** A log, or a service over one. */
interface Histories {
  history(query: HistoryQuery): Promise<HistoryResult>;
}

/** A history tool. They differ only in their records. */
export const historyTool = <S extends Histories>({ title, perPlant, ...tool }: HistoryTool<S>): Tool =>
  defineTool({
    ...tool,
    facts: reads(title, { world: "closed" }),
    role: "observer",
    perPlant,
    input: historyInput,
    output: historyResult,
    run: async (input, { service, clock, plant }) => {
      const result = await service.history(historyQuery(input, clock, perPlant ? plant : undefined));
      return untrustedIf(sourcesIn(result.items as readonly Tainted[]), result);
    },
  });

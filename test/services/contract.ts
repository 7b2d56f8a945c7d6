import type { Role } from "../../runtime/wire/identity.js";

export type Args = Readonly<Record<string, unknown>>;

/**
 * What the contract says of one tool, written by hand. Never derive it from the code: a list
 * that is derived from the code cannot fail.
 */
export interface ToolContract {
  /** Names, in the order in which they are listed; a `?` marks what may be left out. */
  readonly parameters: string;
  /** What each parameter is that was left out, where it has a default. */
  readonly defaults?: Args;
  /** With several plants it takes `plant` too. */
  readonly perPlant?: true;
  /** The keys of its result, in order; a `?` marks what may be missing. */
  readonly result: string;
  /** The least role that may call it. */
  readonly role: Role;
  /** The least role that sees it in `tools/list`, where that is another. */
  readonly listedTo?: Role;
  /** No role may call it or sees it: only the scope `bridge`, which a person has not. Then `calls` is empty. */
  readonly scopesOnly?: true;
  /** In the toolset `care`: what a care cycle needs. */
  readonly inCare?: true;
  /** Says something that is read by people or by later turns. */
  readonly speaks?: true;
  /** Free of every limit. */
  readonly switchesOff?: true;
  /** Arguments that it takes, as many as it has; tests bend them. They are well-formed, not true. */
  readonly valid: Args;
  /** Calls that succeed on a bench, by a person. */
  readonly calls: readonly Args[];
}

/** What the contract says of a family of services. */
export interface FamilyContract {
  readonly toolset: string;
  /** Lines of the configuration without which the family has nothing to do, and is off. */
  readonly config?: string;
  /** Families whose calls are made before those of this one. */
  readonly after?: readonly string[];
  /** In the order in which a person may call them: what one reads, another has written before. */
  readonly tools: Readonly<Record<string, ToolContract>>;
}

/** CONTRACT, "Bucketed history": the same of all six. */
export const HISTORY = {
  parameters: "hours? samples_per_hour? aggregation? value_field? end_time? include_empty?",
  defaults: { hours: 24, samples_per_hour: 6, aggregation: "middle", include_empty: false },
  result: "aggregation bucket_seconds coverage items",
  role: "observer",
  valid: {
    hours: 24,
    samples_per_hour: 1,
    aggregation: "count",
    value_field: "timestamp",
    end_time: "2026-06-01T09:00:00Z",
    include_empty: true,
  },
} as const satisfies Partial<ToolContract>;

/** A week in daily buckets, as whole records and as figures, with the empty buckets too: every form of the result. */
export const summed = (valueField: string): readonly Args[] => [
  {},
  { hours: 168, samples_per_hour: 0.042, aggregation: "sum", value_field: valueField },
  { hours: 2, samples_per_hour: 6, aggregation: "mean", value_field: valueField, include_empty: true },
];

/** With nothing to add up: how many there were. */
export const counted: readonly Args[] = [
  {},
  { hours: 2, samples_per_hour: 6, aggregation: "count", include_empty: true },
];

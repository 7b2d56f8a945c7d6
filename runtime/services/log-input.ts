import { z } from "zod";
import type { Clock } from "../../drivers/ports.js";
import { hours } from "../../drivers/units.js";

/** What a write to a log answers. */
export const logged = z.object({ timestamp: z.string(), success: z.boolean() });

/** A page from the end of a log. */
export const pageInput = (n: number) =>
  z.strictObject({
    n: z.int().min(1).max(50).default(n),
    offset: z.int().min(0).max(1_000_000_000).default(0).describe("skips so many from the end"),
  });

/** {"count": N, "<key>": [records]} */
export const pageOutput = <K extends string>(key: K) =>
  z.object({ count: z.int(), ...keyed(key, z.array(z.record(z.string(), z.unknown()))) });

export const pageOf = <K extends string>(key: K, records: readonly object[]) => ({
  count: records.length,
  ...keyed(
    key,
    records.map((record) => ({ ...record })),
  ),
});

const keyed = <K extends string, V>(key: K, value: V) => ({ [key]: value }) as Readonly<Record<K, V>>;

export const keywordInput = z.strictObject({
  keyword: z.string().min(1).max(1000),
  hours: z.int().min(1).max(876_000).default(24).describe("how many hours back"),
});

export const sinceHours = (clock: Clock, n: number): number => clock.now() - hours(n);

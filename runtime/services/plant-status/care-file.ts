import { z } from "zod";
import { readIfThere } from "../../store/durable-file.js";

const gap = z.object({
  ms: z.number().min(0),
  at: z.object({
    wall_ms: z.number(),
    mono_ms: z.number(),
    boot: z.string(),
    synced: z.boolean(),
    slept_ms: z.number(),
  }),
  right: z.object({ wall_ms: z.number(), boot: z.string(), ms: z.number() }).nullable(),
  told_ms: z.number().min(0),
});

const plantCare = z.object({
  gap,
  since: z.string(),
  ever_cared: z.boolean(),
  counted: z.object({ statuses: z.int(), doses: z.int(), light: z.int() }),
  attempt: z
    .object({ timestamp: z.string(), what: z.enum(["refused", "planned", "hindered"]), reason: z.string() })
    .nullable(),
});

/** What `care.json` holds of a plant; other programs may read it, so times are milliseconds. */
export type PlantCare = z.output<typeof plantCare>;

const careFile = z.object({ plants: z.record(z.string(), plantCare) });

/** By plant; empty where there is no such file yet. Throws where the file is no such one. */
export async function readCareFile(file: string): Promise<ReadonlyMap<string, PlantCare>> {
  const text = await readIfThere(file);
  if (text === undefined) return new Map();
  return new Map(Object.entries(careFile.parse(JSON.parse(text)).plants));
}

export const careFileText = (plants: ReadonlyMap<string, PlantCare>): string =>
  JSON.stringify({ plants: Object.fromEntries(plants) });

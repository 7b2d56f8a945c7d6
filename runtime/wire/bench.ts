import { z } from "zod";

/** What a person can break on the bench. */
export const BENCH_TROUBLES = [
  "probe_unplugged",
  "probe_stuck",
  "tube_off",
  "tank_empty",
  "leak",
  "lamp_dead",
] as const;
export type BenchTrouble = (typeof BENCH_TROUBLES)[number];

/** A simulated plant as it truly is. */
export const benchPlant = z.object({
  plant: z.string(),
  moisture_percent: z.number().describe("of the soil, on the scale of a sound, calibrated probe"),
  broken: z.array(z.enum(BENCH_TROUBLES)),
});
/** What a person sees of the bench. */
export const benchView = z.object({
  plants: z.array(benchPlant),
  speed: z
    .number()
    .nullable()
    .describe("bench seconds in a real second; null: the time is not the bench's own"),
  can_cut_power: z.boolean().describe("something starts the runtime again"),
});
export type BenchView = z.output<typeof benchView>;

export type BenchPlantView = z.output<typeof benchPlant>;

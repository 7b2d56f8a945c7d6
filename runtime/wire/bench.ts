import { z } from "zod";

/** What a person can break on the bench. */
export const BENCH_TROUBLES = [
  "probe_unplugged",
  "probe_stuck",
  "tube_off",
  "tank_empty",
  "lamp_dead",
] as const;
export type BenchTrouble = (typeof BENCH_TROUBLES)[number];

/** A simulated plant as it truly is. */
export const benchPlant = z.object({
  plant: z.string(),
  moisture_percent: z.number().describe("of the soil, on the scale of a sound, calibrated probe"),
  broken: z.array(z.enum(BENCH_TROUBLES)),
});
export type BenchPlantView = z.output<typeof benchPlant>;

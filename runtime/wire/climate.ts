import { z } from "zod";

/** The air of a room, as its sensor gave it. */
export const climateReading = z.object({
  place: z.string(),
  timestamp: z.string(),
  temperature_c: z.number(),
  humidity_percent: z.number().describe("relative humidity"),
  pressure_hpa: z.number().describe("at the sensor, not reduced to sea level"),
});
export type ClimateReading = z.output<typeof climateReading>;

/** A room in `get_overview`: the last reading, null before the first, and what is wrong with the sensor now. */
export const climateNow = z.object({
  place: z.string(),
  reading: climateReading.nullable(),
  fault: z.object({ code: z.string(), message: z.string(), since: z.string() }).nullable(),
});
export type ClimateNow = z.output<typeof climateNow>;

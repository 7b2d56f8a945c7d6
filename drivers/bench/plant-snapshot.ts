import { z } from "zod";

const amount = z.number().min(0);
const share = z.number().min(0).max(1);

/** What is kept of a plant over a power cut; amounts of water in millilitres. */
export const plantSnapshot = z.strictObject({
  /** Name of the species, whose pot the amounts belong to. */
  species: z.string(),
  /** In the soil's fine pores. */
  bound: amount,
  /** In its coarse pores and above it. */
  free: amount,
  /** Gone from the surface layer by evaporation. */
  surfaceDepletion: amount,
  /** Wetness of the fine pores around the probe: air-dry (0) to saturated (1). */
  sensed: share,
  /** Of the soil, °C. */
  soilTemperature: z.number(),
  canopy: share,
  turgor: share,
  yellowing: share,
  vigour: z.number().min(0).max(100),
  /** Hours. */
  soaked: amount,
  /** mol/m². */
  lightIntegral: amount,
  /** Since the plant came to the bench. */
  received: amount,
  need: amount,
  lost: amount,
  drained: amount,
});
export type PlantSnapshot = Readonly<z.output<typeof plantSnapshot>>;

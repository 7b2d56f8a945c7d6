/** Water contents of a growing medium, m³ of water in a m³ of it, from the driest to the wettest. */
export interface Substrate {
  /** Left when it has dried in the air; evaporation ends here. */
  readonly airDry: number;
  /** Below this roots get nothing. */
  readonly wiltingPoint: number;
  /** Left at a tension of 1 kPa: from here on down plants are counted to have water. */
  readonly fieldCapacity: number;
  /** Left minutes after watering: a pot is low, so its soil stays wetter than field capacity (White and Mastalerz 1966). */
  readonly containerCapacity: number;
  /** All pores full. */
  readonly saturation: number;
}

/** The first agent's reading of a water content: 0 at the wilting point, 100 at field capacity, held within these. */
export const hydrationOf = (content: number, { wiltingPoint, fieldCapacity }: Substrate): number =>
  Math.max(0, Math.min(100, (100 * (content - wiltingPoint)) / (fieldCapacity - wiltingPoint)));

/** The first agent's health: best at a hydration of 50, 0 at both ends. */
export const healthOf = (hydration: number): number => 100 - 2 * Math.abs(hydration - 50);

/**
 * Peat with a tenth of perlite, all of it from the literature. De Boodt and Verdonck's ideal substrate (1972, Acta Hort.
 * 26:37–44) has at least 85 % of pores by volume, and 20–30 % of air at 1 kPa: peat with little perlite is at the wet end. Mixes of peat and
 * perlite, watered and drained in a pot, keep 12–20 % of air (PT Horticulture, "Substrate Handling Influences Water Holding
 * Capacity": 12–17 % and 14–20 % in two mixes): 17 % leave 68 % for water. Peat holds 15–18 % at 300–1500 kPa
 * ("Evaluation of soil physical properties of peat substrate", Acta agriculturae Slovenica, article 1851): FAO-56 puts the
 * wilting point at 1500 kPa. Evaporation ends at half of the wilting point (FAO-56, eq. 73).
 */
export const PEAT: Substrate = {
  airDry: 0.075,
  wiltingPoint: 0.15,
  fieldCapacity: 0.65,
  containerCapacity: 0.68,
  saturation: 0.85,
};

/**
 * Grit with a third of peat, as cacti are potted: less water than peat, and less of it out of reach. All of it choices: pores
 * between sand's 40 % and peat's 85 %, of which coarse grains leave more to the air than peat does.
 */
export const GRIT: Substrate = {
  airDry: 0.02,
  wiltingPoint: 0.06,
  fieldCapacity: 0.31,
  containerCapacity: 0.32,
  saturation: 0.45,
};

/** Water contents of a growing medium, m³ of water in a m³ of it, from the driest to the wettest. */
export interface Substrate {
  /** Left when it has dried in the air; evaporation ends here. */
  readonly airDry: number;
  /** Below this roots get nothing. */
  readonly wiltingPoint: number;
  /** Left minutes after watering, when the coarse pores have run empty: growers call it container capacity. */
  readonly fieldCapacity: number;
  /** All pores full. */
  readonly saturation: number;
}

/** The first agent's reading of a water content: 0 at the wilting point, 100 at field capacity, held within these. */
export const hydrationOf = (content: number, { wiltingPoint, fieldCapacity }: Substrate): number =>
  Math.max(0, Math.min(100, (100 * (content - wiltingPoint)) / (fieldCapacity - wiltingPoint)));

/** The first agent's health: best at a hydration of 50, 0 at both ends. */
export const healthOf = (hydration: number): number => 100 - 2 * Math.abs(hydration - 50);

/**
 * Peat with a tenth of perlite, all of it from the literature. Pores of 85 % by volume are the least of De Boodt and
 * Verdonck's ideal substrate (1972, Acta Hort. 26:37–44). Of these, 12–20 % hold air in watered and drained mixes of peat
 * and perlite (PT Horticulture, "Substrate Handling Influences Water Holding Capacity": 12–17 % and 14–20 % in two mixes):
 * 17 % leave 68 % for water. Peat holds 15–18 % at 300–1500 kPa ("Evaluation of soil physical properties of peat
 * substrate", Acta agriculturae Slovenica, article 1851): plants wilt for good at 1500 kPa (FAO-56, ch. 8). Air-dry: 40 %
 * water by weight, as in dried peat (Durand et al. 2021, Agronomy 11:907), at 0.1 kg of peat in a litre.
 */
export const PEAT: Substrate = {
  airDry: 0.075,
  wiltingPoint: 0.15,
  fieldCapacity: 0.68,
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
  saturation: 0.45,
};

/** Water contents of a growing medium, m³ of water in a m³ of it, from the driest to the wettest. */
export interface Substrate {
  /** Left when it has dried in the air; evaporation ends here. */
  readonly airDry: number;
  /** Below this roots get nothing. */
  readonly wiltingPoint: number;
  /** Left half a day after watering, when the pot has dripped its last. */
  readonly fieldCapacity: number;
  /** Left minutes after watering, when the coarse pores have run empty. */
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
 * Peat with a tenth of perlite. Pores of 85 % by volume are the least of De Boodt and Verdonck's ideal substrate
 * (1972, Acta Hort. 26:37–44). Peat holds 25–32 % at 10–33 kPa and 15–18 % at 300–1500 kPa ("Evaluation of soil physical
 * properties of peat substrate", Acta agriculturae Slovenica, article 1851); plants in pots wilt between the two, at 0.24
 * by choice. Container and field capacity are fitted to the recorded pot, as shares of the span from air-dry to
 * saturated: `node dist/test/fit/fit.js`.
 */
export const PEAT: Substrate = {
  airDry: 0.06,
  wiltingPoint: 0.24,
  fieldCapacity: 0.56,
  containerCapacity: 0.613,
  saturation: 0.85,
};

/**
 * Grit with a third of peat, as cacti are potted: less water than peat, and less of it out of reach. All of it choices: pores
 * between sand's 40 % and peat's 85 %, container and field capacity at peat's shares of the span or a little above.
 */
export const GRIT: Substrate = {
  airDry: 0.02,
  wiltingPoint: 0.06,
  fieldCapacity: 0.31,
  containerCapacity: 0.34,
  saturation: 0.45,
};

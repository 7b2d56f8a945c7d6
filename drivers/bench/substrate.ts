/** Water contents of a growing medium, m³ of water in a m³ of it, from the driest to the wettest. */
export interface Substrate {
  /** Left when it has dried in the air; evaporation ends here. */
  readonly airDry: number;
  /** Below this roots get nothing. */
  readonly wiltingPoint: number;
  /** Left a day after watering. */
  readonly fieldCapacity: number;
  /** Left when the last drop has fallen from the pot, minutes after watering. */
  readonly containerCapacity: number;
  /** All pores full. */
  readonly saturation: number;
}

/**
 * Peat with a tenth of perlite. Pores of 85 % by volume are the least of De Boodt and Verdonck's ideal substrate
 * (1972, Acta Hort. 26:37–44). Peat holds 25–32 % at 10–33 kPa and 15–18 % at 300–1500 kPa (Evaluation of soil physical
 * properties of peat substrate, Acta Agriculturae Slovenica, article 1851): plants in pots wilt between the two. Container and
 * field capacity lie where the real pot had them between air-dry and saturated (test/fit/fit.ts).
 */
export const PEAT: Substrate = {
  airDry: 0.06,
  wiltingPoint: 0.22,
  fieldCapacity: 0.6,
  containerCapacity: 0.645,
  saturation: 0.85,
};

/**
 * Grit with a third of peat, as cacti are potted: less water and less of it out of reach. Pores of 45 % are those of sand
 * and grit with some organic matter (Raviv and Lieth 2008, Soilless Culture, ch. 3); the rest is a choice.
 */
export const GRIT: Substrate = {
  airDry: 0.02,
  wiltingPoint: 0.06,
  fieldCapacity: 0.31,
  containerCapacity: 0.34,
  saturation: 0.45,
};

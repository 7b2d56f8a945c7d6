import { type Ppfd, ppfd } from "../units.js";

/**
 * Photons of daylight to all its energy, µmol/J: 4.57 within 400–700 nm (Thimijan and Heins 1983, HortScience 18:818–822),
 * which is 45 % of sunlight's energy (Meek et al. 1984, Agron. J. 76:939–945).
 */
export const DAYLIGHT_PHOTONS = 2.06;
/** Of a white and red LED, which shines within 400–700 nm alone, µmol/J: between sunlight's 4.57 and red light's 5.5. */
const LAMP_PHOTONS = 4.8;
/** A 20 W LED bar 30 cm above the leaves: 8 hours of it are 5.8 mol/m², what a leafy herb lacks in winter (a choice). */
const LAMP = ppfd(200);

/** Of the lamp, at the leaves. */
export const lampLight = (lit: boolean): Ppfd => (lit ? LAMP : ppfd(0));

/** Shortwave radiation at the leaves, W/m². */
export const irradiance = (daylight: Ppfd, lamp: Ppfd) => daylight / DAYLIGHT_PHOTONS + lamp / LAMP_PHOTONS;

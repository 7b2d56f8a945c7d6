import { z } from "zod";
import type { Celsius, EpochMillis, Millilitres, Millis, Percent, Ppfd, Volts } from "../units.js";

/** The air and the daylight around a plant. */
export interface Air {
  readonly temperature: Celsius;
  readonly humidity: Percent;
  /** What comes through the window and reaches the leaves. */
  readonly daylight: Ppfd;
}

/** What a plant is exposed to, evenly, during one step. */
export interface Exposure {
  readonly water: Millilitres;
  readonly lamp: boolean;
  readonly air: Air;
}

/** What can be seen of a plant and its pot. Shares from 0 to 1. */
export interface Look {
  readonly form: "leafy" | "tomato" | "fern" | "cactus";
  /** From seedling to full grown. */
  readonly canopy: number;
  /** Firm (1) to collapsed (0). */
  readonly turgor: number;
  /** Of the leaves, yellow or brown. */
  readonly yellowing: number;
  readonly dead: boolean;
  /** Air-dry (0) to saturated (1). */
  readonly soilWetness: number;
  /** Water that stands on the soil: a film (0) to the rim (1). */
  readonly ponded: number;
}

/** What only the simulator knows; no tool and no prompt shows it to an agent. */
export interface PlantTruth {
  /** Volumetric water content of the root zone, m³ of water in a m³ of soil. */
  readonly waterContent: number;
  /** Of the first agent's simulator: 0 at the wilting point, 100 at field capacity, held within these. Good is 40 to 80 for most species. */
  readonly hydration: number;
  /** Of the first agent's simulator: 100 − 2 · |hydration − 50|. Today's water alone, not the plant's past. */
  readonly health: number;
  /** What its past has left of the plant: 100 unharmed, 0 dead. */
  readonly vigour: number;
  /** Shares of present stress. */
  readonly stress: {
    readonly drought: number;
    readonly waterlogging: number;
    readonly light: number;
    readonly temperature: number;
  };
  /** Light of the last 24 hours, mol/m²; it fades as a first-order filter of that time constant does. */
  readonly lightIntegral: number;
  /** Since the plant came to the bench. `need`: what it would have lost with its soil always moist enough. */
  readonly water: {
    readonly received: Millilitres;
    readonly need: Millilitres;
    readonly lost: Millilitres;
    readonly drained: Millilitres;
  };
}

/** A plant, or what takes its place, as the rest of the bench sees it. */
export interface BenchPlant {
  step(duration: Millis, exposure: Exposure): void;
  /** Output of the probe at an instant, with its noise; undefined where no probe is plugged in. */
  probe(at: EpochMillis): Volts | undefined;
  /** What the probe would show without noise: 0 = as dry, 100 = as wet as its calibration. */
  moisture(at: EpochMillis): Percent;
  look(at: EpochMillis): Look;
  /** What is to be kept over a power cut, if anything. */
  snapshot(): PlantSnapshot | undefined;
  truth(at: EpochMillis): PlantTruth;
}

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

import { join } from "node:path";
import { irradiance } from "../../drivers/bench/room.js";
import { PACE, PEAT, type SoilPace, type Substrate } from "../../drivers/bench/soil.js";
import { indoorDepletion } from "../../drivers/bench/species.js";
import {
  PROBE,
  type ProbeCharacter,
  ProbeResponse,
  REFERENCE_TEMPERATURE,
} from "../../drivers/bench/virtual-plant.js";
import {
  referenceEvapotranspiration,
  totalEvaporable,
  WaterBalance,
  type WaterState,
} from "../../drivers/bench/water-balance.js";
import { minutes, ppfd, volts } from "../../drivers/units.js";
import { type Moment, readMoments } from "./recording.js";

/** The recorded pot, 15–25 September 2025, thinned. */
export const readWeek = () => readMoments(join(process.cwd(), "test/fixtures/real-plant/week.csv"));

/** What is not known of the pot and has to be fitted or chosen. */
export interface RealPot {
  readonly substrate: Substrate;
  readonly pace: SoilPace;
  readonly probe: ProbeCharacter;
  /** Ground under leaves, m², for each litre of soil. */
  readonly leaves: number;
}

/** Water that comes from above during a minute. */
export interface Watering {
  /** Local minute, as in {@link Moment}. The reading at the end of this minute shows the water. */
  readonly minute: number;
  /** Millilitres for each litre of soil; without, what the soil lacks to container capacity. */
  readonly ml?: number;
}

/** Whatever the pot's size, only the ratios show: a litre, its soil 12 cm across. */
const VOLUME = 1000;
const SURFACE = 0.011;
/** Of a leafy plant in good growth, FAO-56 table 17, and of most vegetables, table 22. */
const CROP = { basal: 1.1, depletion: indoorDepletion(0.4) };
/** Span of the recording, from the driest to the wettest that it showed: also the ends of the probe's calibration. */
export const SPAN = { dry: volts(2.689), wet: volts(1.126) };
/** PPFD of a lux of sunlight, µmol/(m² s) (Apogee Instruments, "Conversion - PPFD to Lux"). */
const PPFD_OF_LUX = 0.0185;
/** Rows are ten minutes apart by day: what is longer is a night, and dark. */
const NIGHT_GAP = 30;
/** Mean of the recorded climate, where a recording begins without: the first two days. */
const MEAN_CLIMATE = { temperature: 21.6, humidity: 45 };

/** The bench's own soil and probe, with the leaves that fit: `node dist/test/fit/fit.js`. */
export const REAL_POT: RealPot = { substrate: PEAT, pace: PACE, probe: PROBE, leaves: 0.0517 };

/**
 * By the probe, the water of 15 September came in the two minutes up to 17:28, evenly as far as we know. How much is not
 * known, but fitted: ml for each litre of soil.
 */
export const POURED = 1080;
export function firstWatering(poured = POURED): Watering[] {
  const at = Date.parse("2025-09-15T17:27Z") / 60_000;
  return [at, at + 1].map((minute) => ({ minute, ml: poured / 2 }));
}

/** Volts that the bench's own soil, plant and probe give at every row, if the first row is right. */
export function simulate(
  moments: readonly Moment[],
  pot: RealPot,
  waterings: readonly Watering[] = firstWatering(),
): number[] {
  const crop = { ...CROP, pot: { substrate: pot.substrate, volume: VOLUME, surface: SURFACE } };
  const { temperature = MEAN_CLIMATE.temperature, volts: level = SPAN.dry } = moments[0] ?? {};
  const balance = new WaterBalance(crop, startAt(level, temperature, pot), pot.pace);
  const probe = new ProbeResponse(temperature, pot.probe);
  return atRows(moments, (air, minute) => {
    const water = pouredAt(minute, waterings, balance.soil.at.containerCapacity - balance.soil.stored);
    balance.step(minutes(1), water, air.reference, pot.leaves * (VOLUME / 1000));
    probe.step(minutes(1), air.temperature);
    return probe.level(SPAN, balance.soil.wetnessAtProbe);
  });
}

function pouredAt(minute: number, waterings: readonly Watering[], lacking: number): number {
  return waterings
    .filter((watering) => watering.minute === minute)
    .reduce((sum, { ml = Math.max(0, lacking) }) => sum + ml, 0);
}

/**
 * A pot that shows this level and was not watered lately: evenly moist, its surface as dry as the rest of it. What is
 * above container capacity is free water.
 */
function startAt(level: number, temperature: number, { substrate, probe }: RealPot): WaterState {
  const { airDry, fieldCapacity, containerCapacity, saturation } = substrate;
  const drift = probe.drift * (temperature - REFERENCE_TEMPERATURE);
  const wetness = Math.max(0, Math.min(1, (level - drift - SPAN.dry) / (SPAN.wet - SPAN.dry)));
  const content = airDry + wetness * (saturation - airDry);
  const bound = Math.min(content, containerCapacity);
  const dryness = Math.max(0, 1 - (bound - airDry) / (fieldCapacity - airDry));
  return {
    bound: bound * VOLUME,
    free: (content - bound) * VOLUME,
    sensed: (bound - airDry) / (saturation - airDry),
    surfaceDepletion: dryness * totalEvaporable({ surface: SURFACE, substrate }),
    ...{ received: 0, need: 0, lost: 0, drained: 0 },
  };
}

interface Weather {
  readonly temperature: number;
  /** Evapotranspiration, mm/h. */
  readonly reference: number;
}

/** Goes through all minutes of the recording and keeps what `live` says at the end of each row's. */
function atRows(moments: readonly Moment[], live: (air: Weather, minute: number) => number): number[] {
  let climate = MEAN_CLIMATE;
  let minute = moments[0]?.minute ?? 0;
  let level = Number.NaN;
  return moments.map(({ minute: until, lux, temperature, humidity }) => {
    if (temperature !== undefined && humidity !== undefined) climate = { temperature, humidity };
    const light = irradiance(ppfd(until - minute > NIGHT_GAP ? 0 : lux * PPFD_OF_LUX), ppfd(0));
    const reference = referenceEvapotranspiration(climate.temperature, climate.humidity, light);
    const air = { temperature: climate.temperature, reference };
    while (minute <= until) level = live(air, minute++);
    return level;
  });
}

/** Root mean square error over the rows given, as a share of the span. */
export function errorOn(
  moments: readonly Moment[],
  levels: readonly number[],
  rows: readonly number[],
): number {
  const squares = rows.map((row) => ((moments[row]?.volts ?? Number.NaN) - (levels[row] ?? Number.NaN)) ** 2);
  const mean = squares.reduce((sum, square) => sum + square, 0) / rows.length;
  return Math.sqrt(mean) / (SPAN.dry - SPAN.wet);
}

import type { PlantResult } from "../result.js";
import type { Markup } from "./markup.js";
import { type Axes, band, keyEntry, line, panel } from "./panel.js";
import { linear, roundScale } from "./scale.js";
import { type Quantity, seriesOf } from "./series.js";
import type { Stage } from "./stage.js";
import { type Stretch, strip } from "./strip.js";
import { type Line, type Sample, thin } from "./thin.js";
import { figure, several } from "./words.js";

/** A column for each pixel of a page 1000 px wide, about: more could not be seen, and would weigh. */
export const COLUMNS = 800;

export const lineOf = (plant: PlantResult, quantity: Quantity): Line =>
  thin(seriesOf(plant, quantity), COLUMNS);

/** Percent, and the seed's readings, run from 0 to 100. */
const HUNDRED = { scale: linear(0, 100), ticks: [0, 25, 50, 75, 100] };

/** What the soil holds, what the probe tells of it, and where the probe told nothing. */
export function moisturePanel(plant: PlantResult, { time, grid, marks }: Stage, id: string): Markup {
  const reading = seriesOf(plant, "reading");
  const y = percentScale([...plant.hourly.moisture, ...reading.map(([, value]) => value ?? 0)]);
  const axes: Axes = { time, y: y.scale, height: 130 };
  const silent = silences(reading, time.to);
  return panel({
    id: `${id}-moisture`,
    title: "Soil moisture, %",
    description: `True moisture ${range(plant.hourly.moisture, "%")}. ${silenceInWords(silent)}`,
    key: [keyEntry("moisture", "true"), keyEntry("reading", "what the probe read"), ...silenceKey(silent)],
    height: axes.height,
    y,
    behind: grid,
    layers: [
      strip("unread", silent, { time, top: 0, height: axes.height }),
      line("reading", thin(reading, COLUMNS), axes),
      line("moisture", lineOf(plant, "moisture"), axes),
    ],
    over: marks,
  });
}

/** A probe may read beyond its calibration. */
const percentScale = (values: readonly number[]) =>
  values.every((value) => value >= 0 && value <= 100) ? HUNDRED : roundScale([0, 100, ...values], 5);

/** From the first hour without a reading until the next hour with one. */
function silences(reading: readonly Sample[], end: number): readonly Stretch[] {
  const until = (index: number) => reading[index + 1]?.[0] ?? Math.max(end, reading[index]?.[0] ?? end);
  return reading.flatMap(([from, value], index) => (value === null ? [{ from, to: until(index) }] : []));
}

const silenceKey = (silent: readonly Stretch[]): Markup[] =>
  silent.length > 0 ? [keyEntry("unread", "no reading")] : [];

const silenceInWords = (silent: readonly Stretch[]): string =>
  silent.length > 0
    ? `The probe gave nothing in ${several(silent.length, "hour")}.`
    : "The probe read every hour.";

/** The seed's readings: hydration with the range that is good for the species, and vigour. */
export function seedPanel(plant: PlantResult, { time, grid, marks }: Stage, id: string): Markup {
  const axes: Axes = { time, y: HUNDRED.scale, height: 130 };
  const { from, to } = plant.good;
  const good = `${figure(from, 1)} to ${figure(to, 1)}`;
  return panel({
    id: `${id}-hydration`,
    title: "Hydration and vigour, 0 to 100",
    description: `Hydration ${range(plant.hourly.hydration)}, good from ${good}; vigour ${range(plant.hourly.vigour)}.`,
    key: [
      keyEntry("hydration", "hydration"),
      keyEntry("good", `good: ${good}`),
      keyEntry("vigour", "vigour"),
    ],
    height: axes.height,
    y: HUNDRED,
    behind: grid,
    layers: [
      band("good", from, to, axes),
      line("vigour", lineOf(plant, "vigour"), axes),
      line("hydration", lineOf(plant, "hydration"), axes),
    ],
    over: marks,
  });
}

export function temperaturePanel(plant: PlantResult, { time, grid, marks }: Stage, id: string): Markup {
  const y = roundScale(plant.hourly.temperature, 3);
  const axes: Axes = { time, y: y.scale, height: 56 };
  return panel({
    id: `${id}-temperature`,
    title: "Temperature, °C",
    description: `Temperature ${range(plant.hourly.temperature, "°C")}.`,
    key: [],
    height: axes.height,
    y,
    behind: grid,
    layers: [line("temperature", lineOf(plant, "temperature"), axes)],
    over: marks,
  });
}

/** "from 31 to 64 %, 40 % at the end". */
export function range(values: readonly number[], unit = ""): string {
  if (values.length === 0) return "was never sampled";
  const ordered = [...values].sort((a, b) => a - b);
  const [least = 0, most = 0, last = 0] = [ordered[0], ordered.at(-1), values.at(-1)];
  const after = unit && `\u00A0${unit}`;
  return `from ${figure(least, 1)} to ${figure(most, 1)}${after}, ${figure(last, 1)}${after} at the end`;
}

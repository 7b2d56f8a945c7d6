import type { PlantResult } from "../result.js";
import {
  across,
  area,
  band,
  DAY,
  down,
  keyEntry,
  type Line,
  line,
  linear,
  markRow,
  type Panel,
  panel,
  roundScale,
  type Sample,
  type Scale,
  type Stretch,
  strip,
  type TimeFrame,
  thin,
  timeAxis,
} from "./chart.js";
import { day, duration, figure, html, type Markup, several } from "./markup.js";

/** A panel without the parts that all panels share. `id` is unique among the plant's panels. */
type PlantPanel = Omit<Panel, "behind" | "over">;

export const plantChart = (plant: PlantResult, frame: TimeFrame, id: string): Markup => html`
<div class="chart">
${markRow(frame)}
${PANELS.map((draw) => inFrame(draw(plant, frame.time), frame, id))}
${timeAxis(frame)}
</div>`;

const inFrame = (spec: PlantPanel, { grid, marks }: TimeFrame, id: string): Markup =>
  panel({ ...spec, id: `${id}-${spec.id}`, behind: grid, over: marks });

const PANELS = [moisturePanel, hydrationPanel, waterPanel, lightPanel, temperaturePanel];

/** Percent, and the seed's readings, run from 0 to 100. */
const HUNDRED = { scale: linear(0, 100), ticks: [0, 25, 50, 75, 100] };
const TALL = 130;

/** True moisture, the probe's readings, and the times without a reading. */
function moisturePanel(plant: PlantResult, time: Scale): PlantPanel {
  const reading = seriesOf(plant, "reading");
  const y = percentScale([...plant.hourly.moisture, ...reading.map(([, value]) => value ?? 0)]);
  const axes = { time, y: y.scale, height: TALL };
  const silent = silences(reading, time.to);
  const isSilent = silent.length > 0;
  const silence = isSilent
    ? `The probe gave nothing in ${several(silent.length, "hour")}.`
    : "The probe read every hour.";
  return {
    id: "moisture",
    title: "Soil moisture, %",
    description: `True moisture ${range(plant.hourly.moisture, "%")}. ${silence}`,
    key: [
      keyEntry("moisture", "true"),
      keyEntry("reading", "what the probe read"),
      ...(isSilent ? [keyEntry("unread", "no reading")] : []),
    ],
    height: TALL,
    y,
    layers: [
      strip("unread", silent, time, TALL),
      line("reading", thin(reading), axes),
      line("moisture", lineOf(plant, "moisture"), axes),
    ],
  };
}

/** A probe may read outside its calibration. */
const percentScale = (values: readonly number[]) =>
  values.every((value) => value >= 0 && value <= 100) ? HUNDRED : roundScale([0, 100, ...values], 5);

/** From the first hour without a reading until the next hour with one. */
function silences(reading: readonly Sample[], end: number): readonly Stretch[] {
  const until = (index: number) => reading[index + 1]?.[0] ?? Math.max(end, reading[index]?.[0] ?? end);
  return reading.flatMap(([from, value], index) => (value === null ? [{ from, to: until(index) }] : []));
}

/** The seed's readings: hydration with the range that is good for the species, and vigour. */
function hydrationPanel(plant: PlantResult, time: Scale): PlantPanel {
  const axes = { time, y: HUNDRED.scale, height: TALL };
  const { from, to } = plant.good;
  const good = `${figure(from, 1)} to ${figure(to, 1)}`;
  return {
    id: "hydration",
    title: "Hydration and vigour, 0 to 100",
    description: `Hydration ${range(plant.hourly.hydration)}, good from ${good}; vigour ${range(plant.hourly.vigour)}.`,
    key: [
      keyEntry("hydration", "hydration"),
      keyEntry("good", `good: ${good}`),
      keyEntry("vigour", "vigour"),
    ],
    height: TALL,
    y: HUNDRED,
    layers: [
      band("good", from, to, axes),
      line("vigour", lineOf(plant, "vigour"), axes),
      line("hydration", lineOf(plant, "hydration"), axes),
    ],
  };
}

function temperaturePanel(plant: PlantResult, time: Scale): PlantPanel {
  const y = roundScale(plant.hourly.temperature, 3);
  const height = 56;
  return {
    id: "temperature",
    title: "Temperature, °C",
    description: `Temperature ${range(plant.hourly.temperature, "°C")}.`,
    key: [],
    height,
    y,
    layers: [line("temperature", lineOf(plant, "temperature"), { time, y: y.scale, height })],
  };
}

const LIGHT_HEIGHT = 76;
/** Heights of the lamp's strip and of its lane above the daylight, px. */
const STRIP = 11;
const LANE = 15;
/** Top of the axis in a dark room, µmol/(m² s). A bright windowsill has some hundreds. */
const MIN_LIGHT_TOP = 100;

/** When the lamp was on, above how much daylight there was. */
function lightPanel(plant: PlantResult, time: Scale): PlantPanel {
  const lit = plant.light.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) }));
  const words = lampInWords(lit, time.to - time.from);
  const y = daylightAxis(plant.hourly.daylight);
  return {
    id: "light",
    title: "Light, µmol/(m² s)",
    description: `Lamp ${words}. Daylight ${range(plant.hourly.daylight, "µmol/(m² s)")}.`,
    key: [keyEntry("lamp", `lamp: ${words}`), keyEntry("daylight", "daylight")],
    height: LIGHT_HEIGHT,
    y,
    layers: [
      area("daylight", lineOf(plant, "daylight"), { time, y: y.scale, height: LIGHT_HEIGHT }),
      strip("lamp", lit, time, STRIP),
    ],
  };
}

/** The scale continues above the last tick, for the lamp's lane. */
function daylightAxis(daylight: readonly number[]) {
  const { scale, ticks } = roundScale([0, MIN_LIGHT_TOP, ...daylight], 2);
  return { scale: linear(0, (scale.to * LIGHT_HEIGHT) / (LIGHT_HEIGHT - LANE)), ticks };
}

function lampInWords(lit: readonly Stretch[], length: number): string {
  const shone = lit.reduce((sum, { from, to }) => sum + to - from, 0);
  if (shone === 0) return "never on";
  return length < DAY ? `on for ${duration(shone)}` : `on for ${duration((shone / length) * DAY)} a day`;
}

const WATER_HEIGHT = 90;
/** Top of an empty panel, ml: the smallest dose of the contract. */
const MIN_WATER_TOP = 10;
/** Width of a bar, as a part of the day: leaves a gap between days. */
const BAR = 0.8;

/** Water from the pump, one bar a day; the part that did not reach the soil is on top in another colour. */
function waterPanel({ doses }: PlantResult, time: Scale): PlantPanel {
  const days = waterByDay(doses);
  const y = roundScale([0, MIN_WATER_TOP, ...days.map(({ arrived, lost }) => arrived + lost)], 4);
  const lost = days.reduce((sum, { lost }) => sum + lost, 0);
  return {
    id: "water",
    title: "Water, ml a day",
    description: waterInWords(doses, lost),
    key: [keyEntry("arrived", "reached the soil"), ...(lost > 0 ? [keyEntry("lost", "did not arrive")] : [])],
    height: WATER_HEIGHT,
    y,
    layers: days.map((each) => bars(each, time, y.scale)),
  };
}

interface DayOfWater {
  /** Midnight, UTC. */
  readonly midnight: number;
  readonly arrived: number;
  readonly lost: number;
}

/** In order of time. Days without a dose are left out. */
function waterByDay(doses: PlantResult["doses"]): readonly DayOfWater[] {
  const days = new Map<number, DayOfWater>();
  for (const { at, ml, arrived } of doses) {
    const midnight = Math.floor(Date.parse(at) / DAY) * DAY;
    const before = days.get(midnight) ?? { arrived: 0, lost: 0 };
    const lost = before.lost + Math.max(0, ml - arrived);
    days.set(midnight, { midnight, arrived: before.arrived + arrived, lost });
  }
  return [...days.values()];
}

function waterInWords(doses: PlantResult["doses"], lost: number): string {
  if (doses.length === 0) return "No water was given.";
  const given = doses.reduce((sum, { ml }) => sum + ml, 0);
  const missing = lost > 0 ? `, of which ${figure(lost)} ml did not arrive` : "";
  return `${several(doses.length, "dose")}, ${figure(given)} ml in all${missing}.`;
}

function bars({ midnight, arrived, lost }: DayOfWater, time: Scale, y: Scale): Markup {
  const from = midnight + (DAY * (1 - BAR)) / 2;
  const [left, right] = [across(time, from), across(time, from + DAY * BAR)];
  const at = (ml: number) => down(y, WATER_HEIGHT, ml);
  const bar = (name: string, low: number, high: number): Markup | "" =>
    high > low
      ? html`<path class="${name}" d="${`M${left},${at(low)}V${at(high)}H${right}V${at(low)}z`}"/>`
      : "";
  const words = `${day(midnight)}: ${figure(arrived, 1)} ml${lost > 0 ? `, and ${figure(lost, 1)} ml that did not arrive` : ""}`;
  return html`<g><title>${words}</title>${bar("arrived", 0, arrived)}${bar("lost", arrived, arrived + lost)}</g>`;
}

type Quantity = Exclude<keyof PlantResult["hourly"], "at">;

const lineOf = (plant: PlantResult, quantity: Quantity): Line => thin(seriesOf(plant, quantity));

const seriesOf = ({ hourly }: PlantResult, quantity: Quantity): readonly Sample[] =>
  hourly.at.map((at, hour) => [Date.parse(at), hourly[quantity][hour] ?? null]);

/** "from 31 to 64 %, 40 % at the end". */
function range(values: readonly number[], unit = ""): string {
  if (values.length === 0) return "was never sampled";
  const ordered = [...values].sort((a, b) => a - b);
  const [least = 0, most = 0, last = 0] = [ordered[0], ordered.at(-1), values.at(-1)];
  const after = unit && `\u00A0${unit}`;
  return `from ${figure(least, 1)} to ${figure(most, 1)}${after}, ${figure(last, 1)}${after} at the end`;
}

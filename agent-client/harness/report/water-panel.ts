import type { PlantResult } from "../result.js";
import { type DayOfWater, waterByDay } from "./days.js";
import { html, type Markup } from "./markup.js";
import { across, down, keyEntry, note, panel } from "./panel.js";
import { roundScale, type Scale } from "./scale.js";
import type { Stage } from "./stage.js";
import { DAY } from "./time-axis.js";
import { day, figure, several } from "./words.js";

const HEIGHT = 90;
/** An empty panel's top, ml: the smallest dose that a pump gives by the contract. */
const LEAST_TOP = 10;
/** Of the day's width, so that bars of neighbouring days stand apart. */
const BAR = 0.8;

/** What the pump gave, a bar a day; what did not come to the soil stands on top in another colour. */
export function waterPanel({ doses }: PlantResult, { time, grid, marks }: Stage, id: string): Markup {
  const days = waterByDay(doses);
  const y = roundScale([0, LEAST_TOP, ...days.map(({ arrived, lost }) => arrived + lost)], 4);
  const lost = days.reduce((sum, { lost }) => sum + lost, 0);
  return panel({
    id: `${id}-water`,
    title: "Water, ml a day",
    description: inWords(doses, lost),
    key: [keyEntry("arrived", "reached the soil"), ...(lost > 0 ? [keyEntry("lost", "did not arrive")] : [])],
    height: HEIGHT,
    y,
    behind: grid,
    layers: days.map((each) => bars(each, time, y.scale)),
    over: [...marks, ...(days.length === 0 ? [note("no water was given", HEIGHT)] : [])],
  });
}

function inWords(doses: PlantResult["doses"], lost: number): string {
  if (doses.length === 0) return "No water was given.";
  const given = doses.reduce((sum, { ml }) => sum + ml, 0);
  const missing = lost > 0 ? `, of which ${figure(lost)} ml did not arrive` : "";
  return `${several(doses.length, "dose")}, ${figure(given)} ml in all${missing}.`;
}

function bars({ day: midnight, arrived, lost }: DayOfWater, time: Scale, y: Scale): Markup {
  const from = midnight + (DAY * (1 - BAR)) / 2;
  const words = `${day(midnight)}: ${figure(arrived, 1)} ml${lost > 0 ? `, and ${figure(lost, 1)} ml that did not arrive` : ""}`;
  const bar = (name: string, low: number, high: number): Markup | "" =>
    high > low
      ? html`<path class="${name}" d="${box(time, y, [from, from + DAY * BAR], [low, high])}"/>`
      : "";
  return html`<g><title>${words}</title>${bar("arrived", 0, arrived)}${bar("lost", arrived, arrived + lost)}</g>`;
}

type Pair = readonly [from: number, to: number];
const box = (time: Scale, y: Scale, [from, to]: Pair, [low, high]: Pair): string =>
  `M${across(time, from)},${down(y, HEIGHT, low)}V${down(y, HEIGHT, high)}H${across(time, to)}V${down(y, HEIGHT, low)}z`;

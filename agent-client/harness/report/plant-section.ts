import type { PlantResult } from "../result.js";
import { plantChart } from "./chart.js";
import { html, type Markup } from "./markup.js";
import type { Stage } from "./stage.js";
import { facts } from "./table.js";
import { instant } from "./time-axis.js";
import { isFreshlyWatered, percent } from "./verdict.js";
import { figure, moment, several } from "./words.js";

/** How one plant fared: figures, what must be known to read them, and its charts. */
export const plantSection = (plant: PlantResult, stage: Stage, id: string): Markup => html`
<section class="plant"><h2>${plant.name} <span class="species">${plant.species}</span></h2>
${facts(figuresOf(plant))}
${freshlyWatered(plant).map((words) => html`<p>${words}</p>`)}
${plantChart(plant, stage, id)}
</section>`;

function figuresOf({ score }: PlantResult): (readonly [string, string])[] {
  const { given, need, drained } = score.water;
  return [
    ["at the end", score.alive ? "alive" : "died"],
    ["vigour, mean of 100", figure(score.vigour, 1)],
    ["health, mean of 100", figure(score.health, 1)],
    ["of the time in range", percent(score.inRange)],
    ["water given, ml", figure(given)],
    ["water it could use, ml", figure(need)],
    ["ran out of the pot, ml", figure(drained)],
  ];
}

/** Else a plant that starts wet looks over-watered. Nothing where it does not. */
export function freshlyWatered(plant: PlantResult): string[] {
  if (!isFreshlyWatered(plant)) return [];
  const { name, good, hourly, doses } = plant;
  const index = hourly.hydration.findIndex((value) => value <= good.to);
  const dried = index < 0 ? undefined : hourly.at[index];
  const before = doses.filter(
    ({ at }) => dried === undefined || instant(at, "a dose's time") < instant(dried, "an hour"),
  );
  return [
    `${name} was freshly watered when the run began: ${untilDry(dried, good.to)}. ${dosesMeanwhile(before)}`,
  ];
}

const untilDry = (dried: string | undefined, top: number): string =>
  dried === undefined
    ? `it was above its good range (up to ${figure(top, 1)}) and had not dried into it by the end`
    : `it was above its good range (up to ${figure(top, 1)}) until it had dried, on ${moment(dried)}`;

function dosesMeanwhile(doses: PlantResult["doses"]): string {
  if (doses.length === 0) return "That is no over-watering: it got no water meanwhile.";
  const given = doses.reduce((sum, { ml }) => sum + ml, 0);
  return `Its start is no over-watering, but it got ${figure(given)} ml in ${several(doses.length, "dose")} meanwhile.`;
}

import type { PlantResult, RunResult } from "../result.js";
import { instant } from "./time-axis.js";
import { duration, figure, fullDay, listed, points, several } from "./words.js";

/** How a run went, in one sentence. */
export const verdict = (result: RunResult): string =>
  `${result.model} scored ${points(result.score.total)} of 100 in “${result.scenario.title}” (seed ${result.seed}), ` +
  `${howLong(result)}: ${fates(result)}${startsWet(result)}.`;

/** "30 days, 1 Jun 2026 to 1 Jul 2026", or how far it came before it was stopped. */
export function howLong({ start, end, days, finished }: RunResult): string {
  if (finished) return `${several(days, "day")}, ${fullDay(start)} to ${fullDay(end)}`;
  const came = instant(end, "the end") - instant(start, "the start");
  return `stopped after ${duration(came)} of ${several(days, "day")}`;
}

function fates({ plants }: Pick<RunResult, "plants">): string {
  const named = (alive: boolean) =>
    plants.filter(({ score }) => score.alive === alive).map(({ name }) => name);
  const [living, dead] = [named(true), named(false)];
  const parts = [
    ...(living.length > 0 ? [`${listed(living)} ${living.length === 1 ? "is" : "are"} alive`] : []),
    ...(dead.length > 0 ? [`${listed(dead)} died`] : []),
  ];
  return parts.join(", ") || "there was no plant";
}

/** Else a plant that reads 100 at the start looks over-watered. */
function startsWet({ plants }: Pick<RunResult, "plants">): string {
  const names = plants.filter(isFreshlyWatered).map(({ name }) => name);
  if (names.length === 0) return "";
  const their = names.length === 1 ? "its" : "their";
  return ` (${listed(names)} began freshly watered, above ${their} good range until dried)`;
}

export const isFreshlyWatered = ({ good, hourly }: Pick<PlantResult, "good" | "hourly">): boolean =>
  (hourly.hydration[0] ?? 0) > good.to;

/** Signed, for a column of points that are taken away. */
export const taken = (amount: number): string => (amount === 0 ? points(0) : points(-amount));

export const percent = (value: number): string => `${figure(value, 1)}\u00A0%`;

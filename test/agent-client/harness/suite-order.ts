import type { Test } from "tap";
import { loadScenario, type Scenario, scenarioNames } from "../../../agent-client/harness/scenario.js";
import { simulated } from "./short-run.js";

/**
 * Days that every run takes, days more until a freshly watered pot is dry, and days after the last event: choices, so that
 * the suite is short and plants suffer in it.
 */
const SHORT = { least: 9, drying: 7, afterwards: 4 };
/** What comes of a fortnight without care shows weeks later. */
const IN_FULL = "forgotten-fortnight";
/** Points of 100 between care and folly, a choice: less would be chance. */
const CLEARLY = 25;

/** The scenarios in which water decides: every `of`-th of them, so that several processes can share the suite. */
export const whereWaterDecides = (part: number, of: number): readonly Scenario[] =>
  scenarioNames()
    .map(loadScenario)
    .filter((scenario) => scenario.water_decides)
    .filter((_, index) => index % of === part);

/** The promise of the suite, for one scenario in a short version. */
export async function promiseOrder(t: Test, scenario: Scenario): Promise<void> {
  const total = async (model: string) => (await simulated({ ...shortened(scenario), model })).score.total;
  const caretaker = await total("caretaker");
  for (const fool of ["never-water", "always-water"]) {
    const fared = await total(fool);
    t.ok(fared <= caretaker - CLEARLY, `caretaker ${caretaker}, ${fool} ${fared}`);
  }
}

function shortened(scenario: Scenario) {
  const { plants, start } = scenario;
  return { scenario, plants, start: Date.parse(start), days: Math.min(scenario.days, enough(scenario)) };
}

function enough({ name, days, hydration, events }: Scenario): number {
  if (name === IN_FULL) return days;
  const last = Math.max(0, ...events.map(({ day }) => day));
  return Math.max(SHORT.least + (hydration > 80 ? SHORT.drying : 0), Math.ceil(last) + SHORT.afterwards);
}

import t from "tap";
import { loadScenario, scenarioNames } from "../../../agent-client/harness/scenario.js";
import { simulated } from "./short-run.js";

/** Long enough for every scenario's troubles, and for plants to suffer from them: a choice that keeps the suite short. */
const MOST_DAYS = 14;
/** Points of 100 between care and folly: less would be chance. */
const CLEARLY = 25;

for (const scenario of scenarioNames()
  .map(loadScenario)
  .filter((each) => each.water_decides)) {
  t.test(`${scenario.name}: the caretaker is best, and both fools fare clearly worse`, async (t) => {
    const days = Math.min(MOST_DAYS, scenario.days);
    const start = Date.parse(scenario.start);
    const total = async (model: string) =>
      (await simulated({ scenario, model, days, start, plants: scenario.plants })).score.total;
    const caretaker = await total("caretaker");
    for (const fool of ["never-water", "always-water"]) {
      const fared = await total(fool);
      t.ok(fared <= caretaker - CLEARLY, `caretaker ${caretaker}, ${fool} ${fared}`);
    }
  });
}

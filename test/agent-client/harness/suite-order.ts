import { fileURLToPath } from "node:url";
import t from "tap";
import { loadScenario, scenarioNames } from "../../../agent-client/harness/scenario.js";
import { endOf } from "../../run-tendril.js";
import { spawnNode } from "../../spawn-node.js";
import type { Totals } from "./short-suite.js";

const SHORT_SUITE = fileURLToPath(new URL("short-suite.js", import.meta.url));
/** Points of 100 between care and folly, a choice: less would be chance. */
const CLEARLY = 25;
/** Points of 100, a choice: before there was a limit on wet soil, it was 0 to 40. */
const KEPT_FROM_HARM = 50;

/** The promise of the suite, for every `of`-th of the scenarios in which water decides, so that processes can share them. */
export function promiseOrder(part: number, of: number): void {
  const scenarios = scenarioNames().filter((name) => loadScenario(name).water_decides);
  const names = scenarios.filter((_, index) => index % of === part);
  const suite = shortSuite(names);
  for (const name of names)
    t.test(
      `${name}: the caretaker is best, no water is clearly worse, and a fool who always waters does little harm`,
      async (t) => {
        const scores = (await suite)[name];
        const of = (model: keyof NonNullable<typeof scores>) => Number(scores?.[model]);
        const [caretaker, never, always] = [of("caretaker"), of("never-water"), of("always-water")];
        t.ok(never <= caretaker - CLEARLY, `caretaker ${caretaker}, never-water ${never}`);
        t.ok(always < caretaker, `caretaker ${caretaker}, always-water ${always}`);
        t.ok(always >= KEPT_FROM_HARM, "the runtime keeps him from drowning the plants");
      },
    );
}

async function shortSuite(names: readonly string[]): Promise<Partial<Totals>> {
  const { code, out, err } = await endOf(spawnNode([SHORT_SUITE, ...names]));
  if (code !== 0) throw new Error(`the short suite ended with ${code}: ${err}`);
  return JSON.parse(out);
}

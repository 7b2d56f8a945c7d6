import { readdirSync, readFileSync } from "node:fs";
import t from "tap";
import { carryOut } from "../../../agent-client/harness/run.js";
import { loadScenario, type Run } from "../../../agent-client/harness/scenario.js";
import { Decider } from "../../../agent-client/models/decider.js";
import type { Model, Reply } from "../../../agent-client/models/model.js";
import { hours } from "../../../drivers/units.js";

/**
 * What real models answered in `npm run bench:models -- MODEL --scenario NAME --days 9 --record DIR`, in order: recorded/README.md
 * has the runs. The state is not compared with the recorded one, so an answer may come to another state than it was
 * given for: the promises below hold all the same.
 */
const FOLDER = "test/agent-client/decide/recorded";

const LEAST_COMPLETED = 0.9;
/** Models that are to come near the caretaker. */
const TRUSTED: ReadonlySet<string> = new Set(["qwen-1.5b"]);

class Recorded implements Model {
  readonly name: string;
  private next = 0;

  constructor(
    name: string,
    private readonly replies: readonly Omit<Reply, "toolCalls">[],
  ) {
    this.name = name;
  }

  /** After the last answer it begins again: a cycle more or less must not decide the test. */
  async respond(): Promise<Reply> {
    const reply = this.replies[this.next++ % this.replies.length];
    return { ...reply, toolCalls: [] };
  }
}

async function result(scenarioName: string, model?: Model) {
  const scenario = loadScenario(scenarioName);
  const { plants, start } = scenario;
  const run: Run = {
    scenario,
    model: "caretaker",
    days: 9,
    plants,
    seed: 1,
    start: Date.parse(start),
    every: hours(6),
    maxRounds: 24,
  };
  let keys = 0;
  return carryOut(run, {
    log: () => undefined,
    signal: new AbortController().signal,
    ...(model && { wrap: () => new Decider(model, { newKey: () => `key-${++keys}` }) }),
  });
}

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl"))) {
  const [, model = "", scenario = ""] =
    /^openai_([\w.-]+?)-((?:a-persons-wish|power-cuts|heat-wave|probe-stuck-dry))\.jsonl$/.exec(file) ?? [];
  t.test(
    `what ${model} answered in "${scenario}" completes its cycles, and no plant drowns or dies`,
    async (t) => {
      const lines = readFileSync(`${FOLDER}/${file}`, "utf8").trim().split("\n");
      const replies = lines.map((line) => JSON.parse(line) as Omit<Reply, "toolCalls">);
      const { score, plants } = await result(scenario, new Recorded(model, replies));
      t.ok(
        score.cycles - score.incomplete >= LEAST_COMPLETED * score.cycles,
        `${score.incomplete} of ${score.cycles} are not complete`,
      );
      for (const { score: plant } of plants) {
        t.equal(plant.alive, true);
        t.ok(
          plant.water.drained <= 0.1 * Math.max(plant.water.given, 1),
          `${plant.water.drained} ml of ${plant.water.given} ran out`,
        );
      }
      if (!TRUSTED.has(model)) return;
      const { score: rules } = await result(scenario);
      t.ok(score.total >= rules.total - 10, `${score.total}; the caretaker ${rules.total}`);
    },
  );
}

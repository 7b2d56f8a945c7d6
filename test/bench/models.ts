/**
 * `npm run bench:models -- MODEL… [--style decide|calls] [--scenario NAME…] [--days N] [--record DIR] [--write]`: real models
 * in scenarios of the suite, against the caretaker in the same days; prints a table for docs/models.md. Models are named as
 * for `tendril agent` (openai:NAME with OPENAI_BASE_URL, ollama:NAME). Not in CI: a run takes from minutes to hours.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SystemClock } from "../../agent-client/clock.js";
import type { RunResult } from "../../agent-client/harness/result.js";
import { carryOut } from "../../agent-client/harness/run.js";
import { loadScenario, type Run, scenarioNames } from "../../agent-client/harness/scenario.js";
import type { AskOptions, Message, Model, Reply } from "../../agent-client/models/model.js";
import { hours, seconds } from "../../drivers/units.js";

const options = {
  style: { type: "string", default: "decide" },
  scenario: { type: "string", multiple: true },
  days: { type: "string", default: "3" },
  record: { type: "string" },
} as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const style = values.style === "calls" ? "calls" : "decide";
const days = Number(values.days);
const scenarios = values.scenario ?? scenarioNames();
const clock = new SystemClock();

/** What a model was asked and how it answered, with the time it took. */
class Timed implements Model {
  readonly name: string;
  readonly took: number[] = [];
  readonly replies: { readonly asked: string; readonly reply: Reply }[] = [];

  constructor(private readonly model: Model) {
    this.name = model.name;
  }

  async respond(
    conversation: readonly Message[],
    tools: Parameters<Model["respond"]>[1],
    signal: AbortSignal,
    how?: AskOptions,
  ): Promise<Reply> {
    const began = clock.monotonic();
    const reply = await this.model.respond(conversation, tools, signal, how);
    this.took.push((clock.monotonic() - began) / seconds(1));
    this.replies.push({ asked: conversation.at(-1)?.content ?? "", reply });
    return reply;
  }
}

const runOf = (name: string, model: string): Run => {
  const scenario = loadScenario(name);
  const { plants, start } = scenario;
  return {
    scenario,
    model,
    days: Math.min(days, scenario.days),
    plants,
    seed: 1,
    start: Date.parse(start),
    every: hours(6),
    maxRounds: 24,
    ...(model !== "caretaker" && { style }),
  };
};

async function carriedOut(run: Run): Promise<{ result: RunResult; timed: Timed | undefined }> {
  let timed: Timed | undefined;
  const result = await carryOut(run, {
    log: () => undefined,
    signal: new AbortController().signal,
    ...(run.model !== "caretaker" && { wrap: (model) => (timed = new Timed(model)) }),
  });
  return { result, timed };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Of decisions: water where the state says none, and none where it says that water is needed. */
function waterOf({ replies }: Timed): { readonly needless: number; readonly missed: number } {
  const decided = replies.flatMap(({ asked, reply }) => {
    const ml = Number(/"water_ml":\s*(\d+)/.exec(reply.text ?? "")?.[1] ?? Number.NaN);
    return asked.startsWith("Plant: ") && !Number.isNaN(ml)
      ? [{ isNeeded: / NEEDED, /.test(asked), ml }]
      : [];
  });
  return {
    needless: decided.filter(({ isNeeded, ml }) => !isNeeded && ml > 0).length,
    missed: decided.filter(({ isNeeded, ml }) => isNeeded && ml === 0).length,
  };
}

function recorded(folder: string, name: string, { replies }: Timed): void {
  mkdirSync(folder, { recursive: true });
  const lines = replies.map(({ reply }) => JSON.stringify({ text: reply.text, usage: reply.usage }));
  writeFileSync(join(folder, `${name}.jsonl`), `${lines.join("\n")}\n`);
}

console.log(
  "| scenario, days | model | style | cycles | completed | refused calls | score (caretaker) | needless, missed water | median reply, s | tokens read, written a cycle |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|",
);
for (const name of scenarios) {
  const { result: rules } = await carriedOut(runOf(name, "caretaker"));
  for (const model of positionals) {
    const { result, timed } = await carriedOut(runOf(name, model));
    const { cycles, incomplete, refusals, total } = result.score;
    const usage = timed?.replies.flatMap(({ reply }) => reply.usage ?? []) ?? [];
    const mean = (of: "input" | "output") =>
      Math.round(usage.reduce((sum, each) => sum + each[of], 0) / Math.max(1, cycles));
    const water = timed && style === "decide" ? waterOf(timed) : undefined;
    console.log(
      `| ${name}, ${result.days} | ${model} | ${style} | ${cycles} | ${cycles - incomplete} | ${refusals} | ${total} (${rules.score.total}) | ${water ? `${water.needless}, ${water.missed}` : "–"} | ${median(timed?.took ?? []).toFixed(1)} | ${mean("input")}, ${mean("output")} |`,
    );
    if (values.record && timed) recorded(values.record, `${model.replace(/[^\w.-]/g, "_")}-${name}`, timed);
  }
}

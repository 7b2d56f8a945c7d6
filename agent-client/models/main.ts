#!/usr/bin/env node
import { Command } from "commander";
import { messageOf } from "../../drivers/system-error.js";
import { stopOnSignals } from "../../runtime/wire/program.js";
import { readYaml } from "../../runtime/wire/yaml-file.js";
import { SystemClock, seconds } from "../clock.js";
import { UsageError } from "../errors.js";
import { agentConfig } from "../options/config.js";
import { explainFailure, readied } from "../program.js";
import { tokensInWords } from "../run-log/lines.js";
import { type Price, priceOf } from "../spending/limits.js";
import { stateFolder } from "../state/state-folder.js";
import { Decider } from "./decider.js";
import { createModel, DEFAULT_MODEL, MODEL_NAMES } from "./index.js";
import type { Model } from "./model.js";
import { identityOf, inWords, stylePartsOf, tryStyle } from "./style.js";
import { runTestCycle } from "./trial.js";

/** `tendril models check NAME`: whether a model answers, which style it can do, and what a decision costs. */

interface Given {
  readonly agentState?: string;
  readonly config?: string;
}

const command = new Command("tendril models").description("Test language models before they get a plant.");
command
  .command("check")
  .description(
    "Try a model with a test plant: whether it answers, which style it can do, what a decision costs.",
  )
  .argument(
    "<name>",
    `as for tendril agent: ${MODEL_NAMES.filter((each) => each !== DEFAULT_MODEL).join(" or ")}`,
  )
  .option("--agent-state <dir>", "where the style is kept for tendril agent (default: as there)")
  .option("--config <file>", "the agent's configuration, for its prices")
  .action(async (name: string, given: Given) => {
    process.exitCode = await check(name, given);
  });

async function check(name: string, given: Given): Promise<number> {
  const model = modelNamed(name);
  const folder = given.agentState ?? stateFolder(process.env);
  const price = given.config === undefined ? undefined : pricesIn(given.config)[name];
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const parts = stylePartsOf(model, folder, { clock: new SystemClock(), say });
  const identity = await identityOf(parts, stop.signal);
  line("weights", identity ?? "its server does not tell");
  say("asking for one decision on a test plant; at most 3 minutes");
  const found = (await decision(model, price)) && (await tryStyle(model, parts, stop.signal, identity));
  if (!found) return 1;
  line("style", inWords(found));
  return 0;
}

const line = (label: string, text: string) => process.stdout.write(`${label.padEnd(12)}${text}\n`);

/** One decision about the test plant: every model that answers can make one. */
async function decision(model: Model, price: Price | undefined): Promise<boolean> {
  const decider = new Decider(model, { newKey: () => "check" });
  const { outcome } = await runTestCycle(decider, new SystemClock(), stop.signal);
  if (!outcome?.completed) {
    line("a decision", `none: ${outcome?.reason ?? "it was not done within 3 minutes"}`);
    return false;
  }
  const { tokens, took } = outcome;
  line(
    "a decision",
    `${(took / seconds(1)).toFixed(1)} s; ${tokensInWords(tokens, priceOf(tokens, price))} tokens`,
  );
  return true;
}

function modelNamed(name: string): Model {
  if (name === DEFAULT_MODEL) throw new UsageError(`${name} is a set of rules: there is nothing to check`);
  try {
    return createModel(name, process.env);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

const pricesIn = (file: string): Readonly<Record<string, Price>> =>
  readYaml(file, agentConfig, (problems) => new UsageError(problems.join("\n"))).prices;

const stop = stopOnSignals();

readied(command);
await command.parseAsync(process.argv.slice(2), { from: "user" }).catch((error: unknown) => {
  process.exitCode = explainFailure("tendril models", error, () => true);
});
process.exit();

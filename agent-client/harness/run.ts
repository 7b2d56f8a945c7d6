import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../drivers/system-error.js";
import type { EpochMillis, Millis } from "../../drivers/units.js";
import type { Log as RuntimeLog } from "../../runtime/log.js";
import { type Clock, minutes, SystemClock } from "../clock.js";
import { oneModel } from "../cycle/cycle.js";
import { shown } from "../cycle/tool-runner.js";
import { UsageError } from "../errors.js";
import { Decider } from "../models/decider.js";
import { createModel, DEFAULT_MODEL } from "../models/index.js";
import type { Model } from "../models/model.js";
import { type Bounds, RETRY_FOR_ONCE, RetryingModel, waitInWords } from "../models/retrying-model.js";
import { inWords, type StyleAsked, styleOf, stylePartsOf } from "../models/style.js";
import { SILENT } from "../models/trial.js";
import { stateFolder } from "../state/state-folder.js";
import { POLICIES } from "./policies.js";
import type { SimulationStory } from "./recorder.js";
import type { RunResult } from "./result.js";
import type { Run } from "./scenario.js";
import { type HourReport, simulate } from "./simulation.js";
import { plantsFrom } from "./world.js";

export interface RunOptions {
  /** Receives every cycle, for a person to read. */
  readonly story?: SimulationStory;
  readonly log: RuntimeLog;
  readonly signal: AbortSignal;
  readonly onHour?: (hour: HourReport) => void;
  /** Wraps the model, for example to keep its replies. */
  readonly wrap?: (model: Model) => Model;
  /** How to wait for a language model. By default as the agent does, without output. */
  readonly patience?: WaitOptions;
}

export interface WaitOptions {
  readonly bounds: Bounds;
  /** Real time. The simulated time stops while a model thinks. */
  readonly clock: Clock;
  /** A line that the next one replaces. */
  readonly pass: (text: string) => void;
  readonly say: (text: string) => void;
}

const QUIET: WaitOptions = {
  bounds: { reply: minutes(10), cycle: minutes(25) },
  clock: new SystemClock(),
  pass: () => undefined,
  say: () => undefined,
};

/** Models that are rules: they need no pictures, no selected tools and no retries. */
const RULES: ReadonlySet<string> = new Set([DEFAULT_MODEL, "none", ...Object.keys(POLICIES)]);

/** Throws a UsageError for an unknown model or species, and for an event about a plant that does not exist. */
export function assertPossible({ scenario, model, plants }: Run): void {
  plantsFrom(plants);
  modelNamed(model);
  const { plant } = scenario.events.find(({ plant = 0 }) => plant >= plants.length) ?? {};
  if (plant === undefined) return;
  throw new UsageError(
    `the scenario ${scenario.name} has an event for plant ${plant}, counted from 0; there are ${plants.length}: name more --plants`,
  );
}

/** Throws a UsageError, before it begins, for a run that is not possible. */
export async function carryOut(
  run: Run,
  { wrap = (model) => model, story = { cycle: () => SILENT }, patience = QUIET, ...around }: RunOptions,
): Promise<RunResult> {
  assertPossible(run);
  const plants = plantsFrom(run.plants);
  const chosen = modelNamed(run.model);
  const isRules = RULES.has(run.model);
  const state = await mkdtemp(join(tmpdir(), "tendril-simulation-"));
  try {
    const retrying = isRules ? undefined : chosen && retryingModel(chosen, patience);
    const wrapped = chosen && wrap(retrying ?? chosen);
    const model = wrapped && (isRules ? wrapped : inStyle(wrapped, run));
    // until the first reply, a failure is reported at once: the address may be wrong
    const models = model && oneModel(model, () => retrying?.beginCycle({ asksOnce: !retrying.hasReplied }));
    return await simulate({
      ...run,
      plants,
      start: run.start as EpochMillis,
      every: run.every as Millis,
      models,
      modelName: model?.name ?? "none",
      looksAtPictures: !isRules && run.style !== "decide",
      state,
      story,
      ...around,
    });
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

/** The run in the style that was asked for; with "auto" in the one that its model can do. */
export async function withStyle(run: Run, asked: StyleAsked, signal: AbortSignal): Promise<Run> {
  if (RULES.has(run.model)) return run;
  if (asked !== "auto") return { ...run, style: asked };
  const model = known(run.model);
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const parts = stylePartsOf(model, stateFolder(process.env), { clock: new SystemClock(), say });
  const found = await styleOf(model, parts, signal);
  if (found) say(`${model.name} works in the ${inWords(found)}`);
  return { ...run, style: found?.style ?? "decide" };
}

function inStyle(model: Model, { style, tools = "care" }: Run): Model {
  let keys = 0;
  return style === "decide"
    ? new Decider(model, { newKey: () => `decision-${++keys}` })
    : shown(model, tools);
}

function retryingModel(model: Model, { bounds, clock, pass, say }: WaitOptions): RetryingModel {
  return new RetryingModel(model, {
    bounds,
    retryFor: RETRY_FOR_ONCE,
    clock,
    random: Math.random,
    onSlow: () => pass(`waiting for ${model.name}…`),
    onWait: (error, wait) => say(waitInWords(error, wait)),
  });
}

/** Undefined for "none". */
function modelNamed(name: string): Model | undefined {
  if (name === "none") return undefined;
  const policy = Object.hasOwn(POLICIES, name) ? POLICIES[name] : undefined;
  return policy ? policy() : known(name);
}

function known(name: string): Model {
  try {
    return createModel(name, process.env);
  } catch (cause) {
    const others = Object.keys(POLICIES).join(", ");
    throw new UsageError(`${messageOf(cause)}; in a simulation also none, ${others}`, { cause });
  }
}

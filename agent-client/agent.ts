import type { Clock } from "./clock.js";
import { heldByOther, promptParts } from "./cycle/context.js";
import { type CycleLog, type CycleOptions, type CycleOutcome, runCycle } from "./cycle/cycle.js";
import type { Runtime } from "./link/runtime.js";
import { plantsOf } from "./link/tools.js";
import type { Model } from "./models/model.js";
import type { Template } from "./prompts/prompt.js";
import { promptOf } from "./prompts/prompt.js";
import { type Millis, seconds } from "./units.js";

/** Chooses the model of each cycle. One cycle at a time: `first`, then `next` after each model, then `over`. */
export interface ModelChoice {
  /** The model for the next cycle of this plant. */
  first(plant: string): Model;
  /** The model that tries the same cycle again after this outcome; undefined: none. */
  next(outcome: CycleOutcome): Model | undefined;
  /** The cycle is over: tells the person what there is to tell. Rejects with a LinkError. */
  over(): Promise<void>;
}

/** One model for every cycle. Calls `begins` before each. */
export const oneModel = (model: Model, begins: () => void = () => undefined): ModelChoice => ({
  first: () => {
    begins();
    return model;
  },
  next: () => undefined,
  over: () => Promise.resolve(),
});

export interface AgentParts extends Omit<CycleOptions, "runtime" | "model" | "prompt" | "log"> {
  readonly runtime: Runtime;
  readonly models: ModelChoice;
  /** The template of a cycle's first message. */
  readonly template: Template;
  /** The most tokens that rules and first message may take, estimated. */
  readonly promptTokens: number;
  /** The log of a cycle, by its number and plant. */
  readonly log: { cycle(number: number, plant: string | undefined): CycleLog };
  /** Given where other agents may care for the same plants. */
  readonly others?: {
    /** This agent's own name. */
    readonly instance: string;
    /** Called instead of a cycle when another agent cares for the plant. */
    readonly onHeldByOther: (text: string) => void;
  };
}

/** Cares for every plant in turn, one cycle each. */
export class Agent {
  private turns = 0;

  constructor(private readonly parts: AgentParts) {}

  /** One cycle for every plant; true if all were completed. Rejects with a LinkError, or when the signal aborts. */
  async turn(): Promise<boolean> {
    this.turns += 1;
    const several = plantsOf(await this.parts.runtime.tools());
    const plants = several.length > 0 ? several : [undefined];
    const completed: boolean[] = [];
    for (const [index, id] of plants.entries()) completed.push(await this.care(index, id));
    return completed.every((each) => each);
  }

  private async care(index: number, id: string | undefined): Promise<boolean> {
    if (await this.isHeldByOther(id)) return false;
    const completed = await this.cycle(index, id);
    await this.parts.models.over();
    return completed;
  }

  /** True if any model completed it. Each model gets a fresh prompt: the one before may have taken long. */
  private async cycle(index: number, id: string | undefined): Promise<boolean> {
    const { models, template, promptTokens, ...parts } = this.parts;
    let completed = false;
    for (let model: Model | undefined = models.first(id ?? ""); model; ) {
      const prompt = promptOf(template, await promptParts(parts.runtime, { index, id }), promptTokens);
      const log = parts.log.cycle(this.turns, id);
      const outcome = await runCycle({ ...parts, model, prompt, log });
      model = models.next(outcome);
      log.ended(outcome, model?.name);
      completed = outcome.completed;
    }
    return completed;
  }

  /** Checked before a model is asked, since the runtime would refuse the status of that cycle anyway. */
  private async isHeldByOther(id: string | undefined): Promise<boolean> {
    const { runtime, others } = this.parts;
    const agenda = others && (await runtime.agenda());
    const why = agenda && heldByOther(agenda, id, others.instance);
    if (why !== undefined) others?.onHeldByOther(why);
    return why !== undefined;
  }
}

/** A choice: the runtime answers in milliseconds, and a person who pressed Ctrl-C shall not wait for a link that hangs. */
const RELEASE_WITHIN: Millis = seconds(2);

/**
 * Lets other agents care for the plants at once, instead of half an hour after our last status. Never rejects: if the runtime
 * is away or does not know this tool, that half an hour ends by itself.
 */
export async function releaseCare(
  runtime: Pick<Runtime, "call">,
  clock: Pick<Clock, "sleep">,
): Promise<void> {
  const done = new AbortController();
  const end = () => done.abort();
  void runtime.call("release_care", {}).then(end, end);
  await clock.sleep(RELEASE_WITHIN, done.signal).catch(() => undefined);
}

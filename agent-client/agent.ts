import { type Clock, type Millis, seconds } from "./clock.js";
import { heldByOther, plantPart, promptParts } from "./cycle/context.js";
import {
  type CycleLog,
  type CycleOptions,
  type ModelChoice,
  runCycle,
  runWithModels,
} from "./cycle/cycle.js";
import type { Runtime } from "./link/runtime.js";
import { plantsOf } from "./link/tools.js";
import { promptOf, type Template } from "./prompts/prompt.js";

interface AgentParts extends Pick<CycleOptions, "maxRounds" | "clock" | "signal"> {
  readonly runtime: Runtime;
  readonly newKey: () => string;
  readonly models: ModelChoice;
  readonly template: Template;
  /** The most tokens that rules and first message may take, estimated. */
  readonly promptTokens: number;
  readonly log: { cycle(number: number, plant: string | undefined): CycleLog };
  /** Given where other agents may care for the same plants. */
  readonly others?: {
    readonly instance: string;
    /** Called instead of a cycle when another agent cares for the plant, or when the runtime has no tools. */
    readonly onWait: (text: string) => void;
  };
  /** Given where the agent also answers people and does tasks: one of all of these at a time. */
  readonly turns?: {
    /** Cycles wait here for other turns, and the other way round. */
    readonly queue: OneAtATime;
    look(): Promise<void>;
  };
}

/** A runtime that stands by for its disk has none (runtime/standby.ts): each reply of a model would be paid for nothing. */
const NO_TOOLS =
  "the runtime has no tools now: no model is asked; `tendril status` says why, mostly a full or read-only disk";

/** Cares for every plant in turn, one cycle each. */
export class Agent {
  private turns = 0;

  constructor(private readonly parts: AgentParts) {}

  /** One cycle for every plant; true if all were completed. Rejects with a LinkError, or when the signal aborts. */
  async turn(): Promise<boolean> {
    this.turns += 1;
    const tools = await this.parts.runtime.tools();
    if (tools.length === 0) {
      this.parts.others?.onWait(NO_TOOLS);
      return false;
    }
    const several = plantsOf(tools);
    const plants = several.length > 0 ? several : [undefined];
    const completed: boolean[] = [];
    for (const [index, id] of plants.entries()) {
      await this.parts.turns?.look();
      completed.push(await this.inQueue(() => this.care(index, id)));
    }
    return completed.every((each) => each);
  }

  private inQueue<T>(work: () => Promise<T>): Promise<T> {
    const { turns } = this.parts;
    return turns ? turns.queue.run(work) : work();
  }

  private async care(index: number, id: string | undefined): Promise<boolean> {
    if (await this.isHeldByOther(id)) return false;
    const completed = await this.cycle(index, id);
    await this.parts.models.over();
    return completed;
  }

  /** True if any model completed it. Each model gets a fresh prompt: the one before may have taken long. */
  private cycle(index: number, id: string | undefined): Promise<boolean> {
    const { models, template, promptTokens, runtime, newKey, turns, ...parts } = this.parts;
    return runWithModels(models, id ?? "", async (model) => {
      const plant = { index, id };
      const asked =
        model.reads === "plant"
          ? await plantPart(runtime, plant)
          : await promptParts(runtime, plant, turns !== undefined);
      const prompt = promptOf(template, asked, promptTokens);
      const log = parts.log.cycle(this.turns, id);
      return {
        log,
        outcome: await runCycle({ ...parts, runtime, newKey: () => newKey(), model, prompt, log }),
      };
    });
  }

  /** Checked before a model is asked, since the runtime would refuse the status of that cycle anyway. */
  private async isHeldByOther(id: string | undefined): Promise<boolean> {
    const { runtime, others } = this.parts;
    const agenda = others && (await runtime.agenda());
    const why = agenda && heldByOther(agenda, id, others.instance);
    if (why !== undefined) others?.onWait(why);
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

export class OneAtATime {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const begun = this.last.then(work, work);
    this.last = begun.catch(() => undefined);
    return begun;
  }
}

import { Agent } from "../../../agent-client/agent.js";
import { type ModelChoice, oneModel } from "../../../agent-client/cycle/cycle.js";
import { Log } from "../../../agent-client/cycle/log.js";
import type { Message, Model, Reply } from "../../../agent-client/models/model.js";
import { compileTemplate } from "../../../agent-client/prompts/prompt.js";
import { parseLines, withoutSecrets } from "../../../agent-client/run-log/log-files.js";
import { RunLog } from "../../../agent-client/run-log/run-log.js";
import { Story } from "../../../agent-client/run-log/story.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis } from "../../../drivers/units.js";
import { type Script, ScriptedRuntime } from "../scripted-runtime.js";

/** Replies in turn, an error by rejecting, then stops; each reply takes 1.5 s. */
export const scripted = (clock: SimulatedClock, ...replies: readonly (Reply | Error)[]): Model => {
  const left = [...replies];
  return {
    name: "scripted",
    respond: async (_: readonly Message[]) => {
      await clock.advance(millis(1500));
      const next = left.shift() ?? { toolCalls: [] };
      if (next instanceof Error) throw next;
      return next;
    },
  };
};

/** The second takes each cycle that the first does not complete. */
export function inTurns(first: Model, second: Model): ModelChoice {
  let isFirst = true;
  return {
    first: () => {
      isFirst = true;
      return first;
    },
    next: ({ completed }) => {
      const next = isFirst && !completed ? second : undefined;
      isFirst = false;
      return next;
    },
    over: async () => undefined,
  };
}

export interface Written {
  readonly script?: Script;
  readonly replies?: readonly (Reply | Error)[];
  readonly turns?: number;
  readonly secrets?: readonly string[];
}

/** The log of an agent at work in a scripted runtime, as text. */
export async function written({ script, replies = [], turns = 1, secrets = [] }: Written) {
  const clock = new SimulatedClock();
  return logOf(scripted(clock, ...replies), { clock, script, turns, secrets });
}

export async function logOf(
  model: Model | ModelChoice,
  {
    clock = new SimulatedClock(),
    script = {},
    turns = 1,
    secrets = [],
    signal = new AbortController().signal,
  }: {
    clock?: SimulatedClock;
    script?: Script | undefined;
    turns?: number;
    secrets?: readonly string[];
    signal?: AbortSignal;
  } = {},
): Promise<string> {
  const lines: string[] = [];
  const sink = { write: (line: string) => lines.push(line) };
  const log = new RunLog({ sinks: [sink], clock, clean: withoutSecrets(secrets) });
  let keys = 0;
  const agent = new Agent({
    runtime: new ScriptedRuntime(script),
    models: log.around("first" in model ? model : oneModel(model)),
    template: compileTemplate("Care for {{plant_info}}."),
    promptTokens: 10_000,
    maxRounds: 10,
    clock,
    log,
    signal,
    newKey: () => `key-${++keys}`,
  });
  for (let turn = 0; turn < turns; turn += 1) await agent.turn();
  return lines.map((line) => `${line}\n`).join("");
}

export const linesOf = (text: string) => parseLines(text).lines;

/** As `tendril log` shows it. */
export function storyOf(text: string): string {
  const shown: string[] = [];
  const story = new Story(new Log({ write: (part: string) => shown.push(part) }, {}));
  for (const line of linesOf(text)) story.tell(line);
  story.finish();
  return shown.join("");
}

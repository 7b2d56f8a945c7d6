import { randomUUID } from "node:crypto";
import { Agent } from "../agent-client/agent.js";
import { type ModelChoice, oneModel } from "../agent-client/cycle/cycle.js";
import { Log } from "../agent-client/cycle/log.js";
import type { CallOptions, Runtime } from "../agent-client/link/runtime.js";
import type { ToolResult } from "../agent-client/link/tools.js";
import { toolInfo } from "../agent-client/link/tools.js";
import { createModel, DEFAULT_MODEL } from "../agent-client/models/index.js";
import type { Model } from "../agent-client/models/model.js";
import { compileTemplate, OPENING, PROMPT_TOKENS } from "../agent-client/prompts/prompt.js";
import { agenda } from "../runtime/wire/agenda.js";
import type { Rig } from "./rig.js";

/** A model, by default the caretaker, at work in a rig: the whole of agent and runtime, with only the wire left out. */
export class AgentInRig {
  /** The lines a person would see. */
  story = "";
  private readonly agent: Agent;

  constructor(rig: Rig, model: Model | ModelChoice = createModel(DEFAULT_MODEL, {})) {
    this.agent = new Agent({
      runtime: runtimeOf(rig),
      models: "first" in model ? model : oneModel(model),
      template: compileTemplate(OPENING),
      promptTokens: PROMPT_TOKENS,
      maxRounds: 24,
      clock: rig.clock,
      log: new Log({ isTTY: false, write: (text: string) => (this.story += text) }, {}),
      signal: new AbortController().signal,
      newKey: randomUUID,
    });
  }

  /** One cycle for every plant; whether all were completed. */
  turn(): Promise<boolean> {
    return this.agent.turn();
  }
}

function runtimeOf(rig: Rig): Runtime {
  const listed = rig.core.registry.list({ name: "agent", role: "agent" });
  return {
    instructions: async () => "",
    tools: async () => listed.map(toolInfo),
    call: (name, args, options) => call(rig, name, args, options),
    agenda: async () => agenda.parse(await rig.core.house.agenda({ name: "agent", role: "agent" })),
    watchAgenda: () => () => undefined,
    close: async () => undefined,
  };
}

async function call(
  rig: Rig,
  name: string,
  args: Readonly<Record<string, unknown>>,
  options: CallOptions = {},
): Promise<ToolResult> {
  const key = options.idempotencyKey;
  const passed = { as: "agent" as const, ...(key !== undefined && { key }) };
  return name === "dispense_water" ? rig.during(name, args, passed) : rig.call(name, args, passed);
}

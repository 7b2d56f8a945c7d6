import { join } from "node:path";
import type { Test } from "tap";
import { modelChoice } from "../../agent-client/model-choice.js";
import { createModel } from "../../agent-client/models/index.js";
import type { Model } from "../../agent-client/models/model.js";
import type { AgentOptions } from "../../agent-client/options/options.js";
import { hours, minutes } from "../../drivers/units.js";
import { AgentInRig } from "../agent-in-rig.js";
import { type Rig, rigFor } from "../rig.js";

/** An agent as it runs for months, with this model in a rig, and with the caretaker to fall back on. */
export async function agentWith(t: Test, model: Model, options: Partial<AgentOptions> = {}) {
  const rig = await rigFor(t, { start: "2026-06-01T12:00:00.000Z", hydration: 30 });
  const said: string[] = [];
  const given: AgentOptions = {
    discover: undefined,
    url: "",
    token: "",
    pair: undefined,
    pin: undefined,
    repin: false,
    model,
    fallback: createModel("caretaker", {}),
    once: false,
    every: hours(1),
    cron: undefined,
    maxRounds: 24,
    bounds: { reply: minutes(10), cycle: minutes(25) },
    agentState: join(t.testdir({}), "own"),
    failedCycles: 3,
    promptTokens: 4000,
    limits: {},
    price: undefined,
    logging: { logDir: "", logTotal: 0, record: undefined },
    playback: undefined,
    style: "calls",
    tools: "care",
    ...options,
  };
  const runtime = callsOf(rig);
  const models = modelChoice(given, {
    runtime,
    clock: rig.clock,
    random: () => 0,
    newKey: () => `key-${said.length}-${rig.clock.monotonic()}`,
    say: (label, text) => said.push(`${label}: ${text}`),
    pass: (text) => said.push(text),
  });
  return { rig, said, agent: new AgentInRig(rig, models), told: () => toldBy(rig) };
}

const callsOf = (rig: Rig) => ({
  call: (name: string, args: Readonly<Record<string, unknown>>, { idempotencyKey: key = "" } = {}) =>
    rig.call(name, args, { as: "agent", ...(key !== "" && { key }) }),
});

/** What the agent program wrote to the person, oldest first. */
async function toldBy(rig: Rig): Promise<string[]> {
  const { messages } = await rig.get("list_messages_from_agent", { limit: 50 }, { as: "human" });
  const contents = (messages as { content: string }[]).map(({ content }) => content);
  return contents.filter((content) => content.includes("Written by the agent program")).reverse();
}

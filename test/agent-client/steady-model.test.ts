import { existsSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { createModel } from "../../agent-client/models/index.js";
import type { AgentOptions } from "../../agent-client/options.js";
import { steadyModel } from "../../agent-client/steady-model.js";
import { setOf } from "../../agent-client/tool-set.js";
import { hours, minutes } from "../../drivers/units.js";
import { AgentInRig } from "../agent-in-rig.js";
import { type Rig, rigFor } from "../rig.js";
import { fails, fakeOllama, says } from "./models/fake-ollama.js";
import type { Answering, Json, Said } from "./models/fake-server.js";

/** An agent with a model in an Ollama server that answers so, with the caretaker to fall back on. */
async function steady(t: Test, answering: Answering, options: Partial<AgentOptions> = {}) {
  const rig = await rigFor(t, { start: "2026-06-01T12:00:00.000Z", hydration: 30 });
  const { server, url } = fakeOllama(t, answering);
  const said: string[] = [];
  const given: AgentOptions = {
    discover: undefined,
    url: "",
    token: "",
    pair: undefined,
    pin: undefined,
    repin: false,
    model: createModel("ollama:qwen3", { OLLAMA_HOST: await url }),
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
    logging: { logDir: "", logSize: 0, logTotal: 0, logImages: undefined, record: undefined },
    playback: undefined,
    tools: "care",
    ...options,
  };
  const runtime = callsOf(rig);
  const model = steadyModel(given, {
    runtime,
    clock: rig.clock,
    random: () => 0,
    newKey: () => `key-${said.length}-${rig.clock.monotonic()}`,
    say: (label, text) => said.push(`${label}: ${text}`),
    pass: (text) => said.push(text),
  });
  return { rig, server, said, agent: new AgentInRig(rig, model), told: () => toldBy(rig) };
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

t.test(
  "a model that is not there costs no plant its water: the caretaker gives it in the same cycle",
  async (t) => {
    const { rig, agent, told, said } = await steady(t, fails(404, 'model "qwen3" not found'));
    t.equal(await agent.turn(), true, agent.story);
    t.ok(Number((await rig.get("get_water_usage_24h")).used_ml) > 0);
    await agent.turn();
    t.equal((await told()).length, 1);
    t.match(await told(), [
      /The model ollama:qwen3 is out.*ollama pull qwen3.*Now caretaker looks after the plants/,
    ]);
    t.match(said[0], /^model: .*ollama pull qwen3.*; caretaker takes this cycle/);
  },
);

t.test("a model that cannot call tools is told of, and waters nothing", async (t) => {
  const { rig, agent, told } = await steady(t, fails(400, "registry.ollama.ai/x does not support tools"), {
    fallback: undefined,
  });
  t.equal(await agent.turn(), false);
  t.match(await told(), [
    /cannot call tools; llama3.2, qwen3 and mistral can.*nobody looks after the plants/,
  ]);
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 0 });
});

t.test(
  "the day's calls used up: one message, the caretaker until midnight (UTC), then the model",
  async (t) => {
    const reads = says({ calls: [{ name: "list_messages_from_human", arguments: {} }] });
    const { rig, server, agent, told } = await steady(t, reads, { limits: { calls: 2 } });
    t.equal(await agent.turn(), false);
    t.match(
      agent.story.replace(/\s+/g, " "),
      /incomplete the limit of 2 calls to the model a day is reached on 2026-06-01/,
    );
    t.equal(await agent.turn(), true, "by the caretaker");
    t.equal(server.asked.length, 2);
    t.equal((await told()).length, 1);
    t.match(await told(), [/A limit of the day.*2 calls.*caretaker looks after the plants until then/]);
    await rig.passSampling(hours(12), hours(1));
    await agent.turn();
    t.equal(server.asked.length, 4, "on the next day it is asked again");
  },
);

t.test("a count below zero makes no limit wider", async (t) => {
  const lies: Answering = (body, headers) => {
    const { body: honest, ...rest } = says({ content: "Done." })(body, headers) as Said;
    return { ...rest, body: { ...(honest as Json), prompt_eval_count: -1_000_000, eval_count: -1 } };
  };
  const { agent, said, server } = await steady(t, lies, { limits: { tokens: 30_000 } });
  for (let n = 0; n < 12; n += 1) await agent.turn();
  t.ok(server.asked.length < 12, `asked ${server.asked.length} times`);
  t.equal(said.filter((line) => line.includes("which cannot be")).length, 1);
});

t.test("without any limit, and nothing to tell, the agent writes no file", async (t) => {
  const { agent, told } = await steady(t, says({ content: "Done." }));
  await agent.turn();
  t.strictSame(await told(), []);
  t.notOk(existsSync(join(t.testdirName, "own")));
});

t.test(
  "a language model is shown the runtime's tools that a care cycle takes, in the runtime's order",
  async (t) => {
    const { agent, server } = await steady(t, says({ content: "Done." }));
    await agent.turn();
    const named = (server.asked[0]?.tools ?? []) as { function: { name: string } }[];
    const names = named.map((tool) => tool.function.name);
    t.equal(names.length, 17);
    t.equal(setOf(names), "care");
  },
);

t.test("with all, it is shown every tool of an agent", async (t) => {
  const { agent, server, rig } = await steady(t, says({ content: "Done." }), { tools: "all" });
  await agent.turn();
  const listed = rig.core.registry.list({ name: "agent", role: "agent" });
  t.match(server.asked[0]?.tools, { length: listed.length });
});

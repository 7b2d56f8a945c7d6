import { existsSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { createModel } from "../../agent-client/models/index.js";
import type { AgentOptions } from "../../agent-client/options/options.js";
import { hours, minutes, seconds } from "../../drivers/units.js";
import { COST_LOG } from "../../runtime/services/costs/index.js";
import { TOOL_CONTRACTS } from "../services/contracts.js";
import { agentWith } from "./model-choice-rig.js";
import { fails, fakeOllama, OLLAMA, says } from "./models/fake-ollama.js";
import { type Answering, FakeServer, inOrder, type Json, type Said } from "./models/fake-server.js";
import { MADE_OUT_THEN_TALKS, MADE_TALKS_ONLY } from "./models/recorded.js";
import { DONE, failure, Spoken } from "./models/spoken.js";
import { wateringBy } from "./models/watering.js";

/** An agent with a model in an Ollama server that answers so. */
async function steady(t: Test, answering: Answering, options: Partial<AgentOptions> = {}) {
  const { server, url } = fakeOllama(t, answering);
  const model = createModel("ollama:qwen3", { OLLAMA_HOST: await url });
  return { server, ...(await agentWith(t, model, options)) };
}

/** An agent with a model behind chat completions that gives recorded replies, the last one from then on. */
async function replaying(t: Test, replies: readonly Said[], options: Partial<AgentOptions> = {}) {
  const left = [...replies];
  const next = (): Said => (left.length > 1 ? left.shift() : left[0]) ?? { body: {} };
  const server = new FakeServer("/v1/chat/completions", next);
  const env = { OPENAI_BASE_URL: `${await server.listen(t)}/v1` };
  return { server, ...(await agentWith(t, createModel("openai:x", env), options)) };
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
      /The model ollama:qwen3 is out of service.*ollama pull qwen3.*caretaker looks after the plants/,
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
    const { rig, server, agent, told, said } = await steady(t, reads, { limits: { calls: 2 } });
    t.equal(await agent.turn(), true, "by the caretaker, after two replies of the model");
    t.match(
      said[0],
      /^model: the limit of 2 calls to the model a day is reached on 2026-06-01: .*; caretaker takes this/,
    );
    t.equal(await agent.turn(), true, "by the caretaker");
    t.equal(server.asked.length, 2);
    t.equal((await told()).length, 1);
    t.match(await told(), [/A limit of the day.*2 calls.*Until then, caretaker looks after the plants/]);
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
  const { agent, server } = await steady(t, lies, { limits: { tokens: 30_000 }, fallback: undefined });
  for (let n = 0; n < 12; n += 1) await agent.turn();
  t.ok(server.asked.length < 12, `asked ${server.asked.length} times`);
});

const { decides, ends, logs, looks, waters } = wateringBy(OLLAMA);

t.test("without any limit, and nothing to tell, the agent writes no file", async (t) => {
  const { agent, told } = await steady(t, inOrder(looks, decides, waters, logs, ends));
  t.equal(await agent.turn(), true, agent.story);
  t.strictSame(await told(), []);
  t.notOk(existsSync(join(t.testdirName, "own")));
});

t.test("a model that is out and then only talks: the caretaker cares for the plant all along", async (t) => {
  const { agent, told, said, rig } = await replaying(t, MADE_OUT_THEN_TALKS);
  for (let n = 0; n < 4; n += 1) {
    t.equal(await agent.turn(), true, agent.story);
    await rig.passSampling(minutes(30), minutes(10));
  }
  t.ok(Number((await rig.get("get_water_usage_24h")).used_ml) > 0);
  const messages = await told();
  t.equal(messages.length, 1);
  t.match(messages[0], /openai:x is out of service.*caretaker looks after the plants/);
  t.notOk(said.some((line) => line.includes("works again")));
});

t.test("a model that only talks is out after three cycles, and costs no plant its water", async (t) => {
  const { agent, told, server, rig } = await replaying(t, MADE_TALKS_ONLY);
  for (let n = 0; n < 3; n += 1) t.equal(await agent.turn(), true, agent.story);
  t.ok(Number((await rig.get("get_water_usage_24h")).used_ml) > 0);
  t.match(await told(), [/out of service.*stopped without a cleared plant status.*caretaker looks after/]);
  await agent.turn();
  t.equal(server.asked.length, 3, "and is left alone for a while");
});

t.test("without a fallback the person is told of a model that only talks", async (t) => {
  const { agent, told } = await replaying(t, MADE_TALKS_ONLY, { fallback: undefined });
  for (let n = 0; n < 4; n += 1) t.equal(await agent.turn(), false);
  t.equal((await told()).length, 1);
  t.match(await told(), [/out of service.*nobody looks after the plants/]);
});

t.test(
  "an answer that nobody can parse is asked for again with another seed, also under limits",
  async (t) => {
    const model = new Spoken("m", [failure("garbled"), DONE]);
    const { agent, said, rig } = await agentWith(t, model, { limits: { calls: 5 } });
    const turn = agent.turn();
    while (model.asked < 2) {
      await new Promise((resolve) => setImmediate(resolve));
      await rig.clock.advance(seconds(1));
    }
    await turn;
    t.strictSame(model.options, [undefined, { seed: 2 }]);
    t.equal(said[0], "waiting: it is garbled; asked again in 0.2 s");
  },
);

t.test(
  "a language model is shown the runtime's tools that a care cycle takes, in the runtime's order",
  async (t) => {
    const { agent, server } = await steady(t, says({ content: "Done." }));
    await agent.turn();
    const named = (server.asked[0]?.tools ?? []) as { function: { name: string } }[];
    const names = named.map((tool) => tool.function.name);
    const care = [...TOOL_CONTRACTS].flatMap(([name, { inCare }]) => (inCare ? [name] : []));
    t.same(names.sort(), care.sort());
  },
);

/** The program itself begins and ends turns, and writes into chats. */
const OF_THE_PROGRAM = ["begin_turn", "end_turn", "send_chat_message", "list_chat_messages"];

t.test("with all, it is shown every tool of an agent but those for turns and chats", async (t) => {
  const { agent, server, rig } = await steady(t, says({ content: "Done." }), { tools: "all" });
  await agent.turn();
  const listed = rig.core.registry.list({ name: "agent", role: "agent" });
  t.match(server.asked[0]?.tools, { length: listed.length - OF_THE_PROGRAM.length });
});

t.test(
  "what the model has cost in a cycle is in the runtime's record, with a price and without",
  async (t) => {
    const price = { input: 10, output: 20 };
    const { rig, agent, server } = await steady(t, inOrder(looks, decides, waters, logs, ends), {
      price,
    });
    await agent.turn();
    const [cost, ...more] = await rig.core.house.journal(COST_LOG).recent(10, 0);
    t.same(more, [], "one report a cycle");
    const calls = server.paths.filter((path) => path === "/api/chat").length;
    t.match(cost, { model: "ollama:qwen3", calls, tokens: calls * (122 + 33), by: "agent" });
    t.equal(cost?.money?.toFixed(6), ((calls * (122 * 10 + 33 * 20)) / 1e6).toFixed(6));
  },
);

import { LLMock } from "@copilotkit/aimock";
import t, { type Test } from "tap";
import { createModel } from "../../../agent-client/models/index.js";
import type { Message } from "../../../agent-client/models/model.js";
import { never, OPENING, TOOLS } from "./conversations.js";

/** Somebody else's idea of both protocols: it checks what our own fakes take for granted. */
async function mocked(t: Test) {
  const mock = new LLMock({ port: 0 });
  await mock.start();
  t.teardown(() => mock.stop());
  const openai = createModel("openai:gpt", { OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: "mock-key" });
  return { mock, models: [createModel("ollama:qwen3", { OLLAMA_HOST: mock.url }), openai] };
}

const CALLS = [
  { name: "read_moisture", arguments: "{}" },
  { name: "dispense_water", arguments: '{"ml":20}' },
];

t.test("over either protocol parallel calls come back, and their answers go out again", async (t) => {
  const { mock, models } = await mocked(t);
  mock.on({ hasToolResult: false }, { toolCalls: CALLS });
  mock.on({ toolResultContains: "dispensed" }, { content: "Watered.", reasoning: "It was dry." });
  for (const model of models) {
    const { toolCalls } = await model.respond(OPENING, TOOLS, never);
    t.match(toolCalls, [{ name: "read_moisture" }, { name: "dispense_water" }], model.name);
    const answered: Message[] = [
      ...OPENING,
      { role: "assistant", content: "", toolCalls },
      ...toolCalls.map(({ id, name }): Message => {
        return { role: "tool", toolCallId: id, name, content: '{"dispensed":20}' };
      }),
    ];
    t.match(await model.respond(answered, TOOLS, never), { text: "Watered.", toolCalls: [] }, model.name);
  }
  t.equal(mock.getRequests().length, 4);
});

t.test("thinking and counts are kept where the protocol has them", async (t) => {
  const { mock, models } = await mocked(t);
  const usage = { prompt_tokens: 82, completion_tokens: 17 };
  mock.on({}, { content: "Well.", reasoning: "Moist.", usage });
  const [, openai] = models;
  t.match(await openai?.respond(OPENING, TOOLS, never), {
    thinking: "Moist.",
    usage: { input: 82, output: 17 },
  });
});

t.test("errors of either protocol are told in the server's own words", async (t) => {
  const { mock, models } = await mocked(t);
  for (const model of models) {
    for (const status of [400, 401, 404, 429, 500, 503]) {
      mock.nextRequestError(status, { message: "Mind the gap." });
      const refused = model.respond(OPENING, TOOLS, never);
      const message = status === 401 ? /401|refuses the key/ : /Mind the gap\./;
      await t.rejects(refused, { name: "ModelError", message }, `${model.name} ${status}`);
    }
  }
});

t.test("an answer that is broken off or no JSON is no reply", async (t) => {
  const { mock, models } = await mocked(t);
  mock.on({}, { content: "Well." });
  for (const chaos of [{ disconnectRate: 1 }, { malformedRate: 1 }]) {
    mock.setChaos(chaos);
    for (const model of models)
      await t.rejects(
        model.respond(OPENING, TOOLS, never),
        { name: "ModelError", message: /broke off or is not JSON/ },
        `${model.name} ${JSON.stringify(chaos)}`,
      );
  }
});

import t, { type Test } from "tap";
import { createModel } from "../../../agent-client/models/index.js";
import type { AskOptions, Message, Reply } from "../../../agent-client/models/model.js";
import { limitNames } from "../../../agent-client/models/openai.js";
import { CALLED, never, OPENING, PHOTOGRAPHED, SENT_TOOLS, TOOLS, UNSEEN } from "./conversations.js";
import { completes, fails, fakeOpenAi, KEY, OPENAI } from "./fake-openai.js";
import { type Answering, inOrder, type Json } from "./fake-server.js";
import { modelContract } from "./model-contract.js";

modelContract(t, OPENAI);

/** One reply of gpt to a conversation, and what the server was asked. */
async function ask(t: Test, script: Answering, conversation: readonly Message[] = OPENING) {
  const { server, url } = fakeOpenAi(t, script);
  const model = createModel("openai:gpt", { OPENAI_BASE_URL: await url, OPENAI_API_KEY: KEY });
  return { reply: await model.respond(conversation, TOOLS, never), asked: server.asked, model };
}

t.test("a conversation goes out whole, in OpenAI's words, with the tools as they are listed", async (t) => {
  const { asked } = await ask(t, completes({}), CALLED);
  const call = (id: string, name: string, args: string) => ({
    id,
    type: "function",
    function: { name, arguments: args },
  });
  t.strictSame(asked, [
    {
      model: "gpt",
      messages: [
        { role: "system", content: "Care." },
        { role: "user", content: "It is time." },
        {
          role: "assistant",
          content: "Let me see.",
          tool_calls: [
            call("call-1", "read_moisture", "{}"),
            call("call-2", "dispense_water", '{"ml":20}'),
            call("call-3", "dispense_water", "{}"),
          ],
        },
        { role: "tool", content: '{"percent":40}', tool_call_id: "call-1" },
        { role: "tool", content: '{"dispensed":20}', tool_call_id: "call-2" },
        { role: "tool", content: '{"error":{}}', tool_call_id: "call-3" },
      ],
      tools: SENT_TOOLS,
      temperature: 0,
      seed: 1,
      max_tokens: 4000,
    },
  ]);
});

t.test("a reply comes back with its text, its thinking, its calls and its tokens", async (t) => {
  const usage = { input: 82, output: 17 };
  const table: [string, Answering, Reply][] = [
    [
      "parallel calls; arguments are passed on as they are, broken or not",
      completes({
        calls: [
          { id: "call_a", name: "read_moisture", arguments: "{}" },
          { name: "dispense_water", arguments: '{"ml":' },
          { name: "dispense_water", arguments: { ml: 20 } },
        ],
      }),
      {
        usage,
        toolCalls: [
          { id: "call_a", name: "read_moisture", arguments: "{}" },
          { id: "call-2", name: "dispense_water", arguments: '{"ml":' },
          { id: "call-3", name: "dispense_water", arguments: { ml: 20 } },
        ],
      },
    ],
    [
      "llama.cpp's thinking",
      completes({ content: "Yes.", more: { reasoning_content: "Dry." }, usage: null }),
      { text: "Yes.", thinking: "Dry.", toolCalls: [] },
    ],
    [
      "Ollama's thinking",
      completes({ content: "Yes.", more: { reasoning: "Dry." }, usage: null }),
      { text: "Yes.", thinking: "Dry.", toolCalls: [] },
    ],
    ["a refusal", completes({ more: { refusal: "No." } }), { text: "No.", usage, toolCalls: [] }],
  ];
  for (const [title, script, reply] of table) t.strictSame((await ask(t, script)).reply, reply, title);
});

t.test("a model that reasons is asked without temperature and seed once it has refused them", async (t) => {
  const refuses = (param: string, code: string) => fails(400, `Unsupported: '${param}'`, { param, code });
  const script = inOrder(
    refuses("temperature", "unsupported_value"),
    refuses("seed", "unsupported_parameter"),
    completes({ content: "Well." }),
    completes({ content: "Still well." }),
  );
  const { reply, model, asked } = await ask(t, script);
  t.equal(reply.text, "Well.");
  t.equal((await model.respond(OPENING, TOOLS, never)).text, "Still well.");
  t.strictSame(
    asked.map((body) => [body.temperature, body.seed]),
    [
      [0, 1],
      [undefined, 1],
      [undefined, undefined],
      [undefined, undefined],
    ],
  );
});

t.test("what goes wrong is said in words a person can act on, and asked no second time", async (t) => {
  const table: [string, Answering, RegExp][] = [
    [
      "no such model",
      fails(404, "The model `gpt` does not exist or you do not have access to it."),
      /^http:\/\/127\.0\.0\.1:\d+\/v1 has no model "gpt": check the name, and OPENAI_BASE_URL \(The model/,
    ],
    ["a model without tools", fails(400, "gpt does not support tools"), /^gpt cannot call tools: take one/],
    [
      "a filter that held back the reply",
      completes({ content: "The", reason: "content_filter" }),
      /^http:\S+ ended openai:gpt's reply by a filter: if it comes often, take another model$/,
    ],
    [
      "no credit",
      fails(429, "You exceeded your current quota.", { code: "insufficient_quota" }),
      /takes no more for now: look at your limits and credit there \(You exceeded your current quota\.\)$/,
    ],
    [
      "a temperature that is refused for good",
      fails(400, "temperature?", { param: "temperature", code: "invalid_value" }),
      /answered 400: temperature\?$/,
    ],
    [
      "a proxy's page",
      () => ({ type: "text/plain", body: "<!DOCTYPE html><p>the request timed out, sk-1" }),
      /^http:\S+\/v1\/chat\/completions answered with a web page \(<!DOCTYPE.*\): check OPENAI_BASE_URL/,
    ],
    [
      "too much asked at once",
      () => ({ status: 429, headers: { "retry-after": "20" }, body: { error: { message: "Slow down." } } }),
      /takes no more for now: look at your limits and credit there \(Slow down\.\)$/,
    ],
    [
      "no choice",
      () => ({ body: { choices: [] } }),
      /does not answer with a reply in the form of its API: check OPENAI_BASE_URL/,
    ],
  ];
  for (const [title, script, message] of table)
    await t.rejects(ask(t, inOrder(script)), { name: "ModelError", message }, title);
});

t.test("a picture goes to a model that is said to see, after all answers; else it is told of", async (t) => {
  for (const sees of [true, false]) {
    const { server, url } = fakeOpenAi(t, completes({ content: "Green." }));
    const env = { OPENAI_BASE_URL: await url, OPENAI_API_KEY: KEY };
    await createModel("openai:gpt", env, sees ? { sees } : {}).respond(PHOTOGRAPHED, TOOLS, never);
    const [, , , photo, , ...after] = (server.asked[0] as { messages: Json[] }).messages;
    const image_url = { url: "data:image/jpeg;base64,/9j/4AAQ" };
    const parts = [
      { type: "text", text: "The picture of capture_photo:" },
      { type: "image_url", image_url },
    ];
    t.strictSame(after, sees ? [{ role: "user", content: parts }] : []);
    t.match(photo, { role: "tool", content: sees ? '{"dark":false}' : UNSEEN });
  }
});

/** Asks the same model several times. */
async function openai(t: Test, script: Answering) {
  const { server, url } = fakeOpenAi(t, script);
  const model = createModel("openai:gpt", { OPENAI_BASE_URL: await url, OPENAI_API_KEY: KEY });
  return {
    ask: (options?: AskOptions) => model.respond(OPENING, TOOLS, never, options),
    asked: server.asked,
  };
}

t.test("a cut reply without a count of tokens was cut off at our limit", async (t) => {
  const { ask } = await openai(t, completes({ cut: true, usage: null }));
  await t.rejects(ask(), { kind: "cycle", message: /at the limit of 4000 tokens/ });
});

t.test("a schema goes out as a strict response format", async (t) => {
  const { ask, asked } = await openai(t, completes({ content: "{}" }));
  const schema = { type: "object" };
  await ask({ schema });
  const json_schema = { name: "answer", schema, strict: true };
  t.strictSame(asked[0]?.response_format, { type: "json_schema", json_schema });
});

t.test(
  "a server that knows the limit by its other name is asked with that, now and from now on",
  async (t) => {
    const refusals: [string, Answering][] = [
      [
        "OpenAI's own",
        fails(
          400,
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          {
            param: "max_tokens",
            code: "unsupported_parameter",
          },
        ),
      ],
      ["Anthropic's", fails(400, "`max_tokens` is deprecated for this model.")],
      [
        "FastAPI's",
        () => ({
          status: 422,
          body: {
            detail: [
              { type: "extra_forbidden", loc: ["body", "max_tokens"], msg: "Extra inputs are not permitted" },
            ],
          },
        }),
      ],
    ];
    for (const [title, refusal] of refusals) {
      const script = inOrder(refusal, completes({ content: "Well." }), completes({ content: "Still." }));
      const { ask, asked } = await openai(t, script);
      t.match(await ask(), { text: "Well." }, title);
      t.match(await ask(), { text: "Still." }, title);
      const limits = asked.map((body) => [body.max_tokens, body.max_completion_tokens]);
      t.strictSame(
        limits,
        [
          [4000, undefined],
          [undefined, 4000],
          [undefined, 4000],
        ],
        title,
      );
    }
  },
);

t.test("OpenAI itself is asked by the newer name first, all others by the older", (t) => {
  t.equal(limitNames(true)[0], "max_completion_tokens");
  t.equal(limitNames(false)[0], "max_tokens");
  t.end();
});

t.test("a limit that is too large is no unsupported one: the refusal is told", async (t) => {
  const { ask, asked } = await openai(
    t,
    fails(400, "max_tokens is too large: 4000. This model supports at most 2048"),
  );
  await t.rejects(ask(), { kind: "person", message: /max_tokens is too large/ });
  t.equal(asked.length, 1);
});

t.test("a server that knows neither limit is asked without", async (t) => {
  const refuses = (name: string) => fails(400, `unknown field "${name}"`);
  const { ask, asked } = await openai(
    t,
    inOrder(refuses("max_tokens"), refuses("max_completion_tokens"), completes({})),
  );
  await ask();
  t.notMatch(Object.keys(asked[2] ?? {}).join(), /max_/);
});

t.test("an address without a version that has no model is told to lack one", async (t) => {
  const { url } = fakeOpenAi(t, completes({}));
  const given = (await url).replace(/\/v1$/, "");
  const model = createModel("openai:gpt", { OPENAI_BASE_URL: given, OPENAI_API_KEY: KEY });
  await t.rejects(model.respond(OPENING, TOOLS, never), {
    kind: "person",
    message: /check the name, and OPENAI_BASE_URL, which has no version such as \/v1 \(404 page not found\)$/,
  });
});

t.test("a reply that a filter held back may come by another seed, and its tokens count", async (t) => {
  const { ask } = await openai(t, completes({ content: "The", reason: "content_filter" }));
  await t.rejects(ask(), { name: "ModelError", kind: "garbled", usage: { input: 82, output: 17 } });
});

t.test("an address without http is refused", (t) => {
  const env = { OPENAI_BASE_URL: "localhost:8080/v1" };
  t.throws(() => createModel("openai:x", env), { message: /^OPENAI_BASE_URL is not an address/ });
  t.end();
});

import t, { type Test } from "tap";
import { createModel } from "../../../agent-client/models/index.js";
import type { Message, Reply } from "../../../agent-client/models/model.js";
import { CALLED, never, OPENING, PHOTOGRAPHED, SENT_TOOLS, TOOLS, UNSEEN } from "./conversations.js";
import { completes, fails, fakeOpenAi, KEY } from "./fake-openai.js";
import { type Answering, inOrder, type Json } from "./fake-server.js";

/** One reply of gpt to a conversation, and what the server was asked. */
async function ask(t: Test, script: Answering, conversation: readonly Message[] = OPENING, key = KEY) {
  const { server, url } = fakeOpenAi(t, script);
  const model = createModel("openai:gpt", { OPENAI_BASE_URL: await url, OPENAI_API_KEY: key });
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
    ["text alone", completes({ content: "All is well." }), { text: "All is well.", usage, toolCalls: [] }],
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
      "no credit",
      fails(429, "You exceeded your current quota.", { code: "insufficient_quota" }),
      /takes no more for now: look at your limits and credit there \(You exceeded your current quota\.\)$/,
    ],
    ["a server in trouble", fails(500, "The server had an error"), /answered 500: The server had an error$/],
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
    ["JSON that ends early", () => ({ body: '{"choices": [' }), /broke off or is not JSON/],
    ["a line cut", () => ({ body: '{"choices": [', cut: true }), /broke off or is not JSON/],
    ["a line reset", () => ({ body: '{"choices": [', cut: "reset" }), /broke off or is not JSON/],
    ["a server that is starting", fails(503, "Loading model"), /answered 503: Loading model$/],
    [
      "too much asked at once",
      () => ({ status: 429, headers: { "retry-after": "20" }, body: { error: { message: "Slow down." } } }),
      /takes no more for now: look at your limits and credit there \(Slow down\.\)$/,
    ],
    [
      "a proxy's page with a status",
      () => ({ status: 502, type: "text/html", body: "<h1>Bad Gateway</h1>" }),
      /answered 502: /,
    ],
    ["no choice", () => ({ body: { choices: [] } }), /does not answer with a chat completion: check/],
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

t.test("a server that is away is told apart from one that fails", async (t) => {
  const { server, url } = fakeOpenAi(t, completes({}));
  const model = createModel("openai:gpt", { OPENAI_BASE_URL: await url });
  await server.close();
  const message = /\/v1 cannot be reached \(ECONNREFUSED\): check OPENAI_BASE_URL and the network$/;
  await t.rejects(model.respond(OPENING, TOOLS, never), { name: "ModelError", message });
});

t.test("a wrong key is named as such, and no message or property holds it", async (t) => {
  const wrong = "sk-wrong-key-9876";
  const refused = /refuses the key: set OPENAI_API_KEY to one that is valid there$/;
  const errors = [
    await ask(t, completes({}), OPENING, wrong).catch((error: Error) => error),
    await ask(t, fails(500, `cannot use Bearer ${KEY}, sorry`)).catch((error: Error) => error),
  ] as Error[];
  t.match(errors, [{ message: refused }, { message: /cannot use Bearer \[key\], sorry$/ }]);
  for (const error of errors) {
    const everything = JSON.stringify(error, Object.getOwnPropertyNames(error));
    t.notOk(everything.includes(wrong) || everything.includes(KEY), everything);
  }
});

t.test("a stop gives up a request that hangs, with the signal's own reason", async (t) => {
  const stop = new AbortController();
  const { server, url } = fakeOpenAi(t, () => {
    stop.abort(new Error("stopped by the person"));
    return "silence";
  });
  const hungUp = server.hungUp();
  const model = createModel("openai:gpt", { OPENAI_BASE_URL: await url, OPENAI_API_KEY: KEY });
  await t.rejects(model.respond(OPENING, TOOLS, stop.signal), { message: "stopped by the person" });
  await hungUp;
  t.equal(server.asked.length, 1);
});

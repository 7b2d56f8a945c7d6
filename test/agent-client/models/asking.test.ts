import t, { type Test } from "tap";
import { createModel } from "../../../agent-client/models/index.js";
import type { AskOptions, Traits } from "../../../agent-client/models/model.js";
import { limitNames } from "../../../agent-client/models/openai.js";
import { never, OPENING, TOOLS } from "./conversations.js";
import { fakeOllama, messagesIn, fails as ollamaFails, says, shows } from "./fake-ollama.js";
import { completes, fails, fakeOpenAi, KEY } from "./fake-openai.js";
import { type Answering, inOrder, type Json } from "./fake-server.js";
import { recorded } from "./recorded.js";

const SCHEMA = {
  type: "object",
  properties: { water: { type: "boolean" } },
  required: ["water"],
  additionalProperties: false,
};
const WANTED =
  /^It is time\.\n\nAnswer with one JSON text of this schema, and with nothing else: \{"type":"object"/;
const HELD = { type: "json_schema", json_schema: { name: "answer", schema: SCHEMA, strict: true } };

async function openai(t: Test, script: Answering, traits: Traits = {}) {
  const { server, url } = fakeOpenAi(t, script);
  const model = createModel("openai:gpt", { OPENAI_BASE_URL: await url, OPENAI_API_KEY: KEY }, traits);
  const ask = (options?: AskOptions) => model.respond(OPENING, TOOLS, never, options);
  return { ask, asked: server.asked, model };
}

async function ollama(
  t: Test,
  script: Answering,
  { tells = false, ...traits }: Traits & { tells?: boolean } = {},
) {
  const { server, url } = fakeOllama(t, script, { tells });
  const model = createModel("ollama:qwen3", { OLLAMA_HOST: await url }, traits);
  const ask = (options?: AskOptions) => model.respond(OPENING, TOOLS, never, options);
  return { ask, server, model };
}

t.test("a reply has a limit of tokens, 4000 or what the person says", async (t) => {
  const hosted = await openai(t, completes({}), { replyTokens: 900 });
  await hosted.ask();
  t.match(hosted.asked[0], { max_tokens: 900 });
  const { ask, server } = await ollama(t, says({}), { replyTokens: 900 });
  await ask();
  t.match(server.asked[0]?.options, { num_predict: 900 });
});

t.test("a reply that the limit cuts off has failed, and the limit and its key are named", async (t) => {
  const message = /'s reply was cut off at the limit of 17 tokens: .* or set reply_tokens in the agent's/;
  const cut = { name: "ModelError", kind: "cycle", message };
  const replyTokens = 17;
  await t.rejects(
    (await openai(t, completes({ content: "The", finish_reason: "length" }), { replyTokens })).ask(),
    cut,
  );
  const lasting = says({ content: "The", done_reason: "length" });
  await t.rejects((await ollama(t, lasting, { replyTokens })).ask(), cut);
  const before = (await openai(t, completes({ content: "The", finish_reason: "length" }))).ask();
  await t.rejects(before, {
    kind: "cycle",
    message: /after 17 tokens, less than our limit of 4000: its context is full/,
  });
  const uncounted = (await openai(t, completes({ finish_reason: "length", usage: null }))).ask();
  await t.rejects(uncounted, { kind: "cycle", message: /at the limit of 4000 tokens/ });
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
  t.equal(limitNames("https://api.openai.com/v1")[0], "max_completion_tokens");
  t.equal(limitNames("http://127.0.0.1:8080/v1")[0], "max_tokens");
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

t.test("another seed can be asked for, and the usual one stays", async (t) => {
  const { ask, asked } = await openai(t, completes({}));
  for (const options of [{ seed: 7 }, undefined]) await ask(options);
  t.strictSame(
    asked.map(({ seed }) => seed),
    [7, 1],
  );
  const local = await ollama(t, says({}));
  for (const options of [{ seed: 7 }, undefined]) await local.ask(options);
  t.match(
    local.server.asked.map((body) => body.options),
    [{ seed: 7 }, { seed: 1 }],
  );
});

t.test("an answer by a schema is held to it, and no tool is offered", async (t) => {
  const { ask, asked } = await openai(t, completes({ content: '{"water": true}' }));
  t.match(await ask({ schema: SCHEMA }), { text: '{"water": true}', toolCalls: [] });
  t.strictSame(asked[0]?.response_format, HELD);
  t.notOk("tools" in (asked[0] ?? {}));

  const { ask: askLocal, server } = await ollama(t, says({ content: '{"water": true}' }));
  t.match(await askLocal({ schema: SCHEMA }), { text: '{"water": true}' });
  t.strictSame(server.asked.at(-1)?.format, SCHEMA);
  t.notOk("tools" in (server.asked.at(-1) ?? {}) || "think" in (server.asked.at(-1) ?? {}));
});

t.test("a server that holds no answer to a schema is asked for it in words, from then on", async (t) => {
  const refusals: Answering[] = [
    fails(400, "This response_format type is unavailable now"),
    fails(422, "Input should be 'text' or 'json_object'", { param: "response_format.type" }),
    fails(400, "failed to parse grammar"),
  ];
  for (const refusal of refusals) {
    const script = inOrder(
      refusal,
      completes({ content: "{}" }),
      completes({ content: "{}" }),
      completes({}),
    );
    const { ask, asked } = await openai(t, script);
    for (const schema of [SCHEMA, SCHEMA]) t.match(await ask({ schema }), { text: "{}" });
    t.strictSame(
      asked.map((body) => "response_format" in body),
      [true, false, false],
    );
    for (const body of asked.slice(1)) {
      const [system, user] = body.messages as [Json, Json];
      t.match([system, user], [{ content: "Care." }, { role: "user", content: WANTED }]);
    }
    await ask();
    t.match(
      (asked[3] as { messages: Json[] }).messages[1],
      { content: /^It is time\.$/ },
      "without a schema nothing is added",
    );
  }
  const old = ollamaFails(
    400,
    "json: cannot unmarshal object into Go struct field ChatRequest.format of type string",
  );
  const { ask, server } = await ollama(t, inOrder(old, says({ content: "{}" }), says({ content: "{}" })));
  for (const schema of [SCHEMA, SCHEMA]) t.match(await ask({ schema }), { text: "{}" });
  t.match(messagesIn(server.asked.at(-1) as Json)[1], { content: WANTED });
  t.equal(server.asked.filter((body) => "format" in body).length, 1);
});

t.test(
  "a model in Ollama that calls no tools can answer by a schema, and thinks only where none is given",
  async (t) => {
    const script = inOrder(shows(["completion", "thinking"]), says({ content: "{}" }));
    const { ask, server } = await ollama(t, script, { tells: true });
    t.match(await ask({ schema: SCHEMA }), { text: "{}" });
    t.strictSame(server.asked[1]?.think, false);
    await t.rejects(
      ask(),
      { kind: "person", message: /qwen3 cannot call tools/ },
      "but tools it cannot have",
    );
    const able = await ollama(t, inOrder(shows(["tools", "thinking"]), says({})), { tells: true });
    await able.ask();
    t.notOk("think" in (able.server.asked[1] ?? {}));
  },
);

t.test("Ollama tells which weights a name stands for, by their digest", async (t) => {
  const models = [
    { name: "qwen3:4b", digest: "aaa" },
    { name: "Qwen3:latest", digest: "bbb" },
  ];
  const { model } = await ollama(t, () => ({ body: { models } }));
  t.equal(await model.identity?.(never), "bbb");
  for (const body of [{ models: [] }, { hello: "world" }])
    t.equal(await (await ollama(t, () => ({ body }))).model.identity?.(never), undefined);
});

/** The identity that a list of models gives. */
const identityBy = async (t: Test, answer: Answering, name = "small") => {
  const { url } = fakeOpenAi(t, answer);
  return createModel(`openai:${name}`, { OPENAI_BASE_URL: await url, OPENAI_API_KEY: KEY }).identity?.(never);
};

/** The first entry of a recorded list, changed. */
const changed =
  (name: string, change: Json): Answering =>
  (...asked) => {
    const said = recorded(name)(...asked);
    if (said === "silence") return said;
    const [entry, ...more] = (said.body as { data: Json[] }).data;
    return { body: { data: [{ ...entry, ...change }, ...more] } };
  };

t.test("a server's list tells of other weights under the same name, and not when it was asked", async (t) => {
  const llama = await identityBy(t, recorded("llama-cpp-models"));
  const vllm = await identityBy(t, recorded("vllm-models"));
  t.match(llama, /^sha256:[0-9a-f]{64}$/);
  t.match(vllm, /^sha256:[0-9a-f]{64}$/);
  const meta = { vocab_type: 2, n_vocab: 151936, n_ctx_train: 32768, n_embd: 896, n_params: 494032768 };
  const size = 484957696;
  const same: [string, Json][] = [
    ["llama-cpp-models", { created: 1, meta: { size, ...meta, n_ctx: 4096 }, status: { value: "loaded" } }],
    ["vllm-models", { created: 1, permission: [{ id: "modelperm-7" }], max_model_len: 9 }],
  ];
  for (const [name, change] of same)
    t.equal(await identityBy(t, changed(name, change)), name === "vllm-models" ? vllm : llama, name);
  t.not(await identityBy(t, changed("llama-cpp-models", { meta: { ...meta, size: 1 } })), llama);
  t.not(await identityBy(t, changed("vllm-models", { root: "/another" })), vllm);
  t.not(await identityBy(t, recorded("vllm-models"), "lora"), vllm);
});

t.test(
  "where a list tells no more than names there is no identity; a server that is busy is one that is away",
  async (t) => {
    const names = [{ id: "small", object: "model", created: 1, owned_by: "organization-owner" }, { id: "b" }];
    const table: Answering[] = [
      () => ({ body: { data: names } }),
      () => ({
        body: {
          data: [
            { id: "a", root: "x" },
            { id: "b", root: "y" },
          ],
        },
      }),
      () => ({ body: "[]" }),
      () => ({ status: 404, body: "404 page not found" }),
      () => ({ type: "text/html", body: "<html>" }),
    ];
    for (const answer of table) t.equal(await identityBy(t, answer), undefined);
    const loading: Answering = () => ({ status: 503, body: { error: { message: "Loading model" } } });
    await t.rejects(Promise.resolve(identityBy(t, loading)), { name: "ModelError", kind: "away" });
  },
);

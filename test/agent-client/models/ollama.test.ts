import t, { type Test } from "tap";
import { createModel } from "../../../agent-client/models/index.js";
import type { Message, Reply } from "../../../agent-client/models/model.js";
import { CALLED, never, OPENING, PHOTOGRAPHED, SENT_TOOLS, TOOLS, UNSEEN } from "./conversations.js";
import { fails, fakeOllama, messagesIn, OLLAMA, says, shows } from "./fake-ollama.js";
import { type Answering, inOrder, type Json } from "./fake-server.js";
import { modelContract } from "./model-contract.js";

modelContract(t, OLLAMA);

/** One reply of qwen3 to a conversation, and what the server was asked. */
async function ask(t: Test, script: Answering, conversation: readonly Message[] = OPENING) {
  const { server, url } = fakeOllama(t, script);
  const model = createModel("ollama:qwen3", { OLLAMA_HOST: await url });
  return { reply: await model.respond(conversation, TOOLS, never), asked: server.asked };
}

t.test("a conversation goes out whole, in Ollama's words, with the tools as they are listed", async (t) => {
  const { asked } = await ask(t, says({}), CALLED);
  t.strictSame(asked, [
    {
      model: "qwen3",
      messages: [
        { role: "system", content: "Care." },
        { role: "user", content: "It is time." },
        {
          role: "assistant",
          content: "Let me see.",
          tool_calls: [
            { function: { name: "read_moisture", arguments: {} } },
            { function: { name: "dispense_water", arguments: { ml: 20 } } },
            { function: { name: "dispense_water", arguments: {} } },
          ],
        },
        { role: "tool", content: '{"percent":40}', tool_name: "read_moisture" },
        { role: "tool", content: '{"dispensed":20}', tool_name: "dispense_water" },
        { role: "tool", content: '{"error":{}}', tool_name: "dispense_water" },
      ],
      tools: SENT_TOOLS,
      stream: false,
      truncate: false,
      shift: false,
      options: { temperature: 0, seed: 1, num_ctx: 16_384, num_predict: 4000 },
    },
  ]);
});

t.test("a reply may lack what the API does not require", async (t) => {
  const odd = [{ function: { arguments: {} } }, { function: { name: "read_moisture" } }];
  const table: [Json, Reply][] = [
    [
      { content: "", tool_calls: odd },
      {
        toolCalls: [
          { id: "call-1", name: "call_without_a_name", arguments: {} },
          { id: "call-2", name: "read_moisture", arguments: undefined },
        ],
      },
    ],
    [{ role: "assistant", content: "", tool_calls: null }, { toolCalls: [] }],
  ];
  for (const [message, reply] of table)
    t.strictSame((await ask(t, () => ({ body: { message } }))).reply, reply);
});

t.test("what goes wrong is said in words a person can act on", async (t) => {
  const table: [string, Answering, RegExp][] = [
    [
      "no such model",
      fails(404, "model 'qwen3' not found"),
      /^Ollama at http:\/\/127\.0\.0\.1:\d+ has no model "qwen3": fetch it with `ollama pull qwen3`$/,
    ],
    [
      "a model without tools",
      fails(400, "registry.ollama.ai/library/qwen3:latest does not support tools"),
      /^qwen3 cannot call tools; llama3\.2, qwen3 and mistral can$/,
    ],
    [
      "a conversation that does not fit",
      fails(
        400,
        '{"error":{"message":"request (20000 tokens) exceeds the available context size (16384 tokens)"}}',
      ),
      /^the conversation outgrew qwen3's 16384 tokens: give fewer rounds with --max-rounds$/,
    ],
    [
      "a server in trouble",
      fails(500, "model requires more system memory (5.5 GiB) than is available (3.1 GiB)"),
      /^Ollama at \S+ answered 500: model requires more system memory \(5\.5 GiB\) than is available/,
    ],
    ["a key that a proxy wants", fails(401, "unauthorized"), /^Ollama at \S+ answered 401: unauthorized$/],
    [
      "too much asked at once",
      fails(429, "too many requests"),
      /^Ollama at \S+ answered 429: too many requests/,
    ],
    [
      "an error as OpenAI words it",
      () => ({ status: 500, body: { error: { message: "out of memory", type: "server_error" } } }),
      /answered 500: out of memory$/,
    ],
    [
      "a page that says all is well",
      () => ({ type: "text/html", body: "<h1>Hello</h1>" }),
      /^http:\S+\/api\/chat answered with a web page \(<h1>Hello<\/h1>\): .*set OLLAMA_HOST/,
    ],
    [
      "something else that answers",
      () => ({ body: { hello: "world" } }),
      /^Ollama at \S+ does not answer with a reply in the form of its API: start it with .*OLLAMA_HOST/,
    ],
  ];
  for (const [title, script, message] of table)
    await t.rejects(ask(t, script), { name: "ModelError", message }, title);
});

t.test("an Ollama that does not run is to be started", async (t) => {
  const { server, url } = fakeOllama(t, says({}));
  const model = createModel("ollama:qwen3", { OLLAMA_HOST: await url });
  await server.close();
  const message =
    /^Ollama at http:\S+ cannot be reached \(ECONNREFUSED\): start it with `ollama serve`, or set/;
  await t.rejects(model.respond(OPENING, TOOLS, never), { name: "ModelError", message });
});

t.test(
  "a picture goes to a model that Ollama says can see, after the answers; it is asked once",
  async (t) => {
    const { server, url } = fakeOllama(
      t,
      inOrder(shows(["completion", "vision", "tools"]), says({ content: "Green." }), says({})),
      { tells: true },
    );
    const model = createModel("ollama:llava", { OLLAMA_HOST: await url });
    t.match(await model.respond(PHOTOGRAPHED, TOOLS, never), { text: "Green." });
    await model.respond(PHOTOGRAPHED, TOOLS, never);
    t.match(server.paths, ["/api/show", "/api/chat", "/api/chat"]);
    t.strictSame(messagesIn(server.asked[1] as Json).slice(3), [
      { role: "tool", content: '{"dark":false}', tool_name: "capture_photo" },
      { role: "tool", content: '{"percent":40}', tool_name: "read_moisture" },
      { role: "user", content: "The picture of capture_photo:", images: ["/9j/4AAQ"] },
    ]);
  },
);

t.test(
  "a model that does not see is told that there was a picture; --vision spares the question",
  async (t) => {
    for (const [capabilities, traits, paths] of [
      [["completion", "tools"], {}, ["/api/show", "/api/chat"]],
      [undefined, {}, ["/api/show", "/api/chat"]],
      [undefined, { sees: false }, ["/api/chat"]],
    ] as const) {
      const answers = paths.map((path) => (path === "/api/show" ? shows(capabilities) : says({})));
      const { server, url } = fakeOllama(t, inOrder(...answers), { tells: true });
      await createModel("ollama:q", { OLLAMA_HOST: await url }, traits).respond(PHOTOGRAPHED, TOOLS, never);
      t.strictSame(server.paths, paths);
      t.match(messagesIn(server.asked.at(-1) as Json)[3], { role: "tool", content: UNSEEN });
      t.notMatch(JSON.stringify(server.asked), "/9j/4AAQ");
    }
  },
);

t.test(
  "a model that Ollama says calls no tools is not asked, at any time; the person has to act",
  async (t) => {
    const { server, url } = fakeOllama(t, shows(["completion"]), { tells: true });
    const model = createModel("ollama:gemma", { OLLAMA_HOST: await url });
    const message = /^gemma cannot call tools; llama3\.2, qwen3 and mistral can$/;
    for (let cycle = 0; cycle < 2; cycle += 1)
      await t.rejects(model.respond(OPENING, TOOLS, never), { name: "ModelError", kind: "person", message });
    t.strictSame(
      server.paths,
      ["/api/show", "/api/show"],
      "and it is asked anew: another may have that name",
    );
  },
);

t.test(
  "a server that does not tell what a model can do is believed nothing, and the model is tried",
  async (t) => {
    for (const told of [shows(undefined), fails(404, "404 page not found"), fails(500, "no")]) {
      const { server, url } = fakeOllama(t, inOrder(told, says({ content: "Here." })), { tells: true });
      const model = createModel("ollama:q", { OLLAMA_HOST: await url });
      t.match(await model.respond(OPENING, TOOLS, never), { text: "Here." });
      t.strictSame(server.paths, ["/api/show", "/api/chat"]);
    }
  },
);

t.test("a model that can call tools is asked for once, however many cycles follow", async (t) => {
  const { server, url } = fakeOllama(t, inOrder(shows(["tools"]), says({}), says({})), { tells: true });
  const model = createModel("ollama:q", { OLLAMA_HOST: await url });
  for (let cycle = 0; cycle < 2; cycle += 1) await model.respond(OPENING, TOOLS, never);
  t.strictSame(server.paths, ["/api/show", "/api/chat", "/api/chat"]);
});

t.test("OLLAMA_HOST is read as Ollama itself reads it", async (t) => {
  const { server, url } = fakeOllama(t, says({ content: "Here." }));
  const { port } = new URL(await url);
  for (const OLLAMA_HOST of [`:${port}`, `127.0.0.1:${port}`, ` http://127.0.0.1:${port}/ `])
    t.match(await createModel("ollama:a", { OLLAMA_HOST }).respond(OPENING, TOOLS, never), { text: "Here." });
  t.equal(server.asked.length, 3);
  t.throws(() => createModel("ollama:a", { OLLAMA_HOST: "h:99999" }), {
    message: /^OLLAMA_HOST is not an address/,
  });
});

t.test(
  "a model that calls no tools can answer by a schema, and thinks only where none is given",
  async (t) => {
    const schema = { type: "object" };
    const askThinking = async (abilities: readonly string[]) => {
      const script = inOrder(shows([...abilities, "thinking"]), says({ content: "{}" }));
      const { server, url } = fakeOllama(t, script, { tells: true });
      return { server, model: createModel("ollama:qwen3", { OLLAMA_HOST: await url }) };
    };
    const { server, model } = await askThinking(["completion"]);
    t.match(await model.respond(OPENING, TOOLS, never, { schema }), { text: "{}" });
    t.match(server.asked[1], { think: false, format: schema });
    const refused = { kind: "person", message: /qwen3 cannot call tools/ };
    await t.rejects(model.respond(OPENING, TOOLS, never), refused, "but tools it cannot have");
    const able = await askThinking(["tools"]);
    await able.model.respond(OPENING, TOOLS, never);
    t.notOk("think" in (able.server.asked[1] ?? {}));
    const unknown = fakeOllama(t, says({ content: "{}" }));
    await createModel("ollama:qwen3", { OLLAMA_HOST: await unknown.url }).respond(OPENING, TOOLS, never, {
      schema,
    });
    t.notOk("think" in (unknown.server.asked[0] ?? {}), "nor where the server does not tell");
  },
);

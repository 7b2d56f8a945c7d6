import t, { type Test } from "tap";
import { createModel } from "../../../agent-client/models/index.js";
import type { Message, Reply } from "../../../agent-client/models/model.js";
import { CALLED, never, OPENING, PHOTOGRAPHED, SENT_TOOLS, TOOLS, UNSEEN } from "./conversations.js";
import { fails, fakeOllama, messagesIn, says, shows } from "./fake-ollama.js";
import { type Answering, inOrder, type Json } from "./fake-server.js";

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

t.test("a reply comes back with its text, its thinking, its calls and its tokens", async (t) => {
  const table: [string, Answering, Reply][] = [
    [
      "text alone",
      says({ content: "All is well.", thinking: "Moist." }),
      { text: "All is well.", thinking: "Moist.", usage: { input: 122, output: 33 }, toolCalls: [] },
    ],
    [
      "parallel calls, with ids or without",
      says({
        calls: [
          { name: "read_moisture", arguments: {} },
          { name: "dispense_water", arguments: { ml: 20 }, id: "call_x1" },
          { name: "dispense_water", arguments: '{"ml":' },
        ],
      }),
      {
        usage: { input: 122, output: 33 },
        toolCalls: [
          { id: "call-1", name: "read_moisture", arguments: {} },
          { id: "call_x1", name: "dispense_water", arguments: { ml: 20 } },
          { id: "call-3", name: "dispense_water", arguments: '{"ml":' },
        ],
      },
    ],
    [
      "a call without a name, beside one that has one",
      () => ({
        body: {
          message: {
            content: "",
            tool_calls: [{ function: { arguments: {} } }, { function: { name: "read_moisture" } }],
          },
        },
      }),
      {
        toolCalls: [
          { id: "call-1", name: "call_without_a_name", arguments: {} },
          { id: "call-2", name: "read_moisture", arguments: undefined },
        ],
      },
    ],
    [
      "nothing but what must be there",
      () => ({ body: { message: { role: "assistant", content: "", tool_calls: null } } }),
      { toolCalls: [] },
    ],
  ];
  for (const [title, script, reply] of table) t.strictSame((await ask(t, script)).reply, reply, title);
});

t.test("ids are unique in the conversation, whatever the server sends", async (t) => {
  const call = { name: "read_moisture", arguments: {} };
  const script = says({
    calls: [{ ...call, id: "call-2" }, call, { ...call, id: "a" }, { ...call, id: "a" }],
  });
  for (let time = 0; time < 2; time += 1) {
    const { toolCalls } = (await ask(t, script, CALLED)).reply;
    t.strictSame(
      toolCalls.map(({ id }) => id),
      ["call-4", "call-5", "a", "call-7"],
      "and the same each time",
    );
  }
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
    [
      "a proxy's page",
      () => ({ status: 502, type: "text/html", body: `<h1>Bad\nGateway</h1>${"x".repeat(5000)}` }),
      /^Ollama at \S+ answered 502: <h1>Bad Gateway<\/h1>x{150,200}…$/,
    ],
    ["a key that a proxy wants", fails(401, "unauthorized"), /^Ollama at \S+ answered 401: unauthorized$/],
    [
      "too much asked at once",
      () => ({ status: 429, headers: { "retry-after": "7" }, body: { error: "too many requests" } }),
      /^Ollama at \S+ answered 429: too many requests/,
    ],
    ["a busy server", fails(503, "server busy, please try again."), /answered 503: server busy, please try/],
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
    ["JSON that ends early", () => ({ body: '{"message": {"role": "assis' }), /broke off or is not JSON/],
    [
      "a line cut",
      () => ({ body: '{"message": {"role"', cut: true }),
      /^Ollama at \S+ sent an answer that broke off or is not JSON: look at its log/,
    ],
    ["something else that answers", () => ({ body: { hello: "world" } }), /does not answer as Ollama does/],
    [
      "a reply cut off",
      says({ content: "The plant is", done_reason: "length" }),
      /cut ollama:qwen3's reply off after 33 tokens, less than our limit of 4000: its context is full, or/,
    ],
  ];
  const printed = t.capture(console, "log");
  for (const [title, script, message] of table)
    await t.rejects(ask(t, script), { name: "ModelError", message }, title);
  t.strictSame(printed(), [], "and the package prints nothing of its own");
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

t.test("an Ollama that does not run is told apart from one that fails", async (t) => {
  const { server, url } = fakeOllama(t, says({}));
  const model = createModel("ollama:qwen3", { OLLAMA_HOST: await url });
  await server.close();
  const message =
    /^Ollama at http:\S+ cannot be reached \(ECONNREFUSED\): start it with `ollama serve`, or set/;
  await t.rejects(model.respond(OPENING, TOOLS, never), { name: "ModelError", message });
});

t.test("OLLAMA_HOST is read as Ollama itself reads it", async (t) => {
  const { server, url } = fakeOllama(t, says({ content: "Here." }));
  const { port } = new URL(await url);
  for (const OLLAMA_HOST of [`:${port}`, `127.0.0.1:${port}`, ` http://127.0.0.1:${port}/ `])
    t.match(await createModel("ollama:a", { OLLAMA_HOST }).respond(OPENING, TOOLS, never), { text: "Here." });
  t.equal(server.asked.length, 3);
});

t.test("a stop gives up a request that hangs, with the signal's own reason", async (t) => {
  const stop = new AbortController();
  const { server, url } = fakeOllama(t, () => {
    stop.abort(new Error("stopped by the person"));
    return "silence";
  });
  const hungUp = server.hungUp();
  const model = createModel("ollama:qwen3", { OLLAMA_HOST: await url });
  await t.rejects(model.respond(OPENING, TOOLS, stop.signal), { message: "stopped by the person" });
  await hungUp;
  await t.rejects(model.respond(OPENING, TOOLS, stop.signal), { message: "stopped by the person" });
  t.equal(server.asked.length, 1, "a stopped agent asks nothing more");
});

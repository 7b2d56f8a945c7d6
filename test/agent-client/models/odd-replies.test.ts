import t, { type Test } from "tap";
import type { ToolInfo } from "../../../agent-client/link/tools.js";
import { createModel } from "../../../agent-client/models/index.js";
import type { Message, Reply } from "../../../agent-client/models/model.js";
import { CALLED, never, OPENING, TOOLS } from "./conversations.js";
import { says } from "./fake-ollama.js";
import { completes, fails } from "./fake-openai.js";
import { type Answering, FakeServer, type Json } from "./fake-server.js";
import { recorded } from "./recorded.js";

interface Asking {
  readonly conversation?: readonly Message[];
  readonly tools?: readonly ToolInfo[];
  readonly ollama?: boolean;
}

/** One reply of a model whose server answers so. */
async function reply(t: Test, answer: Answering, asking: Asking = {}): Promise<Reply> {
  const { conversation = OPENING, tools = TOOLS, ollama = false } = asking;
  const url = await new FakeServer(["/v1/chat/completions", "/api/chat"], answer).listen(t);
  const model = createModel(ollama ? "ollama:x" : "openai:x", {
    OPENAI_BASE_URL: `${url}/v1`,
    OLLAMA_HOST: url,
  });
  return model.respond(conversation, tools, never);
}

const [READ] = TOOLS as [ToolInfo];
const READS = { name: "read_moisture" };

t.test("one odd call does not lose the reply", async (t) => {
  const table: [string, Reply["toolCalls"]][] = [
    ["made-arguments-absent", [{ id: "1", ...READS, arguments: undefined }]],
    ["made-arguments-empty-text", [{ id: "1", ...READS, arguments: "" }]],
    ["made-id-number", [{ id: "7", ...READS, arguments: "{}" }]],
    [
      "made-name-null",
      [
        { id: "1", ...READS, arguments: "{}" },
        { id: "2", name: "call_without_a_name", arguments: "{}" },
      ],
    ],
    ["made-content-parts", [{ id: "1", ...READS, arguments: "{}" }]],
  ];
  for (const [name, toolCalls] of table)
    t.strictSame((await reply(t, recorded(name))).toolCalls, toolCalls, name);
});

t.test("a content in parts is one text, and its thoughts are the thinking", async (t) => {
  t.equal((await reply(t, recorded("made-content-parts"))).text, "Let me look.");
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "Dry." }] },
    { type: "text", text: "I will " },
    { type: "text", text: "water." },
    { type: "image_url" },
    7,
  ];
  const mistrals = completes({ more: { content } });
  t.match(await reply(t, mistrals), { text: "I will water.", thinking: "Dry." });
});

t.test("thoughts that a server leaves in the text are told to nobody", async (t) => {
  const table: [content: string, expected: Partial<Reply>][] = [
    ["<think>\nDry? 29 %.\n</think>\n\nIt is dry.", { text: "It is dry.", thinking: "Dry? 29 %." }],
    ["Dry? 29 %.\n</think>\nIt is dry.", { text: "It is dry.", thinking: "Dry? 29 %." }],
    ["<think>Let me see. I could call", { thinking: "Let me see. I could call" }],
    ["<think></think>It is dry.", { text: "It is dry." }],
    [
      "<|channel|>analysis<|message|>Dry?<|end|><|start|>assistant<|channel|>final<|message|>It is dry.",
      { text: "It is dry.", thinking: "Dry?" },
    ],
    ["A plant may <think>.", { text: "A plant may <think>." }],
  ];
  for (const [content, expected] of table)
    for (const ollama of [false, true]) {
      const said = ollama ? says({ content }) : completes({ content });
      const { text, thinking } = await reply(t, said, { ollama });
      t.equal(text, expected.text, content);
      if ("thinking" in expected) t.equal(thinking, expected.thinking, content);
    }
});

t.test("calls that are no list or no objects are answered as calls without a name", async (t) => {
  const calls = (tool_calls: unknown) => reply(t, completes({ more: { tool_calls } }));
  const nameless = [{ id: "call-1", name: "call_without_a_name" }];
  for (const odd of [{ type: "function" }, ["read_moisture"], [{ function: "read_moisture" }], [null]])
    t.match((await calls(odd)).toolCalls, nameless, JSON.stringify(odd));
  for (const none of [null, "", []]) t.strictSame((await calls(none)).toolCalls, [], JSON.stringify(none));
});

t.test("an error with status 200 is told in its own words, and by its code", async (t) => {
  const body = (error: unknown) => () => ({ body: { error } as Json });
  const table: [Answering, string, RegExp][] = [
    [recorded("made-error-200"), "away", /answered 502: Provider returned error: upstream overloaded$/],
    [
      body({ message: "slow down", code: "429" }),
      "away",
      /look at your limits and credit there \(slow down\)/,
    ],
    [body("no room"), "away", /answered 200: no room$/],
    [body({ message: "bad tools", code: 400 }), "person", /answered 400: bad tools$/],
    [
      () => ({ body: { choices: [{ finish_reason: "error", error: { code: 503, message: "gone" } }] } }),
      "away",
      /answered 503: gone$/,
    ],
  ];
  for (const [answer, kind, message] of table) await t.rejects(reply(t, answer), { kind, message });
});

t.test("a stream of events is named as one, whatever it calls itself", async (t) => {
  const body = 'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\ndata: [DONE]\n\n';
  for (const type of ["text/event-stream", "application/json"])
    await t.rejects(
      reply(t, () => ({ type, body })),
      {
        kind: "person",
        message: /sends a stream of events, although a whole answer was asked for: switch streaming off/,
      },
    );
});

t.test("a completion that calls itself plain text is read all the same", async (t) => {
  const plain: Answering = () => ({
    type: "text/plain",
    body: '{"choices": [{"message": {"content": "Hi"}}]}',
  });
  t.equal((await reply(t, plain)).text, "Hi");
});

t.test("recorded refusals have the kind that helps, and their own words", async (t) => {
  const table: [string, string, RegExp][] = [
    ["llama-cpp-400-context", "cycle", /does not fit x's context \(request \(6685 tokens\) exceeds/],
    ["llama-cpp-500-unparsed", "garbled", /answered 500: The model produced output that does not match/],
    ["made-400-flat", "cycle", /does not fit x's context \(This model's maximum context length is 4096/],
  ];
  for (const [name, kind, message] of table)
    await t.rejects(reply(t, recorded(name)), { kind, message }, name);
  await t.rejects(reply(t, fails(500, "Jinja Exception: tools are not supported")), {
    name: "ModelError",
    kind: "person",
  });
});

/** Tools of about as many tokens as the runtime's 32 have. */
const MANY: readonly ToolInfo[] = Array.from({ length: 32 }, (_, index) => ({
  ...READ,
  name: `tool_${index}`,
  description: "Some six hundred characters that say what the tool does. ".repeat(9),
}));
const PROMPTED: readonly Message[] = [{ role: "system", content: "Care. ".repeat(300) }, ...OPENING.slice(1)];

/** A reply of words alone, for so many tokens read. */
const reading = (prompt_tokens: number, more: Json = {}) =>
  completes({ content: "All is well.", usage: { prompt_tokens, completion_tokens: 5, ...more } });

t.test("a model that has not seen the tools is named, with what to do", async (t) => {
  const asking = { conversation: PROMPTED, tools: MANY };
  const message =
    /^openai:x has not seen the tools \(577 tokens read of some \d{4}\): its server or its template drops them; ask it for decisions with --style decide/;
  await t.rejects(reply(t, recorded("smollm2-endless-sentence"), asking), { kind: "person", message });
  await t.rejects(reply(t, reading(577), asking), { kind: "person", message });
});

t.test("a count that says nothing of the tools is no reason to give a model up", async (t) => {
  const asking = { conversation: PROMPTED, tools: MANY };
  const detail = (cached_tokens: number) => ({ prompt_tokens_details: { cached_tokens } });
  const fine: [string, Answering, Asking][] = [
    ["all of it read", reading(6691), asking],
    ["most of it from the cache, counted in", reading(6691, detail(6450)), asking],
    ["most of it from the cache, and not counted in", reading(600, detail(6091)), asking],
    ["a count of what is new alone", reading(120), asking],
    ["none", reading(0), asking],
    ["no count", completes({ content: "Well.", usage: null }), asking],
    [
      "tools that were called all the same",
      completes({ calls: [{ name: "tool_3", arguments: "{}" }] }),
      asking,
    ],
    ["a later reply", reading(577), { ...asking, conversation: [...PROMPTED, ...CALLED.slice(2)] }],
    ["no tools asked for", reading(577), { ...asking, tools: [] }],
    ["Ollama, which may count what is new alone", says({ content: "Well." }), { ...asking, ollama: true }],
  ];
  for (const [title, answer, how] of fine) await t.resolves(reply(t, answer, how), title);
});

t.test("tokens from the cache are told apart, and are part of those read", async (t) => {
  const of = async (usage: Json, timings?: Json) => {
    const body = { choices: [{ message: { content: "Hi" } }], usage, ...(timings && { timings }) };
    return (await reply(t, () => ({ body }))).usage;
  };
  const counted = { prompt_tokens: 6901, completion_tokens: 132 };
  const whole = { input: 6901, output: 132 };
  const qwens = await reply(t, recorded("qwen-0.5b-extra-key"));
  t.strictSame(qwens.usage, { ...whole, cached: 6451 }, "OpenAI's shape, by llama.cpp");
  t.strictSame(
    await of({ ...counted, prompt_cache_hit_tokens: 6400 }),
    { ...whole, cached: 6400 },
    "DeepSeek",
  );
  t.strictSame(await of(counted, { prompt_n: 450, cache_n: 6451 }), { ...whole, cached: 6451 }, "timings");
  t.strictSame(await of(counted, { prompt_n: 450, cache_n: 12 }), whole, "timings of something else");
  t.strictSame(await of(counted), whole, "not told");
  t.strictSame(await of({ ...counted, prompt_tokens_details: { cached_tokens: -1 } }), whole, "no count");
  const apart = { ...counted, prompt_tokens: 450, prompt_tokens_details: { cached_tokens: 6451 } };
  t.strictSame(await of(apart), { ...whole, cached: 6451 }, "not part of prompt_tokens");
  t.strictSame(await of({ completion_tokens: 3 }), { input: 0, output: 3 });
  t.strictSame(await of({ ...counted, prompt_cache_hit_tokens: 0.5 }), whole, "half a token");
});

t.test("counts that cannot be true are left out", async (t) => {
  for (const [prompt_tokens, completion_tokens] of [
    [-1, 5],
    [10, 1.5],
    [1e9, 5],
    [5, Number.MAX_VALUE],
  ]) {
    const usage = { prompt_tokens, completion_tokens };
    t.notOk((await reply(t, completes({ content: "Well.", usage }))).usage, JSON.stringify(usage));
  }
  const most = { prompt_tokens: 5_000_000, completion_tokens: 0 };
  t.match((await reply(t, completes({ content: "Well.", usage: most }))).usage, {
    input: 5_000_000,
    output: 0,
  });
});

t.test("arguments that are nested without an end are left out", async (t) => {
  const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  const body = `{"message": {"content": "", "tool_calls": [{"function": {"name": "read_moisture", "arguments": ${deep}}}]}}`;
  const { toolCalls } = await reply(t, () => ({ body }), { ollama: true });
  t.match(toolCalls, [{ name: "read_moisture", arguments: "(left out: nested too deep)" }]);
});

import type { Test } from "tap";
import { type Answering, FakeServer, type Json } from "./fake-server.js";
import type { Heard, Saying, Speaker } from "./speaker.js";

const USAGE = { input: 122, output: 33 };

/** A model's reply as Ollama sends it without streaming (docs/api.md, "Chat request (with tools)"). */
export const says =
  ({ content = "", thinking, calls = [], cut, cached }: Saying): Answering =>
  ({ model }) => ({
    body: {
      model,
      created_at: "2026-06-01T12:00:00.123456Z",
      message: {
        role: "assistant",
        content,
        ...(thinking !== undefined && { thinking }),
        ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
      },
      done_reason: cut ? "length" : "stop",
      done: true,
      total_duration: 885095291,
      load_duration: 3753500,
      prompt_eval_count: USAGE.input,
      ...(cached !== undefined && { prompt_eval_cached_count: cached }),
      prompt_eval_duration: 328493000,
      eval_count: USAGE.output,
      eval_duration: 552222000,
    },
  });

/** Newer servers send ids; others have never heard of them. */
const toolCall = ({ id, ...called }: NonNullable<Saying["calls"]>[number], index: number): Json => ({
  ...(id !== undefined && { id }),
  function: { index, ...called },
});

/** What a model can do (docs/api.md, "Show Model Information"); servers before 0.6.4 leave it out. */
export const shows =
  (capabilities: readonly string[] | undefined): Answering =>
  () => ({ body: { details: { family: "llama" }, ...(capabilities && { capabilities }) } });

/** An error as Ollama sends it. */
export const fails =
  (status: number, error: string): Answering =>
  () => ({ status, body: { error } });

interface Older {
  /** Whether it can tell what a model can do; else it knows no such path. */
  readonly tells?: boolean;
}

/** Refuses, as Ollama's decoder does, what its request types cannot hold; anything else goes to the script. */
export const fakeOllama = (
  t: Test,
  script: Answering,
  { tells = false }: Older = {},
): { server: FakeServer; url: Promise<string> } => {
  const server = new FakeServer(
    ["/api/chat", "GET /api/tags", ...(tells ? ["/api/show"] : [])],
    (body, headers) => {
      const wrong = callsIn(body).find(
        ({ arguments: args }) => typeof args !== "object" || Array.isArray(args),
      );
      return wrong
        ? {
            status: 400,
            body: {
              error: `json: cannot unmarshal string into Go struct field ${String(wrong.name)} of type api.ToolCallFunctionArguments`,
            },
          }
        : script(body, headers);
    },
  );
  return { server, url: server.listen(t) };
};

export const messagesIn = (body: Json): readonly Json[] => (body.messages ?? []) as Json[];

const callsIn = (body: Json): readonly Json[] =>
  messagesIn(body).flatMap(({ tool_calls = [] }) =>
    (tool_calls as { function: Json }[]).map(({ function: called }) => called),
  );

const messageIn = ({ role, content, tool_name, tool_calls, images }: Json) =>
  ({
    role,
    text: content,
    ...(tool_name !== undefined && { tool: tool_name }),
    ...(tool_calls !== undefined && { calls: callsIn({ messages: [{ tool_calls }] }) }),
    ...(images !== undefined && { pictures: images }),
  }) as Heard;

export const OLLAMA: Speaker = {
  provider: "ollama",
  address: "OLLAMA_HOST",
  serve: fakeOllama,
  says,
  usage: USAGE,
  refuses: fails,
  missing: { answer: fails(404, "model 'small' not found"), advice: /fetch it with `ollama pull small`/ },
  refusesSchema: [
    fails(400, "json: cannot unmarshal object into Go struct field ChatRequest.format of type string"),
  ],
  hears(body) {
    const { temperature, seed, num_predict: limit } = body.options as Json;
    const tools = ((body.tools ?? []) as { function: Json }[]).map((each) => String(each.function.name));
    return {
      messages: messagesIn(body).map(messageIn),
      tools,
      temperature,
      seed,
      limit,
      schema: body.format,
    };
  },
};

import type { Test } from "tap";
import { type Answering, FakeServer, type Json } from "./fake-server.js";

interface Spoken {
  readonly content?: string;
  readonly thinking?: string;
  readonly calls?: ReadonlyArray<{
    readonly name: string;
    readonly arguments: unknown;
    readonly id?: string;
  }>;
  readonly done_reason?: string;
}

/** A model's reply as Ollama sends it without streaming (docs/api.md, "Chat request (with tools)"). */
export const says =
  ({ content = "", thinking, calls = [], done_reason = "stop" }: Spoken): Answering =>
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
      done_reason,
      done: true,
      total_duration: 885095291,
      load_duration: 3753500,
      prompt_eval_count: 122,
      prompt_eval_duration: 328493000,
      eval_count: 33,
      eval_duration: 552222000,
    },
  });

/** Newer servers send ids; others have never heard of them. */
const toolCall = ({ id, ...called }: NonNullable<Spoken["calls"]>[number], index: number): Json => ({
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

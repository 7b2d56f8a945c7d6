import type { Test } from "tap";
import { type Answering, FakeServer, type Json } from "./fake-server.js";

export const KEY = "sk-proj-0123456789abcdef";

interface Spoken {
  readonly content?: string | null;
  readonly calls?: ReadonlyArray<{
    readonly name: string;
    readonly arguments: unknown;
    readonly id?: string;
  }>;
  readonly finish_reason?: string;
  readonly more?: Json;
  readonly usage?: Json | null;
}

const USAGE = { prompt_tokens: 82, completion_tokens: 17, total_tokens: 99 };

/** A chat completion (OpenAI, API reference, "The chat completion object"). */
export const completes =
  ({ content = null, calls = [], finish_reason, more = {}, usage = USAGE }: Spoken): Answering =>
  ({ model }) => ({
    body: {
      id: "chatcmpl-abc123",
      object: "chat.completion",
      created: 1_780_000_000,
      model,
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content,
            refusal: null,
            ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
            ...more,
          },
          logprobs: null,
          finish_reason: finish_reason ?? (calls.length > 0 ? "tool_calls" : "stop"),
        },
      ],
      ...(usage && { usage }),
    },
  });

const toolCall = ({ id, ...called }: NonNullable<Spoken["calls"]>[number]): Json => ({
  ...(id !== undefined && { id }),
  type: "function",
  function: called,
});

/** An error as OpenAI sends it. */
export const fails =
  (status: number, message: string, more: Json = {}): Answering =>
  () => ({
    status,
    body: { error: { message, type: "invalid_request_error", param: null, code: null, ...more } },
  });

/** Refuses what OpenAI refuses: another key, answers that belong to no call, calls without an answer. */
export const fakeOpenAi = (t: Test, script: Answering): { server: FakeServer; url: Promise<string> } => {
  const server = new FakeServer(["/v1/chat/completions", "GET /v1/models"], (body, headers) => {
    if (headers.authorization !== `Bearer ${KEY}`)
      return fails(401, `Incorrect API key provided: ${headers.authorization}.`)(body, headers);
    const open = unanswered(body.messages as Json[] | undefined);
    return open === undefined ? script(body, headers) : fails(400, open)(body, headers);
  });
  return { server, url: server.listen(t).then((url) => `${url}/v1`) };
};

function unanswered(messages: readonly Json[] = []): string | undefined {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls as { id: string; function: Json }[]);
  const answered = messages.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id);
  if (calls.some(({ function: { arguments: args } }) => typeof args !== "string")) return "no string";
  const same = JSON.stringify(calls.map(({ id }) => id)) === JSON.stringify(answered);
  return same ? undefined : "tool_calls must be followed by tool messages responding to each tool_call_id";
}

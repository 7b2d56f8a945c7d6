import type { Test } from "tap";
import { type Answering, FakeServer, type Json } from "./fake-server.js";
import type { Heard, Saying, Speaker } from "./speaker.js";

export const KEY = "sk-proj-0123456789abcdef";

interface Completed extends Saying {
  readonly more?: Json;
  readonly reason?: string;
  readonly usage?: Json | null;
}

const USAGE = { prompt_tokens: 82, completion_tokens: 17, total_tokens: 99 };

/** Cached tokens are among those of the prompt (OpenAI, "Prompt caching"). */
const counted = (cached_tokens?: number): Json => ({
  ...USAGE,
  ...(cached_tokens !== undefined && { prompt_tokens_details: { cached_tokens } }),
});

/** A chat completion (OpenAI, API reference, "The chat completion object"). */
export const completes =
  ({
    content,
    thinking,
    calls = [],
    cut,
    cached,
    reason,
    more = {},
    usage = counted(cached),
  }: Completed): Answering =>
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
            content: content ?? null,
            refusal: null,
            ...(thinking !== undefined && { reasoning_content: thinking }),
            ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
            ...more,
          },
          logprobs: null,
          finish_reason: reason ?? (cut ? "length" : calls.length > 0 ? "tool_calls" : "stop"),
        },
      ],
      ...(usage && { usage }),
    },
  });

const toolCall = ({ id, ...called }: NonNullable<Saying["calls"]>[number]): Json => ({
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

const messagesIn = ({ messages = [] }: Json): readonly Json[] => messages as Json[];

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The parts of a message that may have pictures. */
type Parts = readonly { readonly text?: string; readonly image_url?: { readonly url: string } }[];

function heardIn(messages: readonly Json[]): readonly Heard[] {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls as Call[]);
  return messages.map(({ role, content, tool_call_id, tool_calls }) => {
    const parts = (typeof content === "string" ? [{ text: content }] : content) as Parts;
    const pictures = parts.flatMap(
      ({ image_url }) => image_url?.url.replace("data:image/jpeg;base64,", "") ?? [],
    );
    const tool = calls.find(({ id }) => id === tool_call_id)?.function.name;
    return {
      role,
      text: parts.map(({ text = "" }) => text).join(""),
      ...(tool !== undefined && { tool }),
      ...(tool_calls !== undefined && {
        calls: (tool_calls as Call[]).map(({ function: { name, arguments: args } }) => ({
          name,
          arguments: JSON.parse(args),
        })),
      }),
      ...(pictures.length > 0 && { pictures }),
    } as Heard;
  });
}

export const OPENAI: Speaker = {
  provider: "openai",
  key: KEY,
  serve: fakeOpenAi,
  says: completes,
  usage: { input: USAGE.prompt_tokens, output: USAGE.completion_tokens },
  refuses: fails,
  missing: {
    answer: fails(404, "The model `small` does not exist or you do not have access to it."),
    advice: /check the name, and OPENAI_BASE_URL \(The model/,
  },
  refusesSchema: [
    fails(400, "This response_format type is unavailable now"),
    fails(422, "Input should be 'text' or 'json_object'", { param: "response_format.type" }),
    fails(400, "failed to parse grammar"),
    fails(400, "'json_schema' is not available for small"),
    fails(400, "output_format: no such thing"),
    fails(400, "small does not support structured outputs"),
  ],
  hears(body) {
    const { temperature, seed, max_tokens: limit } = body;
    const tools = ((body.tools ?? []) as { function: Json }[]).map((each) => String(each.function.name));
    const format = body.response_format as { json_schema: Json } | undefined;
    return {
      messages: heardIn(messagesIn(body)),
      tools,
      temperature,
      seed,
      limit,
      schema: format?.json_schema.schema,
    };
  },
};

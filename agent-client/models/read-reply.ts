import { z } from "zod";
import type { Answer, GivenCall } from "./conversation.js";
import type { Usage } from "./model.js";
import { refusalOf } from "./model-error.js";

/** A part of a text (OpenAI), or of a thought (Mistral), which contains parts itself. */
const part = z.object({ type: z.string(), text: z.string().optional(), thinking: z.unknown().optional() });
type Part = z.output<typeof part>;

const text = z.string().optional().catch(undefined);

/** Each field is read separately, so that one invalid call does not lose the others. */
const message = z.object({
  content: z.unknown().optional(),
  refusal: text,
  /** llama.cpp, vLLM and DeepSeek; then OpenRouter and Ollama's OpenAI API; then Ollama's own API. */
  reasoning_content: text,
  reasoning: text,
  thinking: text,
  tool_calls: z.unknown().optional(),
});

/** Text, thinking and calls of a model's message; undefined if there is no message. */
export function readMessage(given: unknown): Pick<Answer, "text" | "thinking" | "calls"> | undefined {
  const { data } = message.safeParse(given);
  if (!data) return undefined;
  const parts = partsOf(data.content);
  const told = data.reasoning_content || data.reasoning || data.thinking;
  const { thought, said } = apart(typeof data.content === "string" ? data.content : textOf(parts));
  return {
    text: said || data.refusal,
    thinking: told || textOf(parts.flatMap(({ thinking }) => partsOf(thinking))) || thought,
    calls: [data.tool_calls || []].flat().map(readCall),
  };
}

/** How DeepSeek, Qwen and gpt-oss mark thoughts. Templates may put the first mark into the prompt: then only the end is there. */
const BEGIN = /^\s*(?:<think(?:ing)?>|<\|channel\|>analysis<\|message\|>)/;
const UP_TO_END = /^[\s\S]*(?:<\/think(?:ing)?>|<\|channel\|>final<\|message\|>)\s*/;
const MARKS = /<\/?think(?:ing)?>|<\|(?:channel\|>\w+|message\|>|end\|>|start\|>\w+)/g;

/** A server that does not know its model leaves the thoughts in the text, where a person would read them. */
function apart(text: string): { readonly thought: string; readonly said: string } {
  const [thoughts = ""] = UP_TO_END.exec(text) ?? (BEGIN.test(text) ? [text] : []);
  return { thought: thoughts.replaceAll(MARKS, "").trim(), said: text.slice(thoughts.length) };
}

const partsOf = (content: unknown): readonly Part[] =>
  Array.isArray(content) ? content.flatMap((each) => part.safeParse(each).data ?? []) : [];

const textOf = (parts: readonly Part[]): string => parts.map((each) => each.text ?? "").join("");

const call = z.object({
  id: z.union([z.string(), z.number()]).optional().catch(undefined),
  function: z.object({ name: text, arguments: z.unknown().optional() }).optional().catch(undefined),
});

function readCall(given: unknown): GivenCall {
  const { id, function: called } = call.safeParse(given).data ?? {};
  return { id, name: called?.name, arguments: called?.arguments };
}

/** A number that servers may leave out, or get wrong. */
export const count = z.number().optional().catch(undefined);

const usageJson = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  /** OpenAI, "Prompt caching"; also llama.cpp, vLLM, Ollama, OpenRouter. */
  prompt_tokens_details: z.object({ cached_tokens: count }).optional().catch(undefined),
  /** DeepSeek, "Context caching": hits and misses together are prompt_tokens. */
  prompt_cache_hit_tokens: count,
});

/** llama.cpp: prompt_n new tokens, cache_n cached tokens. */
const timingsJson = z.object({ prompt_n: z.number(), cache_n: z.number() });

const choice = z.object({
  message: z.unknown().optional(),
  finish_reason: z.string().optional().catch(undefined),
  error: z.unknown().optional(),
});

const completion = z.object({
  choices: z.array(choice).min(1),
  usage: usageJson.optional().catch(undefined),
  timings: timingsJson.optional().catch(undefined),
});

/**
 * OpenAI, API reference, "The chat completion object". A filter can leave another seed's reply alone. Any other end is a normal
 * one: compatible servers have names of their own.
 */
const ENDS: Readonly<Record<string, Answer["end"]>> = {
  length: "cut",
  content_filter: { kind: "garbled", words: "by a filter" },
};

/** Reads a chat completion leniently; undefined if it is none. Throws an error that a gateway puts in place of a message. */
export function readCompletion(given: unknown): Answer | undefined {
  const { data } = completion.safeParse(given);
  const first = data?.choices[0];
  assertNoError(first);
  const message = readMessage(first?.message);
  if (!data || !message) return undefined;
  return { ...message, usage: usageIn(data), end: ENDS[first?.finish_reason ?? ""] };
}

const withError = z.looseObject({
  error: z.union([z.string().min(1), z.looseObject({ code: z.unknown().optional() })]),
});

/** OpenRouter and others send the status before their model fails. Then the error's code replaces it. */
export function assertNoError(body: unknown): void {
  const { data } = withError.safeParse(body);
  if (!data) return;
  const code = typeof data.error === "string" ? undefined : Number(data.error.code);
  throw refusalOf(code !== undefined && code >= 400 && code <= 599 ? code : 200, data);
}

function usageIn({ usage, timings }: z.output<typeof completion>): Usage | undefined {
  const { prompt_tokens: prompt, completion_tokens: output } = usage ?? {};
  if (prompt === undefined && output === undefined) return undefined;
  const cached = cachedIn(usage) ?? cachedByTimings(prompt, timings);
  const isOfAll = cached === undefined || cached <= (prompt ?? 0);
  // Some servers count only new tokens in prompt_tokens.
  const input = isOfAll ? (prompt ?? 0) : (prompt ?? 0) + cached;
  return { input, output: output ?? 0, ...(cached !== undefined && { cached }) };
}

function cachedIn(usage: z.output<typeof usageJson> | undefined): number | undefined {
  const told = usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens;
  return told !== undefined && told >= 0 ? told : undefined;
}

/** Used only if both parts add up to the usage, as in all recorded replies of llama.cpp. */
function cachedByTimings(
  prompt: number | undefined,
  timings: z.output<typeof timingsJson> | undefined,
): number | undefined {
  return timings && timings.prompt_n + timings.cache_n === prompt ? timings.cache_n : undefined;
}

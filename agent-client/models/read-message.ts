import { z } from "zod";
import type { Answer, GivenCall } from "./conversation.js";

/** OpenAI's part of a text, and Mistral's of a thought, which holds parts itself. */
const part = z.object({ type: z.string(), text: z.string().optional(), thinking: z.unknown().optional() });
type Part = z.output<typeof part>;

const text = z.string().optional().catch(undefined);

/** Everything in it is read by itself: one odd call does not lose the others. */
const message = z.object({
  content: z.unknown().optional(),
  refusal: text,
  /** llama.cpp, vLLM and DeepSeek; OpenRouter and Ollama behind OpenAI's address; Ollama itself. */
  reasoning_content: text,
  reasoning: text,
  thinking: text,
  tool_calls: z.unknown().optional(),
});

/** The text, the thinking and the calls of a model's message; undefined where there is no message. */
export function readMessage(given: unknown): Pick<Answer, "text" | "thinking" | "calls"> | undefined {
  const { data } = message.safeParse(given);
  if (!data) return undefined;
  const parts = partsOf(data.content);
  const told = data.reasoning_content || data.reasoning || data.thinking;
  return {
    text: (typeof data.content === "string" ? data.content : textOf(parts)) || data.refusal,
    thinking: told || textOf(parts.flatMap(({ thinking }) => partsOf(thinking))),
    calls: [data.tool_calls || []].flat().map(readCall),
  };
}

const partsOf = (content: unknown): readonly Part[] =>
  Array.isArray(content) ? content.flatMap((each) => part.safeParse(each).data ?? []) : [];

const textOf = (parts: readonly Part[]): string => parts.map((each) => each.text ?? "").join("");

const call = z.object({
  id: z.union([z.string(), z.number()]).optional().catch(undefined),
  function: z.object({ name: text, arguments: z.unknown().optional() }).optional().catch(undefined),
});

/** Stands for a name that is missing: servers refuse an empty one when the call goes back to them. No tool has it. */
const NAMELESS = "call_without_a_name";
/** Characters of a name or an id that go back with every later request. A choice: OpenAI allows 64 for a name. */
const LONGEST_NAME = 100;

function readCall(given: unknown): GivenCall {
  const { id = "", function: called } = call.safeParse(given).data ?? {};
  const own = String(id);
  return {
    id: own.length <= LONGEST_NAME ? own : undefined,
    name: (called?.name || NAMELESS).slice(0, LONGEST_NAME),
    arguments: called?.arguments,
  };
}

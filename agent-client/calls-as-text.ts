import type { ToolInfo } from "./connect.js";

/**
 * How models spell calls in their raw output: Qwen and Hermes, Mistral, Llama 3 (twice), Gemma, as their chat templates
 * have it. A server that knows its model turns these into calls; one that does not lets them through as text.
 */
const MARKS = /<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|<function=|```tool_code/;
const NAMED = /"(?:name|function|tool|tool_name|action)"\s*:\s*"([^"]+)"/g;
/** A line that is nothing but a call. */
const WRITTEN = /^[\s`>*-]*(\w+)\(.*\)[\s`;]*$/gm;

/** Whether a text holds what its writer may have meant for a call. Nothing in a text is ever carried out. */
export function looksLikeCalls(text: string, tools: readonly ToolInfo[]): boolean {
  if (MARKS.test(text)) return true;
  const known = new Set(tools.map(({ name }) => name));
  return [NAMED, WRITTEN].some((form) => [...text.matchAll(form)].some(([, name = ""]) => known.has(name)));
}

export const REMINDER =
  "You wrote calls of tools as text. Nothing of it was carried out: only real tool calls are. Call the tools themselves.";

import type { ToolInfo } from "./link/tools.js";
import { isNearly, nearestNames } from "./nearest-names.js";

/**
 * How models spell calls in their raw output: Qwen and Hermes, Mistral, Llama 3 (twice), Gemma, as their chat templates
 * have it. A server that knows its model turns these into calls; one that does not lets them through as text.
 */
const MARKS = /<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|<function=|```tool_code/;
const NAMED = /"(?:name|function|function_name|tool|tool_name|action)"\s*:\s*"([^"]+)"/g;
/** What stands beside a name only where it is to be called. */
const ARGUMENTS = /"(?:arguments|parameters|args)"\s*:/;
/** A line that is nothing but a call. */
const WRITTEN = /^[\s`>*-]*(\w+)\(.*\)[\s`;,]*$/gm;

/** A choice: more than a model has tools, and compared in a few milliseconds. */
const MOST_NAMES = 50;
/** Characters of a name that are repeated, and names that it may have meant. */
const [SHOWN, SUGGESTED] = [80, 3];

const REMINDER =
  "You wrote calls of tools as text. Nothing of it was carried out: only real tool calls are. Call the tools themselves.";

/**
 * What to tell a model whose text holds what it may have meant for a call; undefined where there is none. A name need not
 * be quite a tool's. Nothing in a text is ever carried out.
 */
export function callsReminder(text: string, tools: readonly ToolInfo[]): string | undefined {
  const known = tools.map(({ name }) => name);
  const named = namesIn(text, NAMED);
  const meant = [...named, ...namesIn(text, WRITTEN)].filter((name) => isNearly(name, known));
  const isCall = MARKS.test(text) || meant.length > 0 || (named.length > 0 && ARGUMENTS.test(text));
  if (!isCall) return undefined;
  const wrong = [...meant, ...named].find((name) => !known.includes(name));
  return wrong === undefined ? REMINDER : `${REMINDER} ${noSuchTool(wrong, known)}`;
}

/** The first of them: each one is compared to every tool's name. */
const namesIn = (text: string, form: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(form)].map(([, name = ""]) => name))].slice(0, MOST_NAMES);

/** Says which tools may have been meant. */
export const noSuchTool = (name: string, known: readonly string[]): string =>
  `There is no tool "${name.slice(0, SHOWN)}"; nearest: ${nearestNames(name, known, SUGGESTED).join(", ")}.`;

import type { ToolInfo } from "../link/tools.js";

/**
 * How models write calls in their raw output, by their chat templates: Qwen and Hermes, Mistral, Llama 3 (twice), Gemma.
 * A server that knows its model turns these into calls; one that does not passes them on as text.
 */
const MARKS = /<tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|<function=|```tool_code/;
const NAMED = /"(?:name|function|function_name|tool|tool_name|action)"\s*:\s*"([^"]+)"/g;
/** Beside a name, this means a call. */
const ARGUMENTS = /"(?:arguments|parameters|args)"\s*:/;
/** A line that contains only a call. */
const WRITTEN = /^[\s`>*-]*(\w+)\(.*\)[\s`;,]*$/gm;

/** A choice: more than the tools of a model, and compared in a few milliseconds. */
const MAX_NAMES = 50;
/** Characters of a name that are quoted, and similar names that are suggested. */
const [SHOWN, SUGGESTED] = [80, 3];

const REMINDER =
  "You wrote calls of tools as text. Nothing of it was carried out: only real tool calls are. Call the tools themselves.";

/**
 * What to tell a model whose text seems to contain a call; undefined if it does not. The name may be misspelt. A call in a
 * text is never carried out.
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

/** At most MAX_NAMES, since each is compared to every tool's name. */
const namesIn = (text: string, form: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(form)].map(([, name = ""]) => name))].slice(0, MAX_NAMES);

/** Suggests the tools with the most similar names. */
export const noSuchTool = (name: string, known: readonly string[]): string =>
  `There is no tool "${name.slice(0, SHOWN)}"; nearest: ${nearestNames(name, known, SUGGESTED).join(", ")}.`;

/** Characters of a name that are compared. A choice: twice the longest name of a tool. */
const COMPARED = 80;

/** The `most` names nearest to `name`, nearest first; equally near ones keep their order. */
export function nearestNames(name: string, names: readonly string[], most: number): readonly string[] {
  const wanted = name.slice(0, COMPARED).toLowerCase();
  return names
    .map((each) => ({ each, far: distance(wanted, each.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ each }) => each);
}

/**
 * Whether `name` is probably one of `names`, misspelt: at most a third of the characters differ. A choice: "write_status" is
 * nearly "write_plant_status"; names that people give to plants are farther from any tool's name.
 */
function isNearly(name: string, names: readonly string[]): boolean {
  const [nearest = ""] = nearestNames(name, names, 1);
  const longer = Math.max(name.length, nearest.length);
  return longer <= COMPARED && distance(name.toLowerCase(), nearest.toLowerCase()) * 3 <= longer;
}

/** Edit distance: characters to insert, delete or replace (Levenshtein 1966), row by row (Wagner and Fischer 1974). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [index, character] of [...a].entries()) row = nextRow(row, index + 1, character, b);
  return row.at(-1) ?? 0;
}

function nextRow(above: readonly number[], first: number, character: string, b: string): number[] {
  const row = [first];
  for (let column = 1; column <= b.length; column += 1) {
    const [diagonal = 0, over = 0, left = 0] = [above[column - 1], above[column], row[column - 1]];
    row.push(Math.min(diagonal + (b[column - 1] === character ? 0 : 1), over + 1, left + 1));
  }
  return row;
}

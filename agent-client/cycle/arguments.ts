import { z } from "zod";
import { parseJson } from "../../runtime/wire/refusal.js";
import { nearestNames, nearlyNamed } from "../../runtime/wire/schema-keys.js";
import type { JsonSchema, ToolInfo } from "../link/tools.js";

export type Arguments = Readonly<Record<string, unknown>>;

/** A choice: tools nest about 5 deep. Recursion over arguments runs out of stack at some thousands. */
const MAX_DEPTH = 64;
/** Characters of a model's own text that are quoted back to it: enough to recognise it. */
const SHOWN = 80;

/**
 * The arguments as an object; undefined if they are no object or are nested too deep. Models send objects or JSON text; for
 * "none" they send nothing, an empty text or blanks.
 */
export function readArguments(given: unknown): Arguments | undefined {
  const text = typeof given === "string" ? given.trim() || "{}" : undefined;
  const value = text === undefined ? (given ?? {}) : parseJson(text);
  const isUsable = isObject(value) && !Array.isArray(value) && !isTooDeep(value);
  return isUsable ? (value as Arguments) : undefined;
}

/** What to tell a model whose arguments cannot be read. In its conversation the call has no arguments. */
export function unreadableArguments(given: unknown): string {
  const begin = typeof given === "string" ? `; they begin with ${JSON.stringify(given.slice(0, SHOWN))}` : "";
  return `the arguments are not a JSON object; correct them and call again (nested ${MAX_DEPTH} deep at most${begin})`;
}

export function isTooDeep(value: unknown, left = MAX_DEPTH): boolean {
  return isObject(value) && (left === 0 || Object.values(value).some((each) => isTooDeep(each, left - 1)));
}

/** An object schema that names every key it takes. */
const closed = z.object({
  properties: z.record(z.string(), z.unknown()),
  additionalProperties: z.literal(false),
});
const list = z.object({ items: z.unknown() });

/** At most this many left-out keys are named. A choice: a model out of control may send any number. */
const MAX_NAMED = 20;

/**
 * Leaves out keys that are empty and not in the schema: models send parameters of other tools so. An unknown key with a
 * value stays, and the runtime refuses it, since it may change the meaning. `ignored` names what was left out:
 * "tags", "next_action_sequence[0].reason".
 */
export function withoutEmptyExtras(
  args: Arguments,
  schema: JsonSchema,
): { readonly args: Arguments; readonly ignored: readonly string[] } {
  if (!Object.values(args).some(holdsEmpty)) return { args, ignored: [] };
  const ignored: string[] = [];
  const trimmed = trim(args, schema, "", ignored);
  const more = ignored.length - MAX_NAMED;
  if (more > 0) ignored.splice(MAX_NAMED, more, `and ${more} more`);
  return ignored.length === 0 ? { args, ignored } : { args: trimmed as Arguments, ignored };
}

function trim(value: unknown, schema: unknown, path: string, ignored: string[]): unknown {
  if (Array.isArray(value)) {
    const { data } = list.safeParse(schema);
    return data ? value.map((each, at) => trim(each, data.items, `${path}[${at}]`, ignored)) : value;
  }
  const { data } = closed.safeParse(schema);
  if (!data || !isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, each]) => {
    const at = path === "" ? key : `${path}.${key}`;
    if (Object.hasOwn(data.properties, key)) return [[key, trim(each, data.properties[key], at, ignored)]];
    if (!isEmpty(each)) return [[key, each]];
    ignored.push(at.slice(0, SHOWN));
    return [];
  });
  return Object.fromEntries(kept);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const holdsEmpty = (value: unknown): boolean =>
  isEmpty(value) || (isObject(value) && Object.values(value).some(holdsEmpty));

/** The empty values that models write for "none". A number or a boolean is never empty. */
const isEmpty = (value: unknown): boolean =>
  value === "" || value === null || (isObject(value) && Object.keys(value).length === 0);

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
const SUGGESTED = 3;

const REMINDER =
  "You wrote calls of tools as text. Nothing of it was carried out: only real tool calls are. Call the tools themselves.";

/**
 * What to tell a model whose text seems to contain a call; undefined if it does not. The name may be misspelt. A call in a
 * text is never carried out.
 */
export function callsReminder(text: string, tools: readonly ToolInfo[]): string | undefined {
  const known = tools.map(({ name }) => name);
  const named = namesIn(text, NAMED);
  const meant = [...named, ...namesIn(text, WRITTEN)].filter(
    (name) => nearlyNamed(name, known) !== undefined,
  );
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

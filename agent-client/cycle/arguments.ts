import { z } from "zod";
import { parseJson } from "../../runtime/wire/refusal.js";
import type { JsonSchema } from "../link/tools.js";

/** What a call is made with. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A choice: tools have some 5. Code that walks through arguments by recursion runs out of stack at some thousands. */
const MAX_DEPTH = 64;
/** Characters of a model's own text that are repeated to it: enough to see what is meant. */
const SHOWN = 80;

/**
 * The arguments as an object; undefined for anything that is none, or that is nested too deep. Models send objects, JSON
 * text, or for "none" nothing, an empty text or blanks.
 */
export function readArguments(given: unknown): Arguments | undefined {
  const text = typeof given === "string" ? given.trim() || "{}" : undefined;
  const value = text === undefined ? (given ?? {}) : parseJson(text);
  const isUsable = isObject(value) && !Array.isArray(value) && !isTooDeep(value);
  return isUsable ? (value as Arguments) : undefined;
}

/** What to tell a model whose arguments cannot be read. In its own conversation the call stands without them. */
export function unreadableArguments(given: unknown): string {
  const begin = typeof given === "string" ? `; they begin with ${JSON.stringify(given.slice(0, SHOWN))}` : "";
  return `the arguments are not a JSON object; correct them and call again (nested ${MAX_DEPTH} deep at most${begin})`;
}

/** Whether objects and lists are nested more than MAX_DEPTH deep. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1)
    level = level.flatMap((each) => (isObject(each) ? Object.values(each) : []));
  return level.length > 0;
}

/** An object schema that names every key it takes. */
const closed = z.object({
  properties: z.record(z.string(), z.unknown()),
  additionalProperties: z.literal(false),
});
const list = z.object({ items: z.unknown() });

/** Of what was left out, so many are named. A choice: a model out of control may send any number. */
const MAX_NAMED = 20;

/**
 * Leaves out each key that is empty and that the listed schema does not know: models fill in parameters of other tools
 * in this way. Nothing is lost. An unknown key with a value stays, and the runtime refuses it: it may change what is meant.
 * `ignored` names what was left out: "tags", "next_action_sequence[0].reason".
 */
export function withoutEmptyExtras(
  args: Arguments,
  schema: JsonSchema,
): { readonly args: Arguments; readonly ignored: readonly string[] } {
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

/** The empty values that models write for "none". A number or a truth value always says something. */
const isEmpty = (value: unknown): boolean =>
  value === "" || value === null || (isObject(value) && Object.keys(value).length === 0);

import { z } from "zod";
import { parseJson } from "../../runtime/wire/refusal.js";
import type { JsonSchema } from "../link/tools.js";

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

/** Whether objects and lists are nested more than MAX_DEPTH deep. */
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

import { z } from "zod";
import type { JsonSchema } from "./link/tools.js";

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments without what means nothing to their tool. */
export interface Trimmed {
  readonly args: Arguments;
  /** What was left out: "tags", "next_action_sequence[0].reason". */
  readonly ignored: readonly string[];
}

/** An object that names every key it takes. */
const closed = z.object({
  properties: z.record(z.string(), z.unknown()),
  additionalProperties: z.literal(false),
});
const list = z.object({ items: z.unknown() });

/** Of what was left out: so many are named, each with so many characters. A model that runs wild may send any number. */
const [MOST_NAMED, SHOWN] = [20, 80];

/**
 * Leaves out each key that is empty and that the listed schema does not know: models fill in parameters of other tools
 * so. Nothing is lost with it. An unknown key with a value stays, and the runtime refuses it: it may change what is meant.
 */
export function withoutEmptyExtras(args: Arguments, schema: JsonSchema): Trimmed {
  const ignored: string[] = [];
  const trimmed = trim(args, schema, "", ignored);
  return ignored.length === 0 ? { args, ignored } : { args: trimmed as Arguments, ignored: firstOf(ignored) };
}

const firstOf = (names: readonly string[]): readonly string[] =>
  names.length <= MOST_NAMED
    ? names
    : [...names.slice(0, MOST_NAMED), `and ${names.length - MOST_NAMED} more`];

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

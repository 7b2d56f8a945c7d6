import type { z } from "zod";
import { isObject } from "./refusal.js";

/** What a value with keys of its own is called in messages. */
export const MAPPING = "keys with values, as in { key: value }";

/** The parts of a schema that are looked into; each kind has some of them (zod.dev/packages/core). */
interface Definition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  /** Of a union: the key whose value tells which of its forms a value has. */
  readonly discriminator?: string;
}

/** What a value at a place may be, told apart by the value of one key. */
interface Forms {
  readonly by: string;
  readonly all: ReadonlyArray<{ readonly named: readonly unknown[]; readonly keys: readonly string[] }>;
}

/** Of all that a value at this place may be: a union comes before its forms. */
function* definitionsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): Generator<Definition> {
  const definition = schema._zod.def as Definition;
  const { shape, element, valueType, innerType, options = [] } = definition;
  const [first, ...rest] = path;
  if (first === undefined) yield definition;
  const inside = shape?.[String(first)] ?? element ?? valueType;
  if (inside && first !== undefined) yield* definitionsAt(inside, rest);
  if (inside) return;
  for (const each of [innerType, definition.in, definition.out, ...options])
    if (each) yield* definitionsAt(each, path);
}

/** The keys that a value at this place may have, of all its forms. */
const keysAt = (schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] =>
  [...definitionsAt(schema, path)].flatMap(({ shape = {} }) => Object.keys(shape));

/** Undefined where there are no forms that a key tells apart. */
function formsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): Forms | undefined {
  for (const { discriminator, options = [] } of definitionsAt(schema, path))
    if (discriminator !== undefined)
      return { by: discriminator, all: options.map((form) => formOf(form, discriminator)) };
  return undefined;
}

function formOf(form: z.core.$ZodType, by: string): Forms["all"][number] {
  const { [by]: names } = (form._zod.def as Definition).shape ?? {};
  return { named: [...(names?._zod.values ?? [])], keys: keysAt(form, []) };
}

/** Where an unknown key was found. */
interface Place {
  readonly path: readonly PropertyKey[];
  /** The value with the key, its defaults filled in. */
  readonly value: unknown;
  isWritten(key: string): boolean;
}

/** What follows "unknown key": what else may be wrong, or what was meant. */
export function unknownKeyHint(key: string, schema: z.core.$ZodType, place: Place): string {
  const forms = formsAt(schema, place.path);
  const named = forms && isObject(place.value) ? place.value[forms.by] : undefined;
  const own = forms?.all.find((form) => form.named.includes(named));
  const known = own?.keys ?? keysAt(schema, place.path);
  if (/^\d+$/.test(key)) return ": a decimal number has a point, as 1.5";
  const [first = "", ...rest] = key.split(/\s+/);
  if (rest.length > 0 && known.includes(first)) return `: a colon is missing after ${first}`;
  const meant = nearlyNamed(key, known) ?? known.find((each) => each.startsWith(`${key}_`));
  const foreign = forms && own ? ofAnotherForm(key, forms, `${named}`, place) : "";
  return `${foreign}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function ofAnotherForm(key: string, { by, all }: Forms, named: string, { isWritten }: Place): string {
  const other = all.find(({ keys }) => keys.includes(key));
  const standard = isWritten(by) ? "" : ", the default";
  return other ? ` with ${by}: ${named}${standard} (${by}: ${other.named[0]} has it)` : "";
}

/** What somebody may have meant who wrote a name wrong: a key of a file, a tool. */

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
 * The one of `names` that `name` probably is, misspelt: at most a third of the characters differ. A choice: "write_status" is
 * nearly "write_plant_status"; names that people give to plants are farther from any tool's name.
 */
export function nearlyNamed(name: string, names: readonly string[]): string | undefined {
  const [nearest] = nearestNames(name, names, 1);
  if (nearest === undefined) return undefined;
  const longer = Math.max(name.length, nearest.length);
  if (longer > COMPARED || distance(name.toLowerCase(), nearest.toLowerCase()) * 3 > longer) return undefined;
  return nearest;
}

/**
 * Edit distance: characters to insert, delete or replace (Levenshtein 1966), row by row (Wagner and Fischer 1974). Two
 * neighbours that are swapped are one (Damerau 1964).
 */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let at = 0; at < a.length; at += 1) {
    const below = [(row[0] ?? 0) + 1];
    for (let column = 1; column <= b.length; column += 1) {
      const [diagonal = 0, over = 0, left = 0] = [row[column - 1], row[column], below[column - 1]];
      const swapped = areSwapped(a, b, at, column - 1) ? (before[column - 2] ?? 0) + 1 : over + 1;
      below.push(Math.min(diagonal + (b[column - 1] === a[at] ? 0 : 1), over + 1, left + 1, swapped));
    }
    [before, row] = [row, below];
  }
  return row.at(-1) ?? 0;
}

const areSwapped = (a: string, b: string, at: number, column: number): boolean =>
  at > 0 && column > 0 && a[at] === b[column - 1] && a[at - 1] === b[column];

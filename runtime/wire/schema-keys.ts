import type { z } from "zod";
import { nearlyNamed } from "./nearest-names.js";
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

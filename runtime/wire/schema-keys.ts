import type { z } from "zod";

/** The parts of a schema that are looked into; each kind has some of them (zod.dev/packages/core). */
interface Definition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
}

/** The keys that a value at this place may have, of all its forms. */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const { shape, element, valueType, ...around } = schema._zod.def as Definition;
  const [first, ...rest] = path;
  if (shape && first === undefined) return Object.keys(shape);
  const inside = shape?.[String(first)] ?? element ?? valueType;
  if (inside) return first === undefined ? [] : keysAt(inside, rest);
  const within = [around.innerType, around.in, around.out, ...(around.options ?? [])];
  return within.flatMap((each) => (each ? keysAt(each, path) : []));
}

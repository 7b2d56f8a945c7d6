import { z } from "zod";
import type { JsonSchema, ToolListing } from "./host.js";

/** JSON Schema draft 7 without `$schema`, which every client's validator reads. With every bound of the tool. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output"): ToolListing["inputSchema"] {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    target: "draft-7",
    io,
    override: ({ jsonSchema: node }) => plainly(node),
  });
  return { ...plain, type: "object" };
}

/**
 * The schema for `tools/list`. Some clients convert it into a dialect with one `type` in each schema, and each word
 * costs the model tokens: a bound far away is checked but not listed.
 */
export function listedSchema(schema: z.ZodType, io: "input" | "output"): ToolListing["inputSchema"] {
  const made = madeSchemas[io].get(schema) ?? { ...listed(jsonSchema(schema, io)), type: "object" };
  madeSchemas[io].set(schema, made);
  return made;
}

/** A schema of a tool never changes, and to convert those of all tools takes 15 ms. */
const madeSchemas = {
  input: new WeakMap<z.ZodType, ToolListing["inputSchema"]>(),
  output: new WeakMap<z.ZodType, ToolListing["inputSchema"]>(),
};

/** Removes what zod adds and nobody needs: the range of integers in a double, and that keys are texts. */
function plainly(node: z.core.JSONSchema.BaseSchema): void {
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  delete node.propertyNames;
  if (isEmpty(node.additionalProperties)) node.additionalProperties = true;
}

/** A choice: nobody exceeds such a bound by mistake, and the refusal names it. */
const FAR = 10_000;

interface Node extends JsonSchema {
  readonly type?: string | readonly string[];
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

function listed(node: Node): JsonSchema {
  const { type, maximum, maxLength, properties, items, anyOf, ...rest } = node;
  return {
    ...(typeof type === "string" ? { type } : type && { anyOf: type.map((each) => ({ type: each })) }),
    ...(isNear(maximum) && { maximum }),
    ...(isNear(maxLength) && { maxLength }),
    ...(properties && { properties: mapValues(properties, listed) }),
    ...(items && { items: listed(items) }),
    ...(anyOf && { anyOf: anyOf.map(listed) }),
    ...rest,
  };
}

const isNear = (bound: number | undefined): boolean => bound !== undefined && bound < FAR;

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

const mapValues = <V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

/** A choice: as deep as a message of the wire may be (runtime/server/json-rpc.ts), which is safe for recursion. */
const DEEPEST = 64;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A parameter that is any JSON object. It keeps keys such as `__proto__`, which zod's records and `z.json()` drop, and
 * its schema is not recursive, because some clients cannot convert recursion.
 */
export const jsonObject = (description: string) =>
  z
    .unknown()
    .refine((value) => isObject(value) && isJson(value, DEEPEST), {
      error: `is no JSON object of at most ${DEEPEST} levels`,
    })
    .meta({ description, type: "object", additionalProperties: true })
    .transform((value) => value as JsonObject);

/**
 * A value that is stored, bounded as a whole: so a page by default of the longest fits into one answer (MAX_ANSWER_BYTES
 * in runtime/store). Bounds of single fields do not see to that.
 */
export const atMostBytes = <T extends z.ZodType>(most: number, schema: T): T =>
  schema.refine((value) => Buffer.byteLength(JSON.stringify(value)) <= most, {
    error: `is longer than ${most} bytes as JSON`,
  });

function isJson(value: unknown, levels: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (levels === 0 || !(Array.isArray(value) || isObject(value))) return false;
  return Object.values(value).every((inner) => isJson(inner, levels - 1));
}

/** A plain object: a Date or a Map would be changed on its way. */
const isObject = (value: unknown): value is object =>
  Object.prototype.toString.call(value) === "[object Object]";

/** Unicode code points, not UTF-16 units: an emoji counts as one. */
export function codePoints(text: string): number {
  if (!/[\ud800-\udbff]/.test(text)) return text.length; // most texts, and in a tenth of the time
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** A text of 1 to `longest` code points, trimmed, and not only white space. */
export const shortText = (longest: number, description: string) =>
  z
    .string()
    .trim()
    .min(1, { error: "is empty" })
    .refine((text) => codePoints(text) <= longest, { error: `is longer than ${longest} characters` })
    .describe(`${description}; up to ${longest} characters`);

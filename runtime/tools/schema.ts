import { z } from "zod";
import type { JsonSchema, ToolListing } from "./host.js";

/** Draft 7, without `$schema`: the dialect every client's validator reads. With every bound that a tool has. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output"): ToolListing["inputSchema"] {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, {
    target: "draft-7",
    io,
    override: ({ jsonSchema: node }) => plainly(node),
  });
  return { ...plain, type: "object" };
}

/**
 * As `tools/list` shows it. Some clients turn schemas into a dialect that knows one `type` a schema, and each model pays for
 * every word: a far bound is checked, but not listed.
 */
export const listedSchema = (schema: z.ZodType, io: "input" | "output"): ToolListing["inputSchema"] => ({
  ...listed(jsonSchema(schema, io)),
  type: "object",
});

/** Takes away what zod writes and nobody needs: the range of whole numbers in a double, and that keys are texts. */
function plainly(node: z.core.JSONSchema.BaseSchema): void {
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  delete node.propertyNames;
  if (isEmpty(node.additionalProperties)) node.additionalProperties = true;
}

/** A choice: nobody passes such a bound by mistake, and whoever does is told by the refusal. */
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

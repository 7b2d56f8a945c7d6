import { z } from "zod";

/** A choice: as deep as a message of the wire may be (runtime/server/json-rpc.ts). What walks a value recursively is safe up to there. */
const DEEPEST = 64;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A parameter that is any JSON object. It is kept as it came, with keys such as `__proto__`, which zod's records and
 * `z.json()` drop; and it is listed without recursion, which not every client can convert.
 */
export const jsonObject = (description: string) =>
  z
    .unknown()
    .refine((value) => isObject(value) && isJson(value, DEEPEST), {
      error: `is no JSON object of at most ${DEEPEST} levels`,
    })
    .meta({ description, type: "object", additionalProperties: true })
    .transform((value) => value as JsonObject);

function isJson(value: unknown, levels: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (levels === 0 || !(Array.isArray(value) || isObject(value))) return false;
  return Object.values(value).every((inner) => isJson(inner, levels - 1));
}

/** A plain one: a Date or a Map would not come back as it went. */
const isObject = (value: unknown): value is object =>
  Object.prototype.toString.call(value) === "[object Object]";

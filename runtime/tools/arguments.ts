import type { z } from "zod";
import { excerpt, TendrilError } from "../errors.js";
import type { JsonSchema } from "./host.js";

/** So many problems are named; whoever sent more has read nothing yet. */
const MOST_PROBLEMS = 20;

interface Problem {
  readonly parameter: string;
  readonly problem: string;
  /** Where a key stands that the tool does not know. */
  readonly unknownAt?: readonly PropertyKey[];
}

/** The arguments of a call, checked by the tool's schema. Throws INVALID_ARGUMENT, which names every problem. */
export function validArguments(
  tool: string,
  { schema, listed }: { readonly schema: z.ZodObject; readonly listed: JsonSchema },
  given: unknown,
): Record<string, unknown> {
  const checked = schema.safeParse(given, { reportInput: true });
  if (checked.success) return checked.data;
  const all = checked.error.issues.flatMap(problemsOf);
  const told = all.slice(0, MOST_PROBLEMS);
  const named = told.map(({ parameter, problem }) => `${parameter} ${problem}`);
  const more = all.length > told.length ? [`and ${all.length - told.length} more problems`] : [];
  const problems = told.map(({ parameter, problem }) => ({ parameter, problem }));
  const what = [...named, ...more, ...leaveOut(tool, listed, told)].join("; ");
  throw new TendrilError("INVALID_ARGUMENT", `${tool}: ${what}`, { details: { problems } });
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const parameter = (path: PropertyKey[]) => excerpt(path.join(".")) || "arguments";
  if (issue.code === "unrecognized_keys") {
    const problem = "is not a parameter of this tool";
    const unknownAt = issue.path;
    return issue.keys.map((key) => ({ parameter: parameter([...issue.path, key]), problem, unknownAt }));
  }
  const problem = issue.input === undefined ? "is missing" : issue.message;
  return [{ parameter: parameter(issue.path), problem }];
}

/** What to do about unknown keys, once for each kind of object that has some. */
function leaveOut(tool: string, listed: JsonSchema, problems: readonly Problem[]): string[] {
  const places = problems.flatMap(({ unknownAt }) => (unknownAt ? [unknownAt] : []));
  const known = new Set(places.map((path) => `${placeName(tool, path)} has ${keysAt(listed, path)}`));
  const it = places.length > 1 ? "them" : "it";
  return [...known].map((has, at) => (at === 0 ? `leave ${it} out: ${has}` : has));
}

/** Without numbers: all items of a list have the same keys. */
const placeName = (tool: string, path: readonly PropertyKey[]): string =>
  path.length === 0 ? tool : `each item of ${path.filter((part) => typeof part !== "number").join(".")}`;

function keysAt(listed: JsonSchema, path: readonly PropertyKey[]): string {
  const node = path.reduce<JsonSchema | undefined>(inside, listed);
  const keys = Object.keys((node?.properties as object | undefined) ?? {});
  return keys.length === 0 ? "no parameters" : keys.join(", ");
}

const inside = (node: JsonSchema | undefined, part: PropertyKey): JsonSchema | undefined =>
  typeof part === "number"
    ? (node?.items as JsonSchema | undefined)
    : (node?.properties as Readonly<Record<PropertyKey, JsonSchema>> | undefined)?.[part];

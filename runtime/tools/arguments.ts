import type { z } from "zod";
import { excerpt, invalidArgument, notAllowed } from "../errors.js";
import { type Identity, mayActAs } from "../wire/identity.js";
import { META } from "../wire/names.js";
import type { JsonSchema } from "./host.js";
import { CONFIRMABLE, type ConfirmableCode, type Tool } from "./tool.js";

/** How many problems are named; more would not help. */
const MAX_PROBLEMS = 20;

interface Problem {
  readonly parameter: string;
  readonly problem: string;
  /** The path of the object with an unknown key. */
  readonly unknownAt?: readonly PropertyKey[];
}

/** A call's arguments, checked by the tool's schema. Throws INVALID_ARGUMENT, which names every problem. */
export function validArguments(
  tool: string,
  schema: z.ZodObject,
  given: unknown,
  listing: { readonly inputSchema: JsonSchema },
): Record<string, unknown> {
  const checked = schema.safeParse(given, { reportInput: true });
  if (checked.success) return checked.data;
  const { issues } = checked.error;
  const count = issues.reduce((sum, issue) => sum + (isUnknown(issue) ? issue.keys.length : 1), 0);
  const told = issues.slice(0, MAX_PROBLEMS).flatMap(problemsOf).slice(0, MAX_PROBLEMS);
  const named = told.map(({ parameter, problem }) => `${parameter} ${problem}`);
  const more = count > told.length ? [`and ${count - told.length} more problems`] : [];
  const problems = told.map(({ parameter, problem }) => ({ parameter, problem }));
  const what = [...named, ...more, ...leaveOut(tool, listing.inputSchema, told)].join("; ");
  throw invalidArgument(`${tool}: ${what}`, { details: { problems } });
}

const isUnknown = (issue: z.core.$ZodIssue) => issue.code === "unrecognized_keys";

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  const parameter = (path: PropertyKey[]) => excerpt(path.join(".")) || "arguments";
  if (isUnknown(issue)) {
    const problem = "is not a parameter of this tool";
    const unknownAt = issue.path;
    return issue.keys
      .slice(0, MAX_PROBLEMS)
      .map((key) => ({ parameter: parameter([...issue.path, key]), problem, unknownAt }));
  }
  const problem = issue.input === undefined ? "is missing" : issue.message;
  return [{ parameter: parameter(issue.path), problem }];
}

/** How to correct unknown keys, once for each kind of object that has some. */
function leaveOut(tool: string, listed: JsonSchema, problems: readonly Problem[]): string[] {
  const places = problems.flatMap(({ unknownAt }) => (unknownAt ? [unknownAt] : []));
  const known = new Set(places.map((path) => `${placeName(tool, path)} has ${keysAt(listed, path)}`));
  const it = places.length > 1 ? "them" : "it";
  return [...known].map((has, at) => (at === 0 ? `leave ${it} out: ${has}` : has));
}

/** Leaves out numbers, because all items of a list have the same keys. */
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

/** The confirmation's name in a call. */
const KEY = `_meta["${META.confirm}"]`;

/**
 * The refusal that a person overrides, if any. It is outside the arguments, so that no model fills it in. Throws
 * FORBIDDEN for a token that is no person's, and INVALID_ARGUMENT for a refusal that the tool does not have.
 */
export function validConfirmation(
  { name, confirmable = [] }: Pick<Tool<never>, "name" | "confirmable">,
  { confirm, identity }: { readonly confirm?: unknown; readonly identity: Identity },
): ConfirmableCode | undefined {
  if (confirm === undefined) return undefined;
  if (!mayActAs(identity.role, "human"))
    throw notAllowed(`${KEY} of ${name} is for a person, this token is ${identity.role}`);
  const code = CONFIRMABLE.find((each) => each === confirm);
  if (code && confirmable.includes(code)) return code;
  const known = confirmable.length > 0 ? `may be ${confirmable.join(", ")}` : "confirms nothing of this tool";
  const given = typeof confirm === "string" ? JSON.stringify(excerpt(confirm)) : typeof confirm;
  throw invalidArgument(`${KEY} of ${name} is ${given}; it ${known}`);
}

/** As a host's name is, at most 64 long (HOST_NAME_MAX of Linux): other agents read it, so it must not be able to say anything. */
const INSTANCE = /^[A-Za-z0-9._-]{1,64}$/;

/** The name by which agents with the same token differ. Throws INVALID_ARGUMENT for a bad name. */
export function validInstance(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string" && INSTANCE.test(given)) return given;
  throw invalidArgument(`_meta["${META.agent}"] is not 1–64 of letters, digits and -_.`);
}

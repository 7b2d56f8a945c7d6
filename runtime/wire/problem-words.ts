import type { z } from "zod";

/** What is wrong with a value of a configuration file, where its schema has no words of its own. */
export function problemWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") return typeWords(issue);
  if (issue.code === "invalid_value")
    return `must be ${issue.values.map((each) => JSON.stringify(each)).join(" or ")}`;
  if (issue.code === "too_small")
    return leastWords(issue.origin, Number(issue.minimum), issue.inclusive ?? true);
  if (issue.code === "too_big") return `must ${bound(issue.origin, "at most", Number(issue.maximum))}`;
  return undefined;
}

/** By zod's names of types. */
const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  object: "a mapping of keys",
  record: "a mapping of keys",
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

function typeWords({ expected, input }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  const kind = KINDS[expected] ?? expected;
  if (input === null) return `is empty: it must be ${kind}, or leave the key out`;
  return input === undefined ? `is missing: it must be ${kind}` : `must be ${kind}`;
}

function leastWords(origin: string, least: number, inclusive: boolean): string {
  if (origin === "array" && least === 1)
    return "is an empty list: it must have an entry, or leave the key out";
  if (origin === "string" && least === 1) return "must not be empty";
  return `must ${bound(origin, inclusive ? "at least" : "more than", least)}`;
}

function bound(origin: string, relation: string, limit: number): string {
  if (origin === "array") return `have ${relation} ${limit} entries`;
  return origin === "string" ? `have ${relation} ${limit} characters` : `be ${relation} ${limit}`;
}

import { readFileSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
import type { z } from "zod";

/** Makes the error to throw from one line a mistake: file, line, key, and what is wrong with which value. */
export type Complain = (problems: readonly string[]) => Error;

/** A YAML file that keeps to `schema`. Throws what `complain` makes of every mistake at once. An empty file is an empty object. */
export function readConfigFile<T>(file: string, schema: z.ZodType<T>, complain: Complain): T {
  return parseConfigFile(readText(file, complain), file, schema, complain);
}

export function parseConfigFile<T>(text: string, file: string, schema: z.ZodType<T>, complain: Complain): T {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) throw complain(broken.map((error) => `${file}: ${error.message.trim()}`));
  const checked = schema.safeParse(document.toJS() ?? {}, { reportInput: true });
  if (checked.success) return checked.data;
  const where = (path: readonly PropertyKey[]) => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    const offset = (node as { range?: [number, number, number] } | undefined)?.range?.[0];
    return offset === undefined ? file : `${file}:${lines.linePos(offset).line}`;
  };
  throw complain(checked.error.issues.flatMap((issue) => describe(issue, where)));
}

function readText(file: string, complain: Complain): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw complain([`${file}: cannot be read (${(cause as NodeJS.ErrnoException).code})`]);
  }
}

function describe(issue: z.core.$ZodIssue, where: (path: readonly PropertyKey[]) => string): string[] {
  if (issue.code === "unrecognized_keys") {
    const paths = issue.keys.map((key) => [...issue.path, key]);
    return paths.map((path) => `${where(path)}: ${path.map(String).join(".")}: unknown key`);
  }
  const { input, path, message } = issue;
  const got = input === undefined || typeof input === "object" ? "" : ` (got ${JSON.stringify(input)})`;
  return [`${where(path)}: ${path.map(String).join(".") || "the file"}: ${message}${got}`];
}

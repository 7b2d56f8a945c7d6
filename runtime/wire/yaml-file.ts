import { readFileSync } from "node:fs";
import { LineCounter, type Document as ParsedYaml, parseDocument } from "yaml";
import type { z } from "zod";

/** Where a value stands in the file, and a scalar as it stands there. */
interface Written {
  readonly range?: readonly [number, number, number];
  readonly source?: string;
}

/** Makes the error to throw from one line a mistake: file, line, key, what is wrong with which value. */
export type Complain = (problems: readonly string[]) => Error;

export function readYaml<T>(file: string, schema: z.ZodType<T>, complain: Complain): T {
  return parseYaml(readText(file, complain), file, schema, complain);
}

/** Throws what `complain` makes of every mistake at once. An empty text is an empty object. */
export function parseYaml<T>(text: string, file: string, schema: z.ZodType<T>, complain: Complain): T {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) throw complain(broken.map((error) => `${file}: ${error.message.trim()}`));
  const checked = schema.safeParse(plainValue(document, file, complain) ?? {}, { reportInput: true });
  if (checked.success) return checked.data;
  const nodeAt = (path: readonly PropertyKey[]) =>
    (path.length === 0 ? document.contents : document.getIn(path, true)) as Written | undefined;
  const lineOf = (path: readonly PropertyKey[]) => {
    const offset = nodeAt(path)?.range?.[0];
    return offset === undefined ? file : `${file}:${lines.linePos(offset).line}`;
  };
  throw complain(
    checked.error.issues.flatMap((issue) => describe(issue, lineOf, nodeAt(issue.path)?.source)),
  );
}

/** An alias without its anchor, or so many that they would fill the memory, is told only here. */
function plainValue(document: ParsedYaml.Parsed, file: string, complain: Complain): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (error instanceof ReferenceError) throw complain([`${file}: ${error.message}`]);
    throw error;
  }
}

/** Reading that fails for another reason, such as a bus error of the card, may go well the next time. */
const LASTING: ReadonlySet<string> = new Set(["ENOENT", "EACCES", "EPERM", "EISDIR", "ENOTDIR", "ELOOP"]);

function readText(file: string, complain: Complain): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const what = `${file}: cannot be read (${code})`;
    throw LASTING.has(code) ? complain([what]) : new Error(what, { cause });
  }
}

/** `source`: a number is told as it was written, 0x36 and not 54. */
function describe(
  issue: z.core.$ZodIssue,
  lineOf: (path: readonly PropertyKey[]) => string,
  source: string | undefined,
): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map(
      (key) => `${lineOf([...issue.path, key])}: ${keyName([...issue.path, key])}: unknown key`,
    );
  }
  const got =
    issue.input === undefined || typeof issue.input === "object"
      ? ""
      : ` (got ${(typeof issue.input === "number" && source) || JSON.stringify(issue.input)})`;
  return [`${lineOf(issue.path)}: ${keyName(issue.path)}: ${issue.message}${got}`];
}

/** ["plants", 0, "pump"] → plants[0].pump */
const keyName = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${String(part)}`))
    .join("") || "the file";

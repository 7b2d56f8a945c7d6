import { readFileSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { ConfigError } from "./config-error.js";
import { type Config, configSchema } from "./schema.js";

/** Reads and checks a YAML configuration. Throws ConfigError naming every mistake at once. */
export function loadConfig(file: string): Config {
  return parseConfig(readText(file), file);
}

export function parseConfig(text: string, file: string): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) throw new ConfigError(broken.map((error) => `${file}: ${error.message.trim()}`));
  const value: unknown = document.toJS() ?? {};
  const checked = configSchema.safeParse(value, { reportInput: true });
  if (checked.success) return checked.data;
  const lineOf = (path: readonly PropertyKey[]) => {
    const node = path.length === 0 ? document.contents : document.getIn(path, true);
    const offset = (node as { range?: [number, number, number] } | undefined)?.range?.[0];
    return offset === undefined ? file : `${file}:${lines.linePos(offset).line}`;
  };
  throw new ConfigError(checked.error.issues.flatMap((issue) => describe(issue, lineOf)));
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new ConfigError([`${file}: cannot be read (${(cause as NodeJS.ErrnoException).code})`]);
  }
}

function describe(issue: z.core.$ZodIssue, lineOf: (path: readonly PropertyKey[]) => string): string[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map(
      (key) => `${lineOf([...issue.path, key])}: ${keyName([...issue.path, key])}: unknown key`,
    );
  }
  const got =
    issue.input === undefined || typeof issue.input === "object"
      ? ""
      : ` (got ${JSON.stringify(issue.input)})`;
  return [`${lineOf(issue.path)}: ${keyName(issue.path)}: ${issue.message}${got}`];
}

/** ["plants", 0, "pump"] → plants[0].pump */
const keyName = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${String(part)}`))
    .join("") || "the file";

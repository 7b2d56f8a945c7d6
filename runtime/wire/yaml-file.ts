import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Document as ParsedYaml,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import type { z } from "zod";
import { MAPPING, unknownKeyHint } from "./schema-keys.js";

/** The place of a value in the file, and a scalar's text there. */
interface Written {
  readonly range?: readonly [number, number, number];
  readonly source?: string;
}

/** Makes the error to throw. One line for each mistake: file, line, key, what is wrong with which value. */
type Complain = (problems: readonly string[]) => Error;

export function readYaml<T>(file: string, schema: z.ZodType<T>, complain: Complain): T {
  return parseYaml(readText(file, complain), file, schema, complain);
}

/** Throws one error for all mistakes, made by `complain`. An empty text is an empty object. */
export function parseYaml<T>(text: string, file: string, schema: z.ZodType<T>, complain: Complain): T {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  const mistake = firstMistake(document, text, lines);
  if (mistake !== undefined) throw complain([`${file}${mistake}`]);
  const checked = schema.safeParse(plainValue(document, file, complain) ?? {}, {
    reportInput: true,
    error: problemWords,
    jitless: true, // zod makes code of a schema, which pays from the second value on
  });
  if (checked.success) return checked.data;
  const nodeAt = (path: readonly PropertyKey[]) =>
    (path.length === 0 ? document.contents : document.getIn(path, true)) as Written | undefined;
  const lineOf = (path: readonly PropertyKey[]) => {
    const offset = nodeAt(path)?.range?.[0];
    return offset === undefined ? file : `${file}:${lines.linePos(offset).line}`;
  };
  const isWritten = (path: readonly PropertyKey[]) => nodeAt(path) !== undefined;
  throw complain(
    checked.error.issues
      .flatMap(ofItsForm)
      .flatMap((issue) => describe(issue, { schema, lineOf, isWritten, source: nodeAt(issue.path)?.source })),
  );
}

/** What comes after the first one mostly follows from it. */
function firstMistake(document: ParsedYaml.Parsed, text: string, lines: LineCounter): string | undefined {
  const [mistake] = [...document.errors, ...document.warnings];
  const lineAt = (offset: number) => lines.linePos(offset).line;
  return mistake && mistakeInWords(mistake, { text, lineAt, lastQuote: () => lastQuote(document) });
}

function lastQuote(document: ParsedYaml.Parsed): number {
  let last = 0;
  visit(document, {
    Scalar(_, { type, range }) {
      if (type?.startsWith("QUOTE") && range) last = range[0];
    },
  });
  return last;
}

/** The mistakes of a value that may have several forms: those of the one form that it has, where it has one. */
function ofItsForm(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const within = (each: z.core.$ZodIssue) => each.path.length > 0 || each.code === "unrecognized_keys";
  const [only, ...others] = issue.errors.filter((form) => form.every(within));
  if (!only || others.length > 0) return [issue];
  return only.flatMap((each) => ofItsForm({ ...each, path: [...issue.path, ...each.path] }));
}

/** Throws for an alias without its anchor, and for so many aliases that they would fill the memory. */
function plainValue(document: ParsedYaml.Parsed, file: string, complain: Complain): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (error instanceof ReferenceError) throw complain([`${file}: ${error.message}`]);
    throw error;
  }
}

/** Any other reading error, such as a bus error of the card, may go away. */
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

interface Around {
  readonly schema: z.ZodType;
  lineOf(path: readonly PropertyKey[]): string;
  isWritten(path: readonly PropertyKey[]): boolean;
  /** The text of a number, so that a message says 0x36 and not 54. */
  readonly source: string | undefined;
}

function describe(issue: z.core.$ZodIssue, { schema, lineOf, isWritten, source }: Around): string[] {
  if (issue.code === "unrecognized_keys") {
    const { path, input } = issue;
    const place = { path, value: input, isWritten: (key: string) => isWritten([...path, key]) };
    return issue.keys.map((key) => {
      const where = [...path, key];
      const line = lineOf(isWritten(where) ? where : path);
      return `${line}: ${keyName(where)}: unknown key${unknownKeyHint(key, schema, place)}`;
    });
  }
  const got =
    issue.input === undefined || typeof issue.input === "object"
      ? ""
      : ` (got ${(typeof issue.input === "number" && source) || JSON.stringify(issue.input)})`;
  const hasComma = typeof issue.input === "string" && /^-?\d+,\d+$/.test(issue.input);
  const hint = hasComma && issue.code === "invalid_type" ? ": a decimal number has a point, as 1.5" : "";
  return [`${lineOf(issue.path)}: ${keyName(issue.path)}: ${issue.message}${got}${hint}`];
}

/** ["plants", 0, "pump"] → plants[0].pump */
const keyName = (path: readonly PropertyKey[]): string =>
  path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${String(part)}`))
    .join("") || "the file";

type Path = readonly (string | number)[];

/** The text cannot be changed in this one place only; the message says why, as a clause. */
export class UneditableYaml extends Error {
  override readonly name = "UneditableYaml";
}

/**
 * Sets numbers in the mapping at `path` and leaves every other byte. (The package's own writer keeps comments and
 * order, but changes blank lines and spaces.) Reads the result again: only these keys may differ. Throws
 * UneditableYaml, for example for a mapping that an alias shares with others.
 */
export function setInYaml(text: string, path: Path, values: Readonly<Record<string, number>>): string {
  const entries = Object.entries(values);
  const edited = entries.reduce((done, [key, value]) => setOne(done, [...path, key], value), text);
  const [asked, got] = [text, edited].map(plainData);
  for (const [key, value] of entries) setIn(asked, [...path, key], value);
  if (!isDeepStrictEqual(got, asked)) throw new UneditableYaml(`${nameOf(path)} cannot be changed alone`);
  return edited;
}

/** Plain data in which nothing is shared: each alias becomes a copy. */
const plainData = (text: string): unknown => JSON.parse(JSON.stringify(parseDocument(text).toJS()));

function setOne(text: string, path: Path, value: number): string {
  const document = parseDocument(text);
  const node = document.getIn(path, true);
  if (isScalar(node) && node.range) return splice(text, node.range[0], node.range[1], String(value));
  const { map, depth } = deepestMap(document, path);
  const [key, ...rest] = path.slice(depth);
  if (rest.some((part) => typeof part === "number"))
    throw new UneditableYaml(`the file does not have ${nameOf(path.slice(0, depth + 1))}`);
  const written = rest.reduceRight<string>((inner, part) => `{ ${part}: ${inner} }`, String(value));
  return map.flow ? addInBraces(text, map, `${key}: ${written}`) : addAsLine(text, map, `${key}: ${written}`);
}

/** The mapping in which the rest of the path is missing. */
function deepestMap(document: Document, path: Path): { readonly map: YAMLMap; readonly depth: number } {
  for (let depth = path.length - 1; depth >= 0; depth -= 1) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (isMap(node)) return { map: node, depth };
    if (node) throw new UneditableYaml(`${nameOf(path.slice(0, depth)) || "the file"} is no mapping`);
  }
  throw new UneditableYaml("the file is empty");
}

function addInBraces(text: string, map: YAMLMap, pair: string): string {
  const last = endOf(map);
  if (map.items.length > 0) return splice(text, last, last, `, ${pair}`);
  const [start, end] = map.range ?? [0, 0];
  return splice(text, start, end, `{ ${pair} }`);
}

/** Below the last line of the mapping, indented like its first key. */
function addAsLine(text: string, map: YAMLMap, pair: string): string {
  const [first] = (map.items[0]?.key as Node | undefined)?.range ?? [0];
  const indent = first - (text.lastIndexOf("\n", first - 1) + 1);
  const newline = text.indexOf("\n", endOf(map) - 1); // a block of text ends after its newline
  const at = newline < 0 ? text.length : newline;
  return splice(text, at, at, `\n${" ".repeat(indent)}${pair}`);
}

/** After the last character of a mapping's last value. */
function endOf({ items }: YAMLMap): number {
  const { key, value } = items.at(-1) ?? {};
  return endOfValue((value ?? key) as Node | undefined);
}

/** The package counts the lines after a block collection as part of it, so this looks at its last value. */
function endOfValue(node: Node | undefined): number {
  if (isMap(node) && !node.flow) return endOf(node);
  if (isSeq(node) && !node.flow) return endOfValue(node.items.at(-1) as Node | undefined);
  return node?.range?.[1] ?? 0;
}

const splice = (text: string, from: number, to: number, put: string): string =>
  text.slice(0, from) + put + text.slice(to);

/** Sets the value in plain data, and makes the missing mappings. */
function setIn(data: unknown, path: Path, value: number): void {
  const [key, ...rest] = path as [string, ...string[]];
  const at = data as Record<string, unknown>;
  if (rest.length === 0) at[key] = value;
  else {
    at[key] ??= {};
    setIn(at[key], rest, value);
  }
}

const nameOf = (path: Path): string =>
  path.map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${part}`)).join("");

/** What is wrong with a value of a configuration file, where its schema has no words of its own. */
function problemWords(issue: z.core.$ZodRawIssue): string | undefined {
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
  object: MAPPING,
  record: MAPPING,
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

/** A mistake as the parser tells it. */
interface Mistake {
  readonly code: string;
  readonly message: string;
  /** Where it was found, in the text. */
  readonly pos: readonly [number, number];
}

interface Place {
  readonly text: string;
  lineAt(offset: number): number;
  /** Where the last text in quotes begins: one that is not closed goes on to the end of the file. */
  lastQuote(): number;
}

/**
 * What follows the file's name: plain words for the mistakes that people make most, else the parser's. No value is in them: the
 * file may hold secrets.
 */
function mistakeInWords(mistake: Mistake, { text, lineAt, lastQuote }: Place): string {
  const known = KNOWN.find(({ is }) => is(mistake, text));
  if (!known) return `: ${mistake.message.trim()}`;
  return `:${lineAt(known.isQuote ? lastQuote() : mistake.pos[0])}: ${known.words(mistake)}`;
}

interface Known {
  is(mistake: Mistake, text: string): boolean;
  words(mistake: Mistake): string;
  /** It is told where the quote begins: the parser tells where the text ends. */
  readonly isQuote?: true;
}

const BRACKET = /end with a ([\]}])/;

const KNOWN: readonly Known[] = [
  {
    is: ({ code, pos }, text) => code === "MULTILINE_IMPLICIT_KEY" && /^[\w-]+:\S/.test(text.slice(pos[0])),
    words: () => "a space is missing after the colon",
  },
  {
    is: ({ code, message }) => code === "MISSING_CHAR" && /^Missing closing ["']quote/.test(message),
    words: () => "the quote that begins here is not closed",
    isQuote: true,
  },
  {
    is: ({ code }) => code === "TAB_AS_INDENT",
    words: () => "a tab stands at the beginning of the line: write spaces",
  },
  {
    is: ({ message }) => BRACKET.test(message),
    words: ({ message }) => `a ${BRACKET.exec(message)?.[1]} is missing here or before`,
  },
];

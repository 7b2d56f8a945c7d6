import { z } from "zod";
import { DRIVER_ERRORS } from "../../drivers/errors.js";
import { configSchema } from "../configuration.js";
import { RUNTIME_ERRORS } from "../services/modules.js";
import { jsonSchema } from "../tools/parameters.js";
import type { Annotations, Tool } from "../tools/tool.js";

const GENERATED = "<!-- Written by `npm run docs` from the declarations. A test holds both together. -->";

const TOOLS_HEADING = `# Tools

${GENERATED}

Every tool refuses a parameter that it does not have. Times are UTC, ISO 8601 with milliseconds and \`Z\`; inputs take any
offset, and a time without one is UTC. What a refusal means: [errors.md](errors.md).

*Role* is the least that may call a tool: human ⊃ agent ⊃ observer. A *scope* is a kind of token that may call only the tools
marked with it, and what switches off. With several plants configured, tools marked
*per plant* also take \`plant\` (id or name, in any case; the first configured one by default).
`;

/** docs/tools.md: all tools by their declarations. */
export const toolsPage = (tools: readonly Tool[]): string =>
  [TOOLS_HEADING, index(tools), ...tools.map(toolSection)].join("\n");

const index = (tools: readonly Tool[]): string =>
  `${tools.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(" ·\n")}\n`;

function toolSection(tool: Tool): string {
  return [
    `## ${tool.name}\n`,
    `${tool.description}\n`,
    `${traits(tool).join(" · ")}\n`,
    parameters(fieldsOf(jsonSchema(tool.input, "input"))),
    results(fieldsOf(jsonSchema(tool.output, "output"))),
  ].join("\n");
}

const traits = ({
  role,
  scopes = [],
  scopesOnly,
  listedTo,
  perPlant,
  switchesOff,
  facts,
}: Tool): string[] => [
  scopesOnly ? "Role: none" : `Role: ${role}`,
  ...scopes.map((scope) => `scope: ${scope}`),
  ...(listedTo ? [`listed to: ${listedTo}`] : []),
  ...(perPlant ? ["per plant"] : []),
  ...(switchesOff ? ["switches off: never limited, held or gated"] : []),
  ...hints(facts.annotations),
];

const hints = (annotations: Annotations): string[] =>
  Object.entries(annotations).map(([hint, value]) => `\`${hint}: ${value}\``);

function parameters(fields: readonly Field[]): string {
  if (fields.length === 0) return "No parameters.\n";
  const rows = fields.map((field) => [`\`${field.path}\``, field.type, given(field), field.description]);
  return table(["parameter", "type", "if left out", ""], rows);
}

const given = ({ default: preset, required }: Field): string => {
  if (preset !== undefined) return `\`${preset}\``;
  return required ? "required" : "";
};

const results = (fields: readonly Field[]): string =>
  table(
    ["result", "type", ""],
    fields.map(({ path, type, required, description }) => [
      `\`${path}\``,
      type,
      [required ? "" : "may be absent", description].filter(Boolean).join("; "),
    ]),
  );

type ErrorTable = Readonly<Record<string, { readonly retryable: boolean; readonly fix: string }>>;

/** The agent's tables: failures of its link to a runtime, and its own refusals of a model's calls. */
export interface AgentErrors {
  readonly link: ErrorTable;
  readonly calls: ErrorTable;
}

const ERRORS_HEADING = `# Errors

${GENERATED}

For people who write an agent or a client. A refused tool call is a result with \`isError: true\`. Its text is
\`{"error": {"code", "message", "retryable", "retry_after_s"?, "details"?}}\`. The message says what happened, where, and
what to do next. \`retryable\` says whether the same call may succeed later, \`retry_after_s\` the earliest time, and
\`details\` has the figures. HTTP answers have the same object.
`;

const CONFIG_ERRORS: ErrorTable = {
  CONFIG_INVALID: { retryable: false, fix: "correct the file and start again" },
};

/** docs/errors.md: all codes. */
export const errorsPage = ({ link, calls }: AgentErrors): string =>
  [
    ERRORS_HEADING,
    errorSection("The runtime", "Refusals of a call, a connection or a start.", RUNTIME_ERRORS),
    errorSection(
      "The hardware",
      "What a driver reports, at the start or as the cause of a refusal.",
      DRIVER_ERRORS,
    ),
    errorSection("The configuration", "Every mistake is named with its file, line and key.", CONFIG_ERRORS),
    errorSection("The agent's link", "Why `tendril agent` does not reach a runtime.", link),
    errorSection(
      "The agent's calls",
      "What the agent answers a call of its model, instead of the runtime.",
      calls,
    ),
  ].join("\n");

const errorSection = (title: string, about: string, errors: ErrorTable): string =>
  `## ${title}\n\n${about}\n\n${codes(errors)}`;

const codes = (errors: ErrorTable): string =>
  table(
    ["code", "retryable", "what to do"],
    Object.entries(errors).map(([code, { retryable, fix }]) => [
      `\`${code}\``,
      retryable ? "yes" : "no",
      fix,
    ]),
  );

/** The part of JSON Schema that the tools' declarations use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  /** Of a discriminated union. */
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

interface Field {
  /** Dotted path; `[]` stands for every item of an array. */
  readonly path: string;
  readonly type: string;
  /** As JSON; undefined without a default. */
  readonly default: string | undefined;
  readonly required: boolean;
  readonly description: string;
}

/** The fields of an object, each followed by its nested fields. */
export function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ""): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const field = {
      path,
      type: typeOf(schema),
      default: schema.default === undefined ? undefined : JSON.stringify(schema.default),
      required: required.includes(name),
      description: schema.description ?? "",
    };
    return [field, ...nestedFields(schema, path)];
  });
}

/** Fields of an object, of an array's items, or of all alternatives. */
function nestedFields(schema: Schema, path: string): Field[] {
  if (schema.items) return nestedFields(schema.items, `${path}[]`);
  const kinds = schema.anyOf ?? schema.oneOf;
  if (kinds) return alternatives(kinds, path);
  return fieldsOf(schema, `${path}.`);
}

/** With several kinds of objects no field is certain. */
function alternatives(schemas: readonly Schema[], path: string): Field[] {
  const several = schemas.filter(({ type }) => type === "object").length > 1;
  const fields = schemas.flatMap((each) => nestedFields(each, path));
  return fields.map((field) => ({ ...field, required: field.required && !several }));
}

/** In words: `integer 10–25`, `"on" or "off"`, `text or null`, `list of object, up to 100`. */
function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return anyOf(schema.enum.map((value) => JSON.stringify(value)));
  const kinds = schema.anyOf ?? schema.oneOf;
  if (kinds) return anyOf([...new Set(kinds.map(typeOf))]);
  if (Array.isArray(schema.type)) return anyOf(schema.type.map((type: string) => typeOf({ type })));
  if (schema.type === "array") return listOf(schema);
  if (schema.type === "string") return `text${lengthOf(schema)}`;
  if (schema.type === "number" || schema.type === "integer") return `${schema.type}${rangeOf(schema)}`;
  return typeof schema.type === "string" ? schema.type : "any JSON";
}

function anyOf(types: readonly string[]): string {
  const last = types.at(-1) ?? "";
  return types.length > 1 ? `${types.slice(0, -1).join(", ")} or ${last}` : last;
}

const listOf = ({ items = {}, maxItems }: Schema): string =>
  `list of ${typeOf(items)}${maxItems === undefined ? "" : `, up to ${figure(maxItems)}`}`;

function lengthOf({ minLength, maxLength }: Schema): string {
  if (maxLength !== undefined)
    return ` of ${minLength === undefined ? "up to " : `${minLength}–`}${figure(maxLength)} characters`;
  return minLength === undefined ? "" : ", not empty";
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: Schema): string {
  const least = minimum === undefined ? undefined : figure(minimum);
  const most = maximum === undefined ? undefined : figure(maximum);
  if (exclusiveMinimum !== undefined)
    return ` above ${figure(exclusiveMinimum)}${most ? `, up to ${most}` : ""}`;
  if (least !== undefined && most !== undefined) return ` ${least}–${most}`;
  if (least !== undefined) return ` from ${least}`;
  return most === undefined ? "" : ` up to ${most}`;
}

const figure = (value: number): string => value.toLocaleString("en");

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(" | ")} |`;
  return `${[line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}

const escaped = (cell: string): string => cell.replaceAll("|", "\\|").replaceAll("\n", " ");

const HEADING = `# All keys of the configuration

${GENERATED}

For the owner. Every key of \`tendril.yaml\`, with its values and its default. An example, and how the file is found and
checked: [configuration.md](configuration.md). \`[]\` stands for every entry of a list. The agent's own file:
[agent.md](agent.md).
`;

/** docs/configuration-keys.md: every key by its declaration. */
export const configurationPage = (): string =>
  [HEADING, table(["key", "values", "default", ""], alikeTogether(configurationKeys().map(row)))].join("\n");

/** Keys beside each other that differ in their names alone are one row. */
function alikeTogether(rows: readonly string[][]): string[][] {
  const together: string[][] = [];
  for (const [key = "", ...rest] of rows) {
    const [keys = "", ...above] = together.at(-1) ?? [];
    if (above.join() === rest.join()) together.splice(-1, 1, [`${keys}, ${key}`, ...rest]);
    else together.push([key, ...rest]);
  }
  return together;
}

/** Every key that takes a value, and every group of keys that says what it is for. */
export const configurationKeys = (): readonly Field[] =>
  merged(fieldsOf(described())).filter(({ type, description }) => type !== "object" || description);

/** As the file is read, with every default: what `tendril config` prints. */
const described = (): Schema =>
  z.toJSONSchema(configSchema, { target: "draft-7", io: "output", unrepresentable: "any" }) as Schema;

/** A key that several kinds have, such as the address of a probe, is one row. */
function merged(fields: readonly Field[]): readonly Field[] {
  const byPath = new Map<string, Field>();
  for (const field of fields) {
    const first = byPath.get(field.path);
    byPath.set(field.path, first ? both(first, field) : field);
  }
  return [...byPath.values()];
}

const both = (one: Field, other: Field): Field => ({
  ...one,
  type: together(one.type, other.type, " or "),
  default: together(one.default, other.default, " or "),
  description: together(one.description, other.description, "; "),
});

function together<T extends string | undefined>(one: T, other: T, by: string): T {
  return (one && other && one !== other ? `${one}${by}${other}` : one || other) as T;
}

const row = ({ path, type, default: preset, description }: Field): string[] => {
  const shown = path.endsWith(".address") ? inHexadecimal : (text: string) => text;
  return [`\`${path}\``, shown(type), preset === undefined ? "" : `\`${shown(preset)}\``, description];
};

/** As datasheets and i2cdetect write addresses. */
const inHexadecimal = (text: string): string =>
  text.replaceAll(/\d+/g, (figure) => `0x${Number(figure).toString(16)}`).replace("integer ", "");

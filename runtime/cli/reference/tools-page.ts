import { jsonSchema } from "../../tools/parameters.js";
import type { Annotations, Tool } from "../../tools/tool.js";
import { type Field, fieldsOf } from "./schema-words.js";
import { GENERATED, table } from "./table.js";

const HEADING = `# Tools

${GENERATED}

Every tool refuses a parameter that it does not have. Times are UTC, ISO 8601 with milliseconds and \`Z\`; inputs take any
offset, and a time without one is UTC. What a refusal means: [errors.md](errors.md).

*Role* is the least that may call a tool: human ⊃ agent ⊃ observer. A *scope* is a kind of token that may call only the tools
marked with it, and what switches off. With several plants configured, tools marked
*per plant* also take \`plant\` (id or name, in any case; the first configured one by default).
`;

/** docs/tools.md: every tool as it is declared. */
export const toolsPage = (tools: readonly Tool[]): string =>
  [HEADING, index(tools), ...tools.map(section)].join("\n");

const index = (tools: readonly Tool[]): string =>
  `${tools.map(({ name }) => `[${name}](#${name})`).join(" ·\n")}\n`;

function section(tool: Tool): string {
  return [
    `## ${tool.name}\n`,
    `${tool.description}\n`,
    `${traits(tool).join(" · ")}\n`,
    parameters(fieldsOf(jsonSchema(tool.input, "input"))),
    results(fieldsOf(jsonSchema(tool.output, "output"))),
  ].join("\n");
}

const traits = ({ role, scopes = [], listedTo, perPlant, switchesOff, facts }: Tool): string[] => [
  `Role: ${role}`,
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

import { z } from "zod";
import { configSchema } from "../configuration.js";
import { type Field, fieldsOf, GENERATED, type Schema, table } from "./reference-pages.js";

const HEADING = `# All keys of the configuration

${GENERATED}

For the owner. Every key of \`tendril.yaml\`, with its values and its default. An example, and how the file is found and
checked: [configuration.md](configuration.md). \`[]\` stands for every entry of a list. The agent's own file:
[agent.md](agent.md).
`;

/** docs/configuration-keys.md: every key by its declaration. */
export const configurationPage = (): string =>
  [HEADING, table(["key", "values", "default", ""], configurationKeys().map(row))].join("\n");

/** Every key that takes a value, and every group of keys that says what it is for. */
export const configurationKeys = (): readonly Field[] =>
  merged(fieldsOf(described())).filter(({ type, description }) => !GROUPS.includes(type) || description);

const GROUPS = ["object"];

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

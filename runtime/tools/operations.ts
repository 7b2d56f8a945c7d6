import { z } from "zod";
import { ROLES } from "../wire/identity.js";
import { type Facts, LABEL, type ServiceKey, type Tool } from "./tool.js";

/** A tool with several operations, as in seed 004. */
interface OperationsTool<S> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly service: ServiceKey<S>;
  /** Each is declared like a tool, under the operation's name. */
  readonly operations: readonly Tool[];
}

/**
 * Declares a tool with several operations. Each operation has its own parameters, role, facts and result, and its calls
 * are checked against those. `tools/list` shows one tool with the parameters of all.
 */
export function defineOperations<S>(declared: OperationsTool<S>): Tool {
  const { name, title, description, service, operations } = declared;
  // made when somebody asks: to compare the fields of all operations takes longer than all else that a tool is made of
  let input: z.ZodObject | undefined;
  let output: z.ZodObject | undefined;
  return {
    name,
    description,
    service,
    facts: { title, annotations: together(operations.map(({ facts }) => facts)), speaks: false },
    role: ROLES.find((role) => operations.some((each) => each.role === role)) ?? "human",
    operations: operations.map((each) => formOf(name, each)),
    get input() {
      input ??= inputOfAll(operations);
      return input;
    },
    get output() {
      output ??= z.object(allFields(operations.map((each) => each.output as z.ZodObject)));
      return output;
    },
    run: () => {
      throw new Error(`${name} was run without an operation`);
    },
  };
}

function inputOfAll(operations: readonly Tool[]): z.ZodObject {
  const shared = Object.keys(operations[0]?.input.shape ?? {}).filter((parameter) =>
    operations.every(({ input }) => parameter in input.shape),
  );
  const usage = operations.map((each) => usageOf(each, shared)).join(" · ");
  const choice = z.enum(operations.map((each) => each.name)).describe(usage);
  return z.strictObject({ operation: choice, ...allFields(operations.map(({ input }) => input)) });
}

/** The forms in which a tool is called: its operations, or itself. */
export const formsOf = (tool: Tool): readonly Tool[] => tool.operations ?? [tool];

/** The operation as a tool of its own, with `operation` as its first parameter. */
const formOf = (name: string, operation: Tool): Tool => ({
  ...operation,
  name,
  [LABEL]: `${name} ${operation.name}`,
  input: z.strictObject({ operation: z.literal(operation.name), ...operation.input.shape }),
  run: ({ operation: _, ...args }, context) => operation.run(args, context),
});

/** "add_item(list_name?, list_id?, item_text)": the parameters that not all operations share. */
function usageOf({ name, input }: Tool, shared: readonly string[]): string {
  const parameters = Object.entries(input.shape)
    .filter(([parameter]) => !shared.includes(parameter))
    .map(([parameter, schema]) =>
      (schema as z.ZodType).safeParse(undefined).success ? `${parameter}?` : parameter,
    );
  return `${name}(${parameters.join(", ")})`;
}

/** What a client may assume of all operations: the least that holds for each. */
const together = (all: readonly Facts[]): Facts["annotations"] => ({
  destructiveHint: all.some(({ annotations }) => annotations.destructiveHint === true),
  idempotentHint: all.every(
    ({ annotations }) => (annotations.idempotentHint ?? annotations.readOnlyHint) === true,
  ),
  openWorldHint: all.some(({ annotations }) => annotations.openWorldHint),
});

/** Every field of the schemas, made optional. A field with different declarations may be any of them. */
function allFields(schemas: readonly z.ZodObject[]): Record<string, z.ZodOptional> {
  const fields = new Map<string, z.ZodType[]>();
  for (const { shape } of schemas)
    for (const [key, schema] of Object.entries(shape)) {
      const known = fields.get(key) ?? [];
      const plain = withoutDefault(schema as z.ZodType);
      if (!known.some((each) => isSame(each, plain))) fields.set(key, [...known, plain]);
    }
  return Object.fromEntries(
    [...fields].map(([key, [first, ...others]]) => [
      key,
      z.optional(others.length === 0 ? (first as z.ZodType) : z.union([first as z.ZodType, ...others])),
    ]),
  );
}

function withoutDefault(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  return isWrapped ? withoutDefault(schema.unwrap() as z.ZodType) : schema;
}

const isSame = (a: z.ZodType, b: z.ZodType): boolean =>
  JSON.stringify(z.toJSONSchema(a, { unrepresentable: "any" })) ===
  JSON.stringify(z.toJSONSchema(b, { unrepresentable: "any" }));

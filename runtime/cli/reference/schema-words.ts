/** As much of JSON Schema as the tools' declarations use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
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

export interface Field {
  /** Dotted path; `[]` stands for every item of an array. */
  readonly path: string;
  readonly type: string;
  /** As JSON; undefined where there is none. */
  readonly default: string | undefined;
  readonly required: boolean;
  readonly description: string;
}

/** The fields of an object, those of nested objects behind them. */
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

/** Of an object, of the items of an array, of every alternative. */
function nestedFields(schema: Schema, path: string): Field[] {
  if (schema.items) return nestedFields(schema.items, `${path}[]`);
  if (schema.anyOf) return alternatives(schema.anyOf, path);
  return fieldsOf(schema, `${path}.`);
}

/** Where objects of several kinds may come, no field is certain. */
function alternatives(schemas: readonly Schema[], path: string): Field[] {
  const several = schemas.filter(({ type }) => type === "object").length > 1;
  const fields = schemas.flatMap((each) => nestedFields(each, path));
  return fields.map((field) => ({ ...field, required: field.required && !several }));
}

/** In words: `integer 10–25`, `"on" or "off"`, `text or null`, `list of object, up to 100`. */
export function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return anyOf(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.anyOf) return anyOf([...new Set(schema.anyOf.map(typeOf))]);
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

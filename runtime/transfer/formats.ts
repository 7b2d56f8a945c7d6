import { z } from "zod";
import { TendrilError } from "../errors.js";
import { QUANTITIES, type Quantity, RANGES, SOIL_RANGES } from "../store/measurements.js";
import { parseJson } from "../wire/refusal.js";
import { shortId } from "../wire/short-id.js";

/** A row of an export. Soil has three figures more than what else is measured. */
export interface TransferRow {
  /** ISO 8601 in UTC, with milliseconds. */
  readonly time_utc: string;
  /** A plant's id, or the name of a room. */
  readonly place: string;
  readonly quantity: Quantity | typeof SOIL;
  readonly value: number;
  readonly unit: string;
  /** Null: good. */
  readonly quality: string | null;
  /** Of the soil: counts, noise in counts, and the level in the unit of the probe's calibration. Null otherwise. */
  readonly raw: number | null;
  readonly noise: number | null;
  readonly level: number | null;
}

export const SOIL = "soil_moisture";
export const UNITS: Readonly<Record<string, string>> = { ...QUANTITIES, [SOIL]: "%" };
export type Format = "csv" | "jsonl";

const COLUMNS = [
  "time_utc",
  "place",
  "quantity",
  "value",
  "unit",
  "quality",
  "raw",
  "noise",
  "level",
] as const;
export const CSV_HEADER = COLUMNS.join(",");

export const lineOf = (row: TransferRow, format: Format): string =>
  format === "jsonl" ? JSON.stringify(row) : COLUMNS.map((column) => csvField(row[column])).join(",");

/** RFC 4180, 2: a field with a comma, a quote or a line break stands in quotes. */
function csvField(value: string | number | null): string {
  const text = value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const within = ([least, most]: readonly [number, number], number = z.number()) => {
  const error = `must be from ${least} to ${most}`;
  return number.min(least, { error }).max(most, { error });
};

/** Milliseconds. Choices: a clock that nobody has set shows 1970 or later, and what is after 2099 is a mistake. */
const TIMES = [Date.UTC(1970, 0), Date.UTC(2100, 0) - 1] as const;
const time_utc = z.iso.datetime().refine((time) => isWithin(Date.parse(time), TIMES), {
  error: "must be from 1970 to 2099",
});
const isWithin = (number: number, [least, most]: readonly [number, number]): boolean =>
  number >= least && number <= most;
const unit = z.string();

const soil = z.strictObject({
  time_utc,
  place: shortId,
  quantity: z.literal(SOIL),
  value: within(SOIL_RANGES.percent),
  unit,
  quality: z.null(),
  raw: within(SOIL_RANGES.value, z.int()),
  noise: within(SOIL_RANGES.noise),
  level: within(SOIL_RANGES.level),
});
const other = z.strictObject({
  time_utc,
  // as long as the name of a room may be in the configuration
  place: z.string().min(1).max(60),
  quantity: z.enum(Object.keys(QUANTITIES) as [Quantity, ...Quantity[]]),
  value: z.number(),
  unit,
  // none is longer that a reading was given
  quality: z.string().min(1).max(60).nullable(),
  raw: z.null(),
  noise: z.null(),
  level: z.null(),
});
const row = z
  .discriminatedUnion("quantity", [soil, other])
  .refine(({ quantity, unit }) => unit === UNITS[quantity], {
    path: ["unit"],
    error: "is not the quantity's unit",
  })
  .superRefine(({ quantity, value }, ctx) => {
    if (quantity === SOIL) return;
    const { error } = within(RANGES[quantity]).safeParse(value);
    if (error) ctx.addIssue({ code: "custom", path: ["value"], message: error.issues[0]?.message ?? "" });
  });

/** The row of a line. Throws IMPORT_INVALID, which names the line. */
export function parseLine(line: string, format: Format, number: number): z.output<typeof row> {
  const found = row.safeParse(format === "jsonl" ? (parseJson(line) ?? line) : fromCsv(line));
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  throw invalidLine(number, `${issue?.path.join(".") || "the line"}: ${issue?.message}`);
}

export const invalidLine = (number: number, what: string): TendrilError =>
  new TendrilError("IMPORT_INVALID", `line ${number}: ${what}`, { details: { line: number } });

const NUMBERS: readonly string[] = ["value", "raw", "noise", "level"];
const NULLABLE: readonly string[] = ["quality", "raw", "noise", "level"];

function fromCsv(line: string): unknown {
  const fields = csvFields(line);
  if (fields.length !== COLUMNS.length) return undefined;
  return Object.fromEntries(
    COLUMNS.map((column, at) => {
      const text = fields[at] ?? "";
      if (text === "" && NULLABLE.includes(column)) return [column, null];
      return [column, NUMBERS.includes(column) && text.trim() !== "" ? Number(text) : text];
    }),
  );
}

function csvFields(line: string): string[] {
  const fields = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))(?=,|$)/g);
  return [...fields].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "");
}

/** Whether a line of CSV goes on in the next one: a quote is still open. */
export const isOpenQuote = (line: string): boolean => (line.match(/"/g)?.length ?? 0) % 2 === 1;

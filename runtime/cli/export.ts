import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { invalidArgument, notFound } from "../errors.js";
import { Database, type SqlValue } from "../store/database.js";
import { QUANTITIES } from "../store/measurements.js";
import { DATABASE_FILE } from "../store/open-database.js";

interface ExportOptions {
  readonly state: string;
  /** Epoch milliseconds, both included. Absent: from the first row, to the last. */
  readonly from?: number;
  readonly until?: number;
  /** Plants' ids and names of rooms. Empty: all. */
  readonly plant: readonly string[];
  /** Empty: all. */
  readonly quantity: readonly string[];
  readonly to?: string;
}

/** Writes what was measured to a file, which appears when it is complete, or to standard output. */
export async function exportHistory(options: ExportOptions): Promise<void> {
  const { to } = options;
  // rows on the terminal are progress enough, and a bar would run into them
  const isQuiet = !process.stderr.isTTY || (to === undefined && process.stdout.isTTY);
  const lines = Readable.from(exportLines(options, isQuiet ? () => undefined : showProgress));
  try {
    if (to === undefined) await pipeline(lines, process.stdout, { end: false });
    else await writeWhole(lines, resolve(to));
  } finally {
    if (!isQuiet) process.stderr.write("\r\u001b[K"); // ECMA-48, EL
  }
}

async function writeWhole(lines: Readable, file: string): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(lines, createWriteStream(part, { mode: 0o600, flush: true }));
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

const WIDTH = 30;

/** `done`: the share, from 0 to 1. */
function showProgress(done: number): void {
  const filled = Math.round(done * WIDTH);
  process.stderr.write(`\r${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${Math.round(done * 100)} %`);
}

const SOIL = "soil_moisture";
const COLUMNS = ["time_utc", "place", "quantity", "value", "unit", "quality", "raw", "noise", "level"];

/** By columns, with `seq` and `at`. Soil has three figures more than what else is measured: counts, their noise, and the probe's level. */
const SOURCES = [
  `SELECT seq, at, plant AS place, '${SOIL}' AS quantity, percent AS value, '%' AS unit, NULL AS quality,
     value AS raw, noise, level FROM readings`,
  `SELECT seq, at, place, quantity, value, unit, quality, NULL AS raw, NULL AS noise, NULL AS level FROM measurements`,
];

/** So many rows are in memory at once. A choice: a page of a few hundred kilobytes. */
const PAGE = 2000;

/**
 * CSV, in the order in which the rows arrived: the soil's first. The runtime may run; what it has not committed yet is not there.
 * Throws NOT_FOUND without a database, INVALID_ARGUMENT for a quantity that is not measured, STORE_FAILED.
 */
async function* exportLines(options: ExportOptions, onProgress: (done: number) => void) {
  const { state, quantity } = options;
  const file = join(state, DATABASE_FILE);
  if (!existsSync(file)) throw notFound(`there is no history in ${state}`);
  const known = [SOIL, ...Object.keys(QUANTITIES)];
  const unknown = quantity.filter((each) => !known.includes(each));
  if (unknown.length > 0)
    throw invalidArgument(`no quantity is called ${unknown}; there are: ${known.join(", ")}`);
  const database = await Database.open({ file, setup: ["PRAGMA busy_timeout = 2000"], readOnly: true });
  try {
    yield `${COLUMNS}\n`;
    for (const [at, source] of SOURCES.entries())
      yield* linesOf(database, source, options, (done) => onProgress((at + done) / SOURCES.length));
  } finally {
    await database.close();
  }
}

/** Page after page by `seq`: each is a read of its own, so that a long export holds up no checkpoint of the runtime. */
async function* linesOf(
  database: Database,
  source: string,
  { from = -8.64e15, until = 8.64e15, plant, quantity }: ExportOptions,
  onProgress: (done: number) => void,
) {
  const table = source.slice(source.lastIndexOf(" ") + 1);
  const last = (await database.get<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${table}`))?.seq ?? 0;
  const sql = `SELECT * FROM (${source} WHERE seq > ? AND seq <= ?) WHERE at >= CAST(? AS INTEGER) AND at <= CAST(? AS INTEGER)
    AND (? = '[]' OR place IN (SELECT value FROM json_each(?))) AND (? = '[]' OR quantity IN (SELECT value FROM json_each(?)))
    ORDER BY seq`;
  const among: SqlValue[] = [plant, plant, quantity, quantity].map((each) => JSON.stringify(each));
  for (let seq = 0; seq < last; seq += PAGE) {
    const end = Math.min(last, seq + PAGE);
    const rows = await database.all<Row>(sql, [seq, end, from, until, ...among]);
    onProgress(end / last);
    if (rows.length > 0) yield rows.map(lineOf).join("");
  }
}

type Row = Readonly<Record<string, string | number | null>> & { readonly at: number };

function lineOf(row: Row): string {
  const cells = { ...row, time_utc: new Date(row.at).toISOString() };
  return `${COLUMNS.map((column) => cell(cells[column as keyof typeof cells]))}\n`;
}

/** RFC 4180, 2: a field with a comma, a quote or a line break stands in quotes. */
function cell(value: string | number | null): string {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

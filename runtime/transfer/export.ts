import { existsSync } from "node:fs";
import { join } from "node:path";
import { invalidArgument, notFound } from "../errors.js";
import { Database, type SqlValue } from "../store/database.js";
import { QUANTITIES } from "../store/measurements.js";
import { DATABASE_FILE } from "../store/open-database.js";
import { CSV_HEADER, type Format, lineOf, SOIL, type TransferRow, UNITS } from "./formats.js";

interface ExportQuery {
  readonly state: string;
  readonly format: Format;
  /** Epoch milliseconds, both included. Absent: from the first row, to the last. */
  readonly from?: number;
  readonly to?: number;
  /** Plants' ids and names of rooms. Empty: all. */
  readonly places: readonly string[];
  /** Empty: all. */
  readonly quantities: readonly string[];
  /** Told now and then of the share that is done, from 0 to 1. */
  readonly onProgress: (done: number) => void;
}

/** So many rows are in memory at once. A choice: a page of a few hundred kilobytes. */
const PAGE = 2000;

interface StoredRow extends Omit<TransferRow, "time_utc"> {
  readonly seq: number;
  readonly at: number;
}

const SOURCES = [
  `SELECT seq, at, plant AS place, '${SOIL}' AS quantity, percent AS value, '${UNITS[SOIL]}' AS unit, NULL AS quality,
     value AS raw, noise, level FROM readings`,
  `SELECT seq, at, place, quantity, value, unit, quality, NULL AS raw, NULL AS noise, NULL AS level FROM measurements`,
];

/**
 * The lines of an export, in the order in which the rows arrived: the soil's first. The runtime may run; what it has not committed yet
 * is not there. Throws NOT_FOUND without a database, INVALID_ARGUMENT for a quantity that is not measured, STORE_FAILED.
 */
export async function* exportLines(query: ExportQuery): AsyncGenerator<string> {
  const file = join(query.state, DATABASE_FILE);
  if (!existsSync(file)) throw notFound(`there is no history in ${query.state}`);
  assertQuantities(query.quantities);
  const database = await Database.open({ file, setup: ["PRAGMA busy_timeout = 2000"], readOnly: true });
  try {
    if (query.format === "csv") yield `${CSV_HEADER}\n`;
    for (const [at, source] of SOURCES.entries())
      yield* linesOf(database, source, query, at / SOURCES.length);
  } finally {
    await database.close();
  }
}

function assertQuantities(named: readonly string[]): void {
  const known = [SOIL, ...Object.keys(QUANTITIES)];
  const unknown = named.filter((each) => !known.includes(each));
  if (unknown.length > 0)
    throw invalidArgument(`no quantity is called ${unknown}; there are: ${known.join(", ")}`);
}

/** Page after page by `seq`: each is a read of its own, so that a long export holds up no checkpoint of the runtime. */
async function* linesOf(
  database: Database,
  source: string,
  query: ExportQuery,
  done: number,
): AsyncGenerator<string> {
  const { from = -8.64e15, to = 8.64e15, places, quantities, format } = query;
  const table = source.slice(source.lastIndexOf(" ") + 1);
  const last = (await database.get<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${table}`))?.seq ?? 0;
  const sql = `SELECT * FROM (${source} WHERE seq > ? AND seq <= ?) WHERE at >= CAST(? AS INTEGER) AND at <= CAST(? AS INTEGER)
    AND (? = '[]' OR place IN (SELECT value FROM json_each(?))) AND (? = '[]' OR quantity IN (SELECT value FROM json_each(?)))
    ORDER BY seq`;
  const among: SqlValue[] = [places, places, quantities, quantities].map((each) => JSON.stringify(each));
  for (let seq = 0; seq < last; seq += PAGE) {
    const until = Math.min(last, seq + PAGE);
    const rows = await database.all<StoredRow>(sql, [seq, until, from, to, ...among]);
    query.onProgress(done + until / last / SOURCES.length);
    if (rows.length > 0) yield rows.map((row) => `${lineOf(transferred(row), format)}\n`).join("");
  }
}

const transferred = ({ seq: _, at, ...row }: StoredRow): TransferRow => ({
  time_utc: new Date(at).toISOString(),
  ...row,
});

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type Aggregation,
  bucketWidth,
  type HistoryQuery,
  needsField,
} from "../../../runtime/store/bucket.js";
import { Database } from "../../../runtime/store/database.js";
import { openStore } from "../../../runtime/store/store.js";
import { openDuckDb } from "./duckdb.js";
import type { OpenPeer, Question } from "./peer.js";
import type { Row } from "./rows.js";

/** So many rows share a commit in each of them. A choice: with ten, as the runtime has it, filling takes hours. */
const COMMIT = 10_000;

const openOurs: OpenPeer = async (folder, rows) => {
  const store = await openStore({ folder });
  let n = 0;
  for (const row of rows) {
    store.measurements.add(row);
    n += 1;
    if (n % COMMIT === 0) await store.measurements.flush();
  }
  await store.measurements.flush();
  return {
    ask: async (question) => {
      const { place, quantity } = question;
      const found = await store.measurements.history(queryOf(question), {
        place,
        fields: { value: quantity },
      });
      return found.items.length;
    },
    close: () => store.close(),
  };
};

const queryOf = ({ hours, buckets, aggregation, endMs }: Question): HistoryQuery => ({
  hours,
  samplesPerHour: buckets / hours,
  aggregation,
  endMs,
  ...(needsField(aggregation) && { valueField: "value" }),
});

/** What somebody writes who knows SQL: one table, one index, GROUP BY. A bare column is that of the row with the least or greatest. */
const openGroupBy: OpenPeer = async (folder, rows) => {
  await mkdir(folder, { recursive: true });
  const setup = ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -2000"];
  const database = await Database.open({ file: join(folder, "group-by.sqlite"), setup });
  await database.script(
    "CREATE TABLE IF NOT EXISTS rows (place TEXT NOT NULL, quantity TEXT NOT NULL, at INTEGER NOT NULL, value REAL NOT NULL)",
  );
  await database.script("CREATE INDEX IF NOT EXISTS rows_by_time ON rows (place, quantity, at)");
  const insert =
    "INSERT INTO rows SELECT value ->> 'place', value ->> 'quantity', value ->> 'at', value ->> 'value' FROM json_each(?)";
  for (const batch of batches(rows)) await database.run(insert, [JSON.stringify(batch)]);
  return {
    ask: async (question) => (await database.all(groupBy(question), paramsOf(question))).length,
    close: () => database.close(),
  };
};

const GROUPED: Record<Aggregation, (middle: string) => string> = {
  first: () => "min(at), value",
  last: () => "max(at), value",
  middle: (middle) => `min(abs(at - ${middle})), value, at`,
  count: () => "count(*)",
  sum: () => "count(*), sum(value)",
  mean: () => "count(*), avg(value)",
  min: () => "count(*), min(value)",
  max: () => "count(*), max(value)",
};

const groupBy = ({ aggregation, hours, buckets }: Question): string => {
  const width = bucketWidth(buckets / hours);
  const bucket = `CAST((CAST(?3 AS INTEGER) - at) / ${width} AS INTEGER)`;
  return `SELECT ${bucket} AS k, ${GROUPED[aggregation](`(CAST(?3 AS INTEGER) - (${bucket} + 0.5) * ${width})`)}
    FROM rows WHERE place = ?1 AND quantity = ?2 AND at > CAST(?4 AS INTEGER) AND at <= CAST(?3 AS INTEGER) GROUP BY k`;
};

const paramsOf = ({ place, quantity, endMs, hours }: Question) => [
  place,
  quantity,
  endMs,
  endMs - hours * 3_600_000,
];

function* batches(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < COMMIT) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** As the ancestor does (seed 000): each record is a line of a file, all records are in memory, a question looks at each. */
const openJsonl: OpenPeer = async (folder, rows) => {
  await mkdir(folder, { recursive: true });
  const file = createWriteStream(join(folder, "rows.jsonl"));
  const all: Row[] = [];
  for (const batch of batches(rows)) {
    all.push(...batch);
    if (!file.write(batch.map((row) => `${JSON.stringify(row)}\n`).join(""))) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
  return { ask: async (question) => scan(all, question), close: async () => undefined };
};

interface Scanned {
  count: number;
  sum: number;
  min: number;
  max: number;
  row: Row;
}

function scan(
  all: readonly Row[],
  { place, quantity, endMs, hours, buckets, aggregation }: Question,
): number {
  const width = bucketWidth(buckets / hours);
  const from = endMs - hours * 3_600_000;
  const found = new Map<number, Scanned>();
  for (const row of all) {
    if (row.place !== place || row.quantity !== quantity || row.at <= from || row.at > endMs) continue;
    const k = Math.floor((endMs - row.at) / width);
    const here = found.get(k);
    if (!here) {
      found.set(k, { count: 1, sum: row.value, min: row.value, max: row.value, row });
      continue;
    }
    here.count += 1;
    here.sum += row.value;
    here.min = Math.min(here.min, row.value);
    here.max = Math.max(here.max, row.value);
    if (isBetter(row, here.row, aggregation, endMs - (k + 0.5) * width)) here.row = row;
  }
  return found.size;
}

function isBetter(row: Row, than: Row, aggregation: Aggregation, middle: number): boolean {
  if (aggregation === "last") return row.at >= than.at;
  if (aggregation === "middle") return Math.abs(row.at - middle) < Math.abs(than.at - middle);
  return aggregation === "first" && row.at < than.at;
}

/** The order of the columns. */
export const PEERS: Readonly<Record<string, OpenPeer>> = {
  Tendril: openOurs,
  "GROUP BY": openGroupBy,
  "JSONL in memory": openJsonl,
  DuckDB: openDuckDb,
};

/** Bytes of all files in a folder. */
export async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = names.filter((each) => each.isFile()).map((each) => stat(join(each.parentPath, each.name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}

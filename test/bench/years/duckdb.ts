import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Aggregation, bucketWidth } from "../../../runtime/store/bucket.js";
import type { OpenPeer, Question } from "./peer.js";

/** A database of columns: each question reads what it needs of the whole table, on all processors. */
export const openDuckDb: OpenPeer = async (folder, rows) => {
  await mkdir(folder, { recursive: true });
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(join(folder, "rows.duckdb"));
  const connection = await instance.connect();
  await connection.run(
    "CREATE TABLE IF NOT EXISTS rows (place VARCHAR NOT NULL, quantity VARCHAR NOT NULL, time_ms BIGINT NOT NULL, value DOUBLE NOT NULL)",
  );
  const appender = await connection.createAppender("rows");
  for (const { place, quantity, at, value } of rows) {
    appender.appendVarchar(place);
    appender.appendVarchar(quantity);
    appender.appendBigInt(BigInt(at));
    appender.appendDouble(value);
    appender.endRow();
  }
  appender.closeSync();
  await connection.run("CHECKPOINT");
  return {
    ask: async (question) => (await connection.runAndReadAll(sqlOf(question))).getRows().length,
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
};

const FIGURES: Record<Aggregation, (middle: string) => string> = {
  first: () => "min(time_ms), arg_min(value, time_ms)",
  last: () => "max(time_ms), arg_max(value, time_ms)",
  middle: (middle) => `arg_min(time_ms, abs(time_ms - ${middle})), arg_min(value, abs(time_ms - ${middle}))`,
  count: () => "count(*)",
  sum: () => "count(*), sum(value)",
  mean: () => "count(*), avg(value)",
  min: () => "count(*), min(value)",
  max: () => "count(*), max(value)",
};

function sqlOf({ aggregation, hours, buckets, endMs, place, quantity }: Question): string {
  const width = bucketWidth(buckets / hours);
  const k = `CAST(floor((${endMs} - time_ms) / ${width}) AS BIGINT)`;
  return `SELECT ${k} AS k, ${FIGURES[aggregation](`(${endMs} - (${k} + 0.5) * ${width})`)} FROM rows
    WHERE place = '${place}' AND quantity = '${quantity}' AND time_ms > ${endMs - hours * 3_600_000} AND time_ms <= ${endMs} GROUP BY k`;
}

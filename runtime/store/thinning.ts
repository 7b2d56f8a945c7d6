import { TendrilError } from "../errors.js";
import type { HistoryQuery } from "./bucket.js";
import type { Database } from "./database.js";
import { type SeriesLayout, SLOT_MS } from "./rollup-schema.js";

/** Before which time (epoch milliseconds, the beginning of a half-hour) the rows of a table may be gone. */
export const THINNED_TABLE =
  "CREATE TABLE history_thinned (name TEXT PRIMARY KEY, before INTEGER NOT NULL) WITHOUT ROWID";

/** A choice: some 50 pages, a few milliseconds on a card. */
const ROWS_A_STEP = 500;

/** Before which time rows may be gone; before the first one if all are there. */
export async function thinnedBefore(database: Database, { table }: SeriesLayout): Promise<number> {
  const sql = "SELECT before FROM history_thinned WHERE name = ?";
  const row = await database.get<{ before: number }>(sql, [table]);
  return row?.before ?? Number.MIN_SAFE_INTEGER;
}

/** The beginning of the half-hour. */
export const slotBefore = (at: number): number => Math.floor(at / SLOT_MS) * SLOT_MS;

/** Writes down that rows before `before` may be gone. This is durable before the first of them goes. */
export async function markThinned(
  database: Database,
  { table }: SeriesLayout,
  before: number,
): Promise<void> {
  const sql = `INSERT INTO history_thinned VALUES (?, CAST(? AS INTEGER))
    ON CONFLICT (name) DO UPDATE SET before = max(before, excluded.before)`;
  await database.run(sql, [table, before]);
}

/** Deletes the rows before `before`; their roll-ups stay. Each step is a commit of its own, and others have their turn between two. */
export async function deleteRows(
  database: Database,
  { table, days, key }: SeriesLayout,
  before: number,
  isOver: () => boolean,
): Promise<void> {
  const where = key.map((column) => `${column} = ?`).join(" AND ");
  const sql = `DELETE FROM ${table} WHERE seq IN (
    SELECT seq FROM ${table} WHERE ${where} AND at < CAST(? AS INTEGER) ORDER BY at LIMIT ${ROWS_A_STEP})`;
  const series = await database.all<Record<string, string>>(`SELECT DISTINCT ${key} FROM ${days}`);
  for (const each of series) {
    const params = [...key.map((column) => each[column] ?? ""), before];
    while (!isOver() && (await database.run(sql, params)) === ROWS_A_STEP);
  }
}

export function historyThinned({ aggregation, endMs }: HistoryQuery, before: number): TendrilError {
  const from = new Date(before).toISOString();
  const hours = Math.max(0, Math.floor((endMs - before) / 3_600_000));
  const what = `the single readings before ${from} are thinned to half-hours, and ${aggregation} in these buckets needs them: ask for ${hours} hours or fewer, or for count, sum, mean, min or max in buckets of half an hour or longer`;
  return new TendrilError("HISTORY_THINNED", what, { details: { raw_from: from, hours } });
}

import type { Queries } from "./database.js";
import { type Extreme, exactly, type Level, numbersOf } from "./rollup-levels.js";
import type { SeriesLayout } from "./rollup-schema.js";

interface Among {
  readonly layout: SeriesLayout;
  readonly key: readonly string[];
  readonly column: string;
  readonly extreme: Extreme;
}

/** A part of the bucket `k`, in milliseconds. */
interface Piece {
  readonly k: number;
  readonly from: number;
  readonly until: number;
}

/**
 * The least or greatest value of each bucket, null where it has none. From the highest level down: what lies wholly in a bucket counts
 * at once. Of what lies partly in it, only that is looked at more closely whose own extreme is beyond what was found.
 */
export async function findExtremes(
  queries: Queries,
  levels: readonly Level[],
  edges: readonly number[],
  among: Among,
): Promise<(number | null)[]> {
  const best = edges.slice(1).map((): number | null => null);
  let pieces = best.map((_, k): Piece => ({ k, from: edges[k] ?? 0, until: edges[k + 1] ?? 0 }));
  for (const level of levels.toReversed()) {
    const whole = pieces.flatMap((piece) => wholeUnits(piece, level.ms));
    const cut = pieces.flatMap((piece) => cutUnits(piece, level.ms));
    const asked = [...whole.map(({ units }) => units), ...cut.map(({ unit }) => [unit, unit + 1] as const)];
    const found = await extremesIn(queries, level, asked, among);
    for (const [at, { k }] of whole.entries()) best[k] = further(among.extreme, best[k], found[at]);
    pieces = cut
      .filter(({ piece: { k } }, at) => isFurther(among.extreme, best[k], found[whole.length + at]))
      .map(({ piece }) => piece);
  }
  return best;
}

function wholeUnits({ k, from, until }: Piece, ms: number) {
  const units = [Math.ceil(from / ms), Math.floor(until / ms)] as const;
  return units[0] < units[1] ? [{ k, units }] : [];
}

/** The units at both ends that belong to the piece in part: one, if both ends are in the same. */
function cutUnits({ k, from, until }: Piece, ms: number) {
  const [first, last] = [Math.floor(from / ms), Math.floor(until / ms)];
  const head = { unit: first, piece: { k, from, until: Math.min(until, (first + 1) * ms) } };
  const tail = { unit: last, piece: { k, from: Math.max(from, last * ms), until } };
  return [
    ...(from % ms !== 0 && from < until ? [head] : []),
    ...(until % ms !== 0 && (first !== last || from % ms === 0) && from < until ? [tail] : []),
  ];
}

async function extremesIn(
  queries: Queries,
  { table, position, ...level }: Level,
  ranges: readonly (readonly [number, number])[],
  { layout, key, column, extreme }: Among,
): Promise<(number | null)[]> {
  if (ranges.length === 0) return [];
  const where = layout.key.map((name, at) => `${name} = ?${at + 2}`).join(" AND ");
  const its = extreme === "min" ? level.lowest(column) : level.highest(column);
  const sql = `WITH each AS MATERIALIZED (SELECT (SELECT ${extreme}(${its}) FROM ${table(layout)}
    WHERE ${where} AND ${position} >= asked.value ->> 0 AND ${position} < asked.value ->> 1) AS found FROM json_each(?1) AS asked)
    SELECT json_group_array(${exactly("found")}) AS found FROM each`;
  const [row] = await queries.all<{ found: string }>(sql, [JSON.stringify(ranges), ...key]);
  return numbersOf(row?.found ?? "[]");
}

const isFurther = (
  which: Extreme,
  than: number | null | undefined,
  value: number | null | undefined,
): boolean =>
  value !== null &&
  value !== undefined &&
  (than === null || than === undefined || (which === "min" ? value < than : value > than));

/** The one of both that is further out. */
export const further = (
  which: Extreme,
  one: number | null | undefined,
  other: number | null | undefined,
): number | null => (isFurther(which, one, other) ? other : one) ?? null;

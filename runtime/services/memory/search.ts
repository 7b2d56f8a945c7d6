import type { Tainted } from "../../tools/taint.js";
import type { View } from "../household/household.js";
import type { EntryRef } from "../household/recalls.js";
import type { MemoryItem } from "./item.js";
import { ITEM_LOG } from "./item-log.js";
import { MEMORY_LOG } from "./memories.js";
import { type Filters, filtersInWords, fits, type MemoryRows, type Row } from "./rows.js";
import type { MemoryTexts } from "./texts.js";

export interface FoundMemory extends Tainted {
  /** Where it is written. */
  readonly ref: EntryRef;
  readonly item: MemoryItem;
  /** Above 0, up to 1. */
  readonly score: number;
  /** Why it was found: "title: fern". */
  readonly matched: readonly string[];
}

export interface Found {
  readonly count: number;
  read(limit: number, offset: number): Promise<readonly FoundMemory[]>;
}

export interface RankedRow extends Omit<FoundMemory, "item" | "ref"> {
  readonly row: Row;
}

interface Wanted {
  readonly query: string | undefined;
  readonly filters: Filters;
  readonly view: View;
}

/** The best first, and the newest first where nothing is asked. */
export async function rankedRows(
  { query, filters, view }: Wanted,
  memories: MemoryRows,
  texts: MemoryTexts,
): Promise<readonly RankedRow[]> {
  const rows = new Set(memories.all().filter((row) => view.sees(row.owner) && fits(row, filters)));
  const why = filtersInWords(filters);
  const found =
    query === undefined
      ? [...rows].map((row) => ({ row, score: 1, matched: [] }))
      : await answering(query, rows, memories, texts);
  return found
    .map((each) => ({ ...each, matched: [...each.matched, ...why] }))
    .sort((a, b) => b.score - a.score || b.row.at - a.row.at || b.row.id - a.row.id);
}

async function answering(
  query: string,
  rows: ReadonlySet<Row>,
  memories: MemoryRows,
  texts: MemoryTexts,
): Promise<readonly RankedRow[]> {
  const rowOf = (source: string, id: number) => {
    const row = memories.at(source, id);
    return row && rows.has(row) ? row : undefined;
  };
  const found = await texts.search(query, {
    sources: [MEMORY_LOG.name, ITEM_LOG.name],
    isWanted: (source, id) => rowOf(source, id) !== undefined,
    among: rows.size,
  });
  return found.flatMap(({ source, id, score, matched }) => {
    const row = rowOf(source, id);
    return row ? [{ row, score, matched }] : [];
  });
}

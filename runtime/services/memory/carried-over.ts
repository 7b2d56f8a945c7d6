import type { SoundLine } from "../../store/journal-lines.js";
import type { RecordLog } from "../../store/record-log.js";
import { type Stored, uuidOf } from "../../store/records.js";
import type { Store } from "../../store/store.js";
import { bothTainted, type Tainted } from "../../tools/taint.js";
import type { ItemEntry, ItemRecord } from "./item.js";
import { rememberedItem } from "./rows.js";

/** Until 2026-11-26 what `add_memory` remembers had this journal. The journal of memories had only what was changed of it. */
export const FORMER_LOG = "memories";

/** A line of that journal. */
type FormerEntry = { readonly timestamp: string; readonly by?: string } & (
  | ({ readonly text: string } & Tainted)
  | { readonly of: number; readonly forgotten: true }
  // what an erasure has left of the first kind
  | { readonly erased: true }
);

interface Former extends Tainted {
  readonly timestamp: string;
  readonly by: string;
  /** Null: erased. */
  readonly text: string | null;
  readonly forgotten_at: string | null;
}

type MemoryLog = Pick<RecordLog<ItemEntry, ItemRecord>, "stored" | "append">;

/** Puts what that journal has into the journal of memories, and removes it. A start goes on where a crash has cut this off. */
export const carryOver = (store: Store, log: MemoryLog): Promise<void> =>
  store.takeOver(FORMER_LOG, async (lines) => {
    const known = new Map<number, Stored<ItemRecord>>();
    for await (const stored of log.stored())
      if (stored.record.memory !== null) known.set(stored.record.memory, stored);
    const missing = [...formerMemories(lines)].map(([number, former]) =>
      missingLine(number, former, known.get(number)),
    );
    // begun together, they share a flush
    await Promise.all(missing.filter((line) => line !== undefined).map((line) => log.append(line)));
  });

function formerMemories(lines: readonly SoundLine[]): ReadonlyMap<number, Former> {
  const memories = new Map<number, Former>();
  for (const line of lines) {
    const entry = line.entry as unknown as FormerEntry;
    const id = "of" in entry ? entry.of : line.id;
    const memory = former(memories.get(id), entry);
    if (memory) memories.set(id, memory);
  }
  return memories;
}

function former(known: Former | undefined, entry: FormerEntry): Former | undefined {
  const { timestamp, by = "" } = entry;
  if ("of" in entry) return known && { ...known, forgotten_at: known.forgotten_at ?? timestamp };
  if ("erased" in entry) return { timestamp, by, text: null, forgotten_at: timestamp };
  return { timestamp, by, text: entry.text, forgotten_at: null, ...bothTainted(entry) };
}

/** What the journal of memories lacks of one. */
function missingLine(
  memory: number,
  { timestamp, by, text, forgotten_at, ...read }: Former,
  known: Stored<ItemRecord> | undefined,
): ItemEntry | undefined {
  const line = { timestamp, memory, by };
  const over = forgotten_at === null ? {} : { status: "DELETED" as const, updated_at: forgotten_at };
  if (!known && text === null) return { ...line, erased: true };
  if (!known) {
    const item = rememberedItem(uuidOf(`memory ${memory} ${timestamp}`), text ?? "", timestamp);
    return { ...line, ...read, item: { ...item, ...over } };
  }
  const { id, record } = known;
  if (!record.item) return undefined; // erased
  const set = record.item.status === "DELETED" ? {} : over;
  if (record.by === by && Object.keys(set).length === 0) return undefined;
  return { ...line, of: id, set, ...(record.pending && { pending: record.pending }) };
}

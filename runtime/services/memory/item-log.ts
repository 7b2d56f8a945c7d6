import { bothTainted, type Tainted } from "../../tools/taint.js";
import type { Restored } from "../module.js";
import type { SharedFields } from "../shared-records.js";
import type { MemoryItem } from "./item.js";

/**
 * What has to become of the record that a memory is too. It stands in the line that changes the memory, before the record's own
 * journal is written; the next line of the memory says that it is done. A start does what a crash has cut off.
 */
export type Pending =
  | { readonly create: true }
  | { readonly set: Partial<SharedFields>; readonly delete?: true };

/** A record of another tool's journal that a memory is: a task, or an item of a list. */
export interface SharedWith {
  readonly log: string;
  readonly id: number;
}

/** The token that writes, and what it had read. */
export interface Writer extends Tainted {
  readonly by: string;
}

export const lineOf = (writer: Writer): Writer => ({ by: writer.by, ...bothTainted(writer) });

/**
 * A line of journal/memory-items.jsonl: a memory, or what became of it. `memory`: the number by which `list_memories` knows what
 * `add_memory` remembers; the line's writer is then who remembers it. `shared`: what that record says of the memory counts, and not
 * this line.
 */
export type ItemEntry = { readonly timestamp: string; readonly by?: string } & Tainted &
  Known &
  (
    | { readonly item: MemoryItem; readonly pending?: Pending }
    | { readonly of: number; readonly set: Partial<MemoryItem>; readonly pending?: Pending }
    | Erasure
  );

interface Known {
  readonly memory?: number;
  readonly shared?: SharedWith;
}

/**
 * `key` begins an erasure, `finished` says that it has gone through all journals. A line with neither is what was left of another
 * line.
 */
interface Erasure {
  readonly erased: true;
  readonly of?: number;
  readonly key?: string;
  readonly finished?: true;
}

export interface ItemRecord extends Tainted {
  /** Null: erased. */
  readonly item: MemoryItem | null;
  readonly memory: number | null;
  /** Who remembers it, where it has a number. */
  readonly by?: string;
  readonly shared?: SharedWith;
  readonly pending?: Pending;
  /** How many lines it is made of. */
  readonly version: number;
  /** Of a memory whose erasure has not gone through all journals yet: its id. */
  readonly erasing: string | null;
}

export const ITEM_LOG = {
  name: "memory-items",
  erasable: true,
  fold: (previous: ItemRecord | undefined, entry: ItemEntry): ItemRecord => {
    const known = kept(previous, entry);
    if ("item" in entry) return { ...known, item: entry.item, erasing: null };
    if ("erased" in entry) {
      const erasing = entry.finished ? null : (entry.key ?? previous?.erasing ?? null);
      return { ...known, item: null, erasing };
    }
    if (!previous) throw new Error(`memory-items.jsonl: memory ${entry.of} changed before it was added`);
    const { pending: _, ...before } = previous;
    return { ...before, ...known, item: previous.item && { ...previous.item, ...entry.set } };
  },
};

/** They are erased once more. */
export const memoriesErasedSince = ({
  before,
  today,
  timestamp,
}: Restored<ItemRecord>): readonly ItemEntry[] =>
  before.flatMap(({ id: of, record: { item } }) =>
    item && today.get(of)?.item === null
      ? [{ timestamp, by: "a restore", of, erased: true as const, key: item.id }]
      : [],
  );

/** What every line leaves known of a memory, whatever it says. */
function kept(previous: ItemRecord | undefined, entry: ItemEntry): Omit<ItemRecord, "item" | "erasing"> {
  const version = (previous?.version ?? 0) + 1;
  const { memory, by } = entry.memory === undefined ? (previous ?? { memory: null }) : entry;
  const shared = entry.shared ?? previous?.shared;
  const pending = "pending" in entry ? entry.pending : undefined;
  return {
    ...{ memory: memory ?? null, version, ...(by !== undefined && { by }), ...(shared && { shared }) },
    ...(pending && { pending }),
    ...bothTainted(previous ?? {}, entry),
  };
}

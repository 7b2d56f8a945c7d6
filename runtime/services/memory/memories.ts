import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { errorTable, final, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import type { Stored } from "../../store/records.js";
import { isoNow } from "../../tools/iso-time.js";
import { bothTainted, type Tainted } from "../../tools/taint.js";
import { definePart } from "../module.js";

/** A line of journal/memories.jsonl: something to remember, or that it is forgotten. */
type MemoryEntry = { readonly timestamp: string; readonly by?: string } & (
  | ({ readonly text: string } & Tainted)
  | { readonly of: number; readonly forgotten: true }
  // what an erasure has left of the first kind
  | { readonly erased: true }
);

interface MemoryRecord extends Tainted {
  readonly timestamp: string;
  readonly text: string;
  readonly by: string;
  readonly forgotten_at: string | null;
}

export const MEMORY_LOG = {
  name: "memories",
  erasable: true,
  recordId: (entry: MemoryEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: MemoryRecord | undefined, entry: MemoryEntry): MemoryRecord => {
    const { timestamp, by = "" } = entry;
    if ("text" in entry)
      return { timestamp, by, text: entry.text, forgotten_at: null, ...bothTainted(entry) };
    if ("erased" in entry) return { timestamp, by, text: "", forgotten_at: timestamp };
    if (!previous) throw new Error(`memories.jsonl: memory ${entry.of} was forgotten before it was added`);
    return { ...previous, forgotten_at: previous.forgotten_at ?? entry.timestamp };
  },
};

export const MEMORY_ERRORS = errorTable({
  UNKNOWN_MEMORY: final("list the memories and use one of their ids", "nothing"),
  TOO_MANY_MEMORIES: final(
    "use the notes, or delete memories that nobody needs; a person can take back and erase them",
    "nothing",
  ),
});

/** A choice: a model that loops must not fill the disk, and no prompt holds more. */
const MAX_REMEMBERED = 500;

/** The token that writes, and what it had read. */
export interface Writer extends Tainted {
  readonly by: string;
}

/** What a line says of its writer. */
export const lineOf = (writer: Writer): Writer => ({ by: writer.by, ...bothTainted(writer) });

export type Memory = Stored<MemoryRecord>;

/** What the agent wants to know again next time. */
export class Memories {
  /** Not forgotten, the oldest first. */
  private readonly known = new Map<number, Memory>();
  private readonly turns = new Mutex();

  private constructor(
    private readonly log: RecordLog<MemoryEntry, MemoryRecord>,
    private readonly clock: Clock,
  ) {}

  static async open(log: RecordLog<MemoryEntry, MemoryRecord>, clock: Clock): Promise<Memories> {
    const memories = new Memories(log, clock);
    for await (const memory of log.stored()) memories.keep(memory);
    return memories;
  }

  /** The same text is not remembered twice. Throws TOO_MANY_MEMORIES. */
  add(text: string, writer: Writer): Promise<{ memory: Memory; known: boolean }> {
    return this.turns.run(async () => {
      const known = [...this.known.values()].find(({ record }) => record.text === text);
      if (known) return { memory: known, known: true };
      if (this.known.size >= MAX_REMEMBERED)
        throw new TendrilError(
          MEMORY_ERRORS.TOO_MANY_MEMORIES,
          `${MAX_REMEMBERED} memories are kept already`,
        );
      const entry = { timestamp: isoNow(this.clock), text, ...lineOf(writer) };
      return { memory: this.keep(await this.log.append(entry)), known: false };
    });
  }

  /** Throws UNKNOWN_MEMORY. */
  forget(id: number, by: string): Promise<void> {
    return this.turns.run(async () => {
      if (!this.known.has(id))
        throw new TendrilError(MEMORY_ERRORS.UNKNOWN_MEMORY, `there is no memory ${id}`);
      this.keep(await this.log.append({ timestamp: isoNow(this.clock), by, of: id, forgotten: true }));
    });
  }

  /** As `forget`; one that is forgotten already stays so. */
  forgetIfKnown(id: number, by: string): Promise<void> {
    return this.known.has(id) ? this.forget(id, by) : Promise.resolve();
  }

  /** Undefined where it is forgotten. */
  get(id: number): Memory | undefined {
    return this.known.get(id);
  }

  /** The oldest first. */
  all(): readonly Memory[] {
    return [...this.known.values()];
  }

  private keep(memory: Memory): Memory {
    if (memory.record.forgotten_at === null) this.known.set(memory.id, memory);
    else this.known.delete(memory.id);
    return memory;
  }
}

export const memories = definePart("memories", (house) =>
  Memories.open(house.journal(MEMORY_LOG), house.clock),
);

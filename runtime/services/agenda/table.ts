/** A line of journal/tasks.jsonl: a task, that it falls due sooner than was said first, or that it is done. */
export type TaskEntry = { readonly timestamp: string; readonly by: string } & (
  | { readonly description: string; readonly due: string; readonly plant?: string }
  | { readonly of: number; readonly sooner: string }
  | { readonly of: number; readonly done: true }
);

export interface TaskRecord {
  /** When it was added. */
  readonly timestamp: string;
  readonly description: string;
  readonly due: string;
  /** Null: for all plants. */
  readonly plant: string | null;
  /** The token that added it. */
  readonly by: string;
  readonly done_at: string | null;
}

export const TASK_LOG = {
  name: "tasks",
  recordId: (entry: TaskEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: TaskRecord | undefined, entry: TaskEntry): TaskRecord => {
    if (!("of" in entry)) return { ...entry, plant: entry.plant ?? null, done_at: null };
    if (!previous) throw new Error(`tasks.jsonl: task ${entry.of} changed before it was added`);
    if ("sooner" in entry) return { ...previous, due: entry.sooner };
    return { ...previous, done_at: previous.done_at ?? entry.timestamp };
  },
};

/** A line of journal/memories.jsonl: something to remember, or that it is forgotten. */
export type MemoryEntry = { readonly timestamp: string; readonly by: string } & (
  | { readonly text: string }
  | { readonly of: number; readonly forgotten: true }
);

export interface MemoryRecord {
  readonly timestamp: string;
  readonly text: string;
  readonly by: string;
  readonly forgotten_at: string | null;
}

export const MEMORY_LOG = {
  name: "memories",
  recordId: (entry: MemoryEntry) => ("of" in entry ? entry.of : undefined),
  fold: (previous: MemoryRecord | undefined, entry: MemoryEntry): MemoryRecord => {
    if (!("of" in entry)) return { ...entry, forgotten_at: null };
    if (!previous) throw new Error(`memories.jsonl: memory ${entry.of} was forgotten before it was added`);
    return { ...previous, forgotten_at: previous.forgotten_at ?? entry.timestamp };
  },
};

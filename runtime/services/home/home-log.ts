/** journal/home.jsonl: every call of `call_ha_service` that was understood, and what became of it. */

type Status = "blocked" | "rejected" | "sent" | "success" | "unconfirmed" | "failed" | "unknown";

interface Asked {
  readonly timestamp: string;
  /** The token's name, and the agent's own. */
  readonly by: string;
  readonly instance?: string;
  /** Whose turn it was. */
  readonly person?: string;
  /** "lock.unlock" */
  readonly service: string;
  /** As they were resolved; as they were named if the call was blocked before. */
  readonly entity_ids: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: Status;
  readonly reason?: string;
}

/** A line of the journal. "sent" is written before the bridge can have it. */
export type HomeEntry =
  | (Asked & { readonly of?: never; readonly erased?: never })
  | {
      readonly timestamp: string;
      readonly of: number;
      readonly status: Status;
      readonly reason?: string;
      readonly erased?: never;
    }
  // what an erasure has left of any of these
  | { readonly timestamp: string; readonly erased: true; readonly of?: never };

export interface HomeRecord extends Asked {
  readonly erased?: true;
}

export const HOME_LOG = {
  name: "home",
  erasable: true,
  recordId: (entry: HomeEntry) => entry.of,
  fold: (previous: HomeRecord | undefined, entry: HomeEntry): HomeRecord => {
    if (entry.erased) return erased(entry.timestamp);
    if (entry.of === undefined) return entry;
    if (!previous) throw new Error(`home.jsonl: call ${entry.of} ended before it began`);
    const { of: _, timestamp: __, ...outcome } = entry;
    return { ...previous, ...outcome };
  },
};

const erased = (timestamp: string): HomeRecord => ({
  ...{ timestamp, by: "", service: "", entity_ids: [], data: {}, status: "blocked", erased: true },
});

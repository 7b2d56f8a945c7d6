import type { RecordLog } from "../../store/record-log.js";
import type { Stored } from "../../store/records.js";
import type { Call } from "../../tools/tool.js";
import type { TurnKind } from "../../wire/chats.js";
import { definePart, personalIn } from "../module.js";

/** A record of a journal that a recall has handed out: its journal and number. No word of it is kept here. */
export interface EntryRef {
  readonly log: string;
  readonly id: number;
}

export interface RecalledEntry extends EntryRef {
  readonly owner: string;
}

interface Recall {
  /** Whose entries they are: a person's, or the household's. */
  readonly owner: string;
  readonly tool: string;
  /** The token. */
  readonly by: string;
  /** Null: outside of a turn. */
  readonly turn: { readonly id: string; readonly kind: TurnKind; readonly person: string } | null;
  readonly entries: readonly EntryRef[];
}

/** A line of journal/recalls.jsonl: an agent was given entries of one owner. */
type RecallEntry = { readonly timestamp: string } & (Recall | { readonly erased: true });

export interface RecallRecord extends Recall {
  readonly timestamp: string;
}

/** What an erased line says. No owner has it. */
const ERASED: Recall = { owner: "", tool: "", by: "", turn: null, entries: [] };

export const RECALL_LOG = {
  name: "recalls",
  erasable: true,
  standAlone: true,
  fold: (_: RecallRecord | undefined, entry: RecallEntry): RecallRecord =>
    "erased" in entry ? { timestamp: entry.timestamp, ...ERASED } : entry,
};

/** A choice: more than a year of a busy house, some megabytes. So many of the newest recalls stay at least. */
const KEPT = 10_000;
/** A choice: after so many new ones the journal is made anew without the oldest. */
const STEP = 1000;

/** What agents were given of what is known of people: which entries, when, and in whose turn. */
export class Recalls {
  constructor(
    private readonly log: RecordLog<RecallEntry, RecallRecord>,
    private readonly timestamp: () => string,
  ) {}

  /**
   * On the disk before the agent has them. People who look at their own entries are not noted. A line is of one owner, so that it can
   * be erased with that person.
   */
  async note(tool: string, { identity, turn }: Call, found: readonly RecalledEntry[]): Promise<void> {
    if (identity.role !== "agent") return;
    const by = { timestamp: this.timestamp(), tool, by: identity.name };
    const inTurn = turn ? { id: turn.id, kind: turn.kind, person: turn.person } : null;
    for (const owner of new Set(found.map((each) => each.owner))) {
      const entries = found.filter((each) => each.owner === owner).map(({ log, id }) => ({ log, id }));
      const { id } = await this.log.append({ ...by, owner, turn: inTurn, entries });
      if (id % STEP === 0) await this.log.dropBefore(id - KEPT);
    }
  }

  newest(): AsyncGenerator<Stored<RecallRecord>> {
    return this.log.newest({ limit: Number.MAX_SAFE_INTEGER });
  }
}

export const recalls = definePart(
  "recalls",
  (house) => new Recalls(house.journal(RECALL_LOG), () => house.timestamp()),
);

/** Those of a person's entries, and those in a person's turns. */
export const personalRecalls = personalIn(RECALL_LOG, ({ owner, turn }) => ({
  owners: [owner, turn?.person ?? owner],
}));

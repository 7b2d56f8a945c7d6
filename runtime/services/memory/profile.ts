import { Mutex } from "../../../drivers/mutex.js";
import type { Clock } from "../../../drivers/ports.js";
import { errorTable, excerpt, final, notFound, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import type { LogEntry, Stored } from "../../store/records.js";
import type { Store } from "../../store/store.js";
import { CALL_LOG } from "../../tools/idempotency.js";
import { isoUtc } from "../../tools/iso-time.js";
import { bothTainted, type Tainted } from "../../tools/taint.js";
import type { ProfileFact } from "../../wire/records.js";
import { folded } from "../../word-stems.js";
import { HOUSEHOLD } from "../household/household.js";
import { isTelling, type Restored } from "../module.js";
import { lineOf, type Writer } from "./item.js";
import type { MemoryTexts, Text } from "./texts.js";

/** The confidence of what was told, and the range of what was inferred. */
const TOLD = 0.9;
export const INFERRED = { least: 0.3, most: 0.8 };

/** What is known, and how. */
interface Fact {
  readonly value: string | number | boolean;
  readonly confidence: number;
  /** `told` by somebody, or `inferred` by a turn. */
  readonly source: "told" | "inferred";
  readonly sensitivity: ProfileFact["sensitivity"];
}

interface FactName {
  readonly owner: string;
  readonly category: ProfileFact["category"];
  readonly key: string;
}

/** A line of journal/profile.jsonl: a fact, or a newer one in its place. */
type ProfileEntry = { readonly timestamp: string } & (
  | ({ readonly by: string } & Tainted & Fact & (FactName | { readonly of: number }))
  // what an erasure has left of any of these
  | { readonly erased: true }
);

export interface ProfileRecord extends FactName, Fact, Tainted {
  readonly updated_at: string;
  /** The token that said it. */
  readonly by: string;
  /** How many lines it is made of; the journal has the former values, each with its time and its token. */
  readonly version: number;
}

/** What an erased entry says. No owner has it. */
const ERASED: Omit<ProfileRecord, "updated_at"> = {
  ...{ owner: "", key: "", value: "", confidence: 0, by: "", version: 1 },
  category: "fact",
  source: "inferred",
  sensitivity: "sensitive",
};

export const PROFILE_LOG = {
  name: "profile",
  erasable: true,
  fold: (previous: ProfileRecord | undefined, entry: ProfileEntry): ProfileRecord => {
    if ("erased" in entry) return { ...ERASED, updated_at: entry.timestamp };
    const { timestamp: updated_at, by, value, confidence, source, sensitivity } = entry;
    const fact = { value, confidence, source, sensitivity, updated_at, by, ...bothTainted(entry) };
    if (!("of" in entry))
      return { owner: entry.owner, category: entry.category, key: entry.key, ...fact, version: 1 };
    if (!previous) throw new Error(`profile.jsonl: entry ${entry.of} changed before it was added`);
    const { tainted: _, ...before } = previous; // the former value is gone, and with it what its writer had read
    return { ...before, ...fact, version: previous.version + 1 };
  },
};

/** No owner has them any more. The journal has their words, as the backup does. */
export const factsErasedSince = ({
  before,
  today,
  timestamp,
}: Restored<ProfileRecord>): readonly LogEntry[] =>
  before
    .filter(({ id, record }) => record.owner !== ERASED.owner && today.get(id)?.owner === ERASED.owner)
    .map(({ id: of }) => ({ timestamp, of, erased: true }));

export const PROFILE_ERRORS = errorTable({
  PROFILE_FULL: final("change an entry that is there", "nothing"),
});

/** Choices: a person has fewer habits and facts than this; in all, what is kept in memory. */
export const MAX_FACTS_OF_ONE = 500;
export const MAX_FACTS = 5000;

type ProfileEntryRecord = Stored<ProfileRecord>;

/** Which entries a call may see. */
export type SeesFact = (fact: Pick<ProfileRecord, "owner" | "sensitivity">) => boolean;

/** What is known about each person and about the household. */
export class Profile {
  private readonly entries = new Map<number, ProfileEntryRecord>();
  private readonly turns = new Mutex();

  private constructor(
    private readonly log: RecordLog<ProfileEntry, ProfileRecord>,
    private readonly texts: MemoryTexts,
    private readonly store: Pick<Store, "erase">,
    private readonly clock: Clock,
    private readonly complain: (error: unknown) => void,
  ) {}

  static async open(
    log: RecordLog<ProfileEntry, ProfileRecord>,
    texts: MemoryTexts,
    around: { store: Pick<Store, "erase">; clock: Clock; complain: (error: unknown) => void },
  ): Promise<Profile> {
    const profile = new Profile(log, texts, around.store, around.clock, around.complain);
    for await (const entry of log.stored())
      if (entry.record.owner !== "") profile.entries.set(entry.id, entry);
    await texts.follow(PROFILE_LOG.name, [...profile.entries.values()].map(textOf));
    return profile;
  }

  /** What somebody said: it takes the place of what was known. Said again, it is not stored as new. Throws PROFILE_FULL. */
  tell(
    name: FactName,
    { value, sensitivity }: Pick<Fact, "value" | "sensitivity">,
    writer: Writer,
  ): Promise<ProfileRecord> {
    return this.put(name, { value, sensitivity, confidence: TOLD, source: "told" }, writer);
  }

  /** What an agent has inferred. What was told stays. Throws PROFILE_FULL. */
  infer(name: FactName, fact: Omit<Fact, "source">, writer: Writer): Promise<ProfileRecord> {
    return this.put(name, { ...fact, source: "inferred" }, writer);
  }

  /** In the order in which they were added. */
  all(sees: SeesFact): readonly ProfileRecord[] {
    return [...this.entries.values()].map(({ record }) => record).filter(sees);
  }

  /** Takes entries out of memory and index: what is erased of the journal. */
  drop(ids: readonly number[]): Promise<void> {
    return this.turns.run(async () => {
      for (const id of ids) this.entries.delete(id);
      await this.texts.remove(PROFILE_LOG.name, ids);
    });
  }

  get(id: number): ProfileRecord | undefined {
    return this.entries.get(id)?.record;
  }

  /** It is gone for good, with its former values: out of the journal, the results of calls and the index. Throws NOT_FOUND, STORE_FAILED. */
  forget(name: FactName, sees: SeesFact): Promise<void> {
    return this.turns.run(async () => {
      const known = this.named(name);
      if (!known || !sees(known.record))
        throw notFound(`${name.owner} has no ${name.category} ${excerpt(name.key)}`);
      const values: unknown[] = [];
      for await (const { entry } of this.log.lines(new Set([known.id])))
        values.push((entry as { value?: unknown }).value);
      const tells = tellsOf(known.record, values);
      // before the erasure, which leaves nothing of their words in the file either
      await this.texts.remove(PROFILE_LOG.name, [known.id]);
      // the results first: a crash in between leaves the entry, and the person forgets it again
      await this.store.erase(
        (log, { entry }) => log === CALL_LOG.name && tells((entry as Result).result ?? null),
        (log, _, record) => log === PROFILE_LOG.name && record === known.id,
      );
      this.entries.delete(known.id);
    });
  }

  async search(question: string, sees: SeesFact): Promise<readonly FoundFact[]> {
    const seen = new Map([...this.entries].filter(([, { record }]) => sees(record)));
    const found = await this.texts.search(question, {
      source: PROFILE_LOG.name,
      isWanted: (id) => seen.has(id),
      among: seen.size,
    });
    return found.flatMap(({ id, score, matched }) => {
      const fact = seen.get(id)?.record;
      return fact ? [{ id, fact, score, matched }] : [];
    });
  }

  private put(name: FactName, fact: Fact, writer: Writer): Promise<ProfileRecord> {
    return this.turns.run(async () => {
      const known = this.named(name);
      const isConfirmed = known?.record.tainted !== undefined && writer.tainted === undefined;
      if (known && (stays(known.record, fact) || (isSame(known.record, fact) && !isConfirmed)))
        return known.record;
      if (!known) this.assertRoom(name.owner);
      const timestamp = isoUtc(this.clock.now());
      const written = { timestamp, ...lineOf(writer) };
      const entry = await this.log.append({ ...written, ...(known ? { of: known.id } : name), ...fact });
      this.entries.set(entry.id, entry);
      await this.texts.put(PROFILE_LOG.name, [textOf(entry)]).catch(this.complain);
      return entry.record;
    });
  }

  private named({ owner, category, key }: FactName): ProfileEntryRecord | undefined {
    const isIt = ({ record }: ProfileEntryRecord) =>
      record.owner === owner && record.category === category && folded(record.key) === folded(key);
    return [...this.entries.values()].find(isIt);
  }

  private assertRoom(owner: string): void {
    const own = this.all((fact) => fact.owner === owner).length;
    if (own < MAX_FACTS_OF_ONE && this.entries.size < MAX_FACTS) return;
    const what = `the profile of ${owner} has ${own} entries, and there are ${this.entries.size} in all`;
    throw new TendrilError(PROFILE_ERRORS.PROFILE_FULL, what);
  }
}

export interface FoundFact {
  /** The number of its record. */
  readonly id: number;
  readonly fact: ProfileRecord;
  readonly score: number;
  readonly matched: readonly string[];
}

interface Result {
  readonly result?: unknown;
}

/** Whether a result of a call shows the entry, or one of its values. */
function tellsOf({ owner, category, key }: FactName, values: readonly unknown[]) {
  const texts = values.filter((value): value is string => typeof value === "string" && isTelling(value));
  const tells = (result: unknown): boolean => {
    if (typeof result === "string") return texts.some((text) => result.includes(text));
    if (typeof result !== "object" || result === null) return false;
    const { user_id, title, from, ...of } = result as Record<string, unknown>;
    const isIt = of.category === category && of.key === key;
    if (user_id === owner && (isIt || (from === "profile" && title === key))) return true;
    return Object.values(result).some(tells);
  };
  return tells;
}

/** What is inferred never takes the place of what was told. */
const stays = (known: Fact, fact: Fact): boolean => known.source === "told" && fact.source === "inferred";

const isSame = (known: Fact, fact: Fact): boolean =>
  known.value === fact.value &&
  known.confidence === fact.confidence &&
  known.source === fact.source &&
  known.sensitivity === fact.sensitivity;

/** Whether everybody who sees the owner's rows may see it, and not that person alone. */
export const isOpen = ({ owner, sensitivity }: Pick<ProfileRecord, "owner" | "sensitivity">): boolean =>
  owner === HOUSEHOLD || sensitivity === "public";

const textOf = ({ id, record }: ProfileEntryRecord): Text => ({
  id,
  version: record.version,
  fields: () => ({ title: record.key, content: String(record.value), tags: record.category }),
});

import { Mutex } from "../../../drivers/mutex.js";
import type { Cancel } from "../../../drivers/ports.js";
import { notFound, TendrilError } from "../../errors.js";
import type { RecordLog } from "../../store/record-log.js";
import { MAX_ANSWER_BYTES, MAX_ANSWER_ROWS, type Stored } from "../../store/records.js";
import type { EraseListener } from "../../tools/host.js";
import { CALL_LOG } from "../../tools/idempotency.js";

import { definePart, type House, type PersonalRecord, type Restored } from "../module.js";
import { HOUSEHOLD, HOUSEHOLD_ERRORS, type Household, household } from "./household.js";

/** A line of journal/erasures.jsonl: everything about a person is to be erased, or that was done. */
type ErasureEntry = { readonly timestamp: string } & (
  | { readonly by: string; readonly person: string }
  | { readonly of: number; readonly finished: true }
);

interface ErasureRecord {
  readonly person: string;
  readonly finished: boolean;
}

export const ERASURE_LOG = {
  name: "erasures",
  fold: (previous: ErasureRecord | undefined, entry: ErasureEntry): ErasureRecord => {
    if (!("of" in entry)) return { person: entry.person, finished: false };
    if (!previous) throw new Error(`erasures.jsonl: erasure ${entry.of} ended before it was begun`);
    return { ...previous, finished: true };
  },
};

/** They are erased once more: what the backup has of them is back. */
export const personsErasedSince = ({
  before,
  today,
  timestamp,
}: Restored<ErasureRecord>): readonly ErasureEntry[] => {
  const known = new Set(before.map(({ id }) => id));
  return [...today]
    .filter(([id]) => !known.has(id))
    .map(([_, { person }]) => ({ timestamp, by: "a restore", person }));
};

interface ExportedLine {
  readonly journal: string;
  readonly line: Readonly<Record<string, unknown>>;
}

/** Of whom there are records, and how many. */
interface KnownPerson {
  readonly id: string;
  readonly records: number;
}

/** Everything that the modules keep about a person: what there is, to take it out, and to erase it. */
class Persons {
  private readonly turns = new Mutex();
  private readonly listeners = new Set<EraseListener>();

  constructor(
    private readonly house: House,
    private readonly log: RecordLog<ErasureEntry, ErasureRecord>,
    readonly household: Household,
  ) {}

  /** See RuntimeApi. */
  onErase(listener: EraseListener): Cancel {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** The configured people, and who has records without being one of them. */
  async all(): Promise<readonly KnownPerson[]> {
    const counts = new Map(this.household.people.map(({ id }) => [id, 0]));
    for await (const { owner } of this.records()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    return [...counts].map(([id, records]) => ({ id, records }));
  }

  /**
   * A page of the lines of all journals about a person, former versions and deleted ones too: as many as fit into an answer, after
   * the first `skipped`. Throws NOT_FOUND, MODULE_OFF.
   */
  async export(person: string, skipped: number): Promise<{ lines: ExportedLine[]; isEnd: boolean }> {
    const records = await this.found(person);
    const lines: ExportedLine[] = [];
    let [seen, bytes] = [0, 0];
    for (const [journal, ids] of idsByLog(records))
      for await (const { id, start, end, entry } of this.house.store.lines(journal, ids)) {
        seen += 1;
        if (seen <= skipped) continue;
        bytes += end - start;
        const isFull = lines.length === MAX_ANSWER_ROWS || (lines.length > 0 && bytes > MAX_ANSWER_BYTES);
        if (isFull) return { lines, isEnd: false };
        lines.push({ journal, line: { ...entry, id } });
      }
    return { lines, isEnd: true };
  }

  /**
   * Everything about a person is gone: from all journals, from what is made of them, and from the results that are kept of calls.
   * The person's browser sessions end first: after a crash in between they have ended for nothing, and none outlives its person.
   * Returns how many records that were, and the files that may still say something. Throws NOT_FOUND, MODULE_OFF; STORE_FAILED, and
   * then it goes on at the next start if it was noted in the journal.
   */
  erase(person: string, by: string): Promise<{ records: number; set_aside: readonly string[] }> {
    return this.turns.run(async () => {
      const records = await this.found(person);
      for (const end of this.listeners) await end((token) => this.household.personOfToken(token) === person);
      const begun = await this.log.append({ timestamp: this.house.timestamp(), by, person });
      await this.eraseAll(begun, records);
      return { records: records.length, set_aside: await this.house.store.setAside() };
    });
  }

  /** Ends the erasures that a crash has interrupted. Once every journal is open. */
  async endErasures(): Promise<void> {
    for await (const stored of this.log.stored()) {
      if (stored.record.finished) continue;
      await this.eraseAll(stored, await this.recordsOf(stored.record.person));
    }
  }

  /** The results of calls first: once the records are gone, nobody knows any more which results show them. */
  private async eraseAll(
    { id, record: { person } }: Stored<ErasureRecord>,
    records: readonly PersonalRecord[],
  ): Promise<void> {
    const { store } = this.house;
    for (const module of this.house.modules) await module.person?.drop?.(this.house, records, person);
    const names = new Set(records.flatMap((each) => each.names));
    const ids = idsByLog(records);
    await store.erase(
      (log, { entry }) => log === CALL_LOG.name && shows(entry.result, names, person),
      (log, _, record) => ids.get(log)?.has(record) === true,
    );
    await this.log.append({ timestamp: this.house.timestamp(), of: id, finished: true });
  }

  private async found(person: string): Promise<readonly PersonalRecord[]> {
    const [off] = await this.house.personalButOff();
    if (off !== undefined)
      throw new TendrilError(
        HOUSEHOLD_ERRORS.MODULE_OFF,
        `the module ${off} is switched off, and its journals may have records of ${person}`,
      );
    const records = await this.recordsOf(person);
    if (records.length > 0 || this.household.people.some(({ id }) => id === person)) return records;
    throw notFound(`nothing is kept about "${person}"`);
  }

  private async recordsOf(person: string): Promise<readonly PersonalRecord[]> {
    const records: PersonalRecord[] = [];
    for await (const record of this.records()) if (record.owner === person) records.push(record);
    return records;
  }

  /** In the order of modules, journals and numbers. */
  private async *records(): AsyncGenerator<PersonalRecord> {
    for (const { person } of this.house.modules)
      for await (const record of person?.find?.(this.house) ?? [])
        if (record.owner !== HOUSEHOLD) yield record;
  }
}

function idsByLog(records: readonly PersonalRecord[]): ReadonlyMap<string, ReadonlySet<number>> {
  const ids = new Map<string, Set<number>>();
  for (const { log, id } of records) ids.set(log, (ids.get(log) ?? new Set()).add(id));
  return ids;
}

/** Whether a result has one of the names as a value, or the person as a `user_id`. */
function shows(result: unknown, names: ReadonlySet<string>, person: string): boolean {
  if (typeof result === "string") return names.has(result);
  if (typeof result !== "object" || result === null) return false;
  if ("user_id" in result && result.user_id === person) return true;
  return Object.values(result).some((value) => shows(value, names, person));
}

/** The part that looks through all modules; its journal opens with theirs. */
export const persons = definePart(
  "persons",
  async (house) => new Persons(house, house.journal(ERASURE_LOG), await house.use(household)),
);

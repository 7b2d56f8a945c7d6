import { SharedTurns } from "../../../drivers/mutex.js";
import { seconds } from "../../../drivers/units.js";
import { type FoundPassage, hashOf, type IndexedDocument, PassageIndex } from "../../store/passage-index.js";
import type { Stored } from "../../store/records.js";
import { sourcesIn, type Tainted } from "../../tools/taint.js";
import type { House, KnowledgeSource } from "../module.js";
import { Feeds } from "./feeds.js";
import type { Meaning, MeaningState } from "./meaning.js";
import { documentOf } from "./passages.js";

/** A choice: a question waits so long until the index has all that there is now; then it is answered from what is there. */
const WAIT = seconds(5);
/** Choices: so many documents, and code units of their passages, go into one commit, so that the event loop stays free. */
const BATCH = 20;
const BATCH_LENGTH = 16_000;

/** Texts that stand in no journal, such as files. */
export interface OtherSource {
  readonly type: string;
  /** Brings the index up to what there is now, or as far as it gets until it is aborted. */
  follow(index: PassageIndex, signal: AbortSignal): Promise<void>;
}

export interface Question {
  readonly words: string;
  readonly type: string | undefined;
  readonly sees: Parameters<PassageIndex["search"]>[1]["sees"];
  readonly limit: number;
}

export interface Answer {
  readonly passages: readonly FoundPassage[];
  /** False where the index has not got everything yet: there may be more. */
  readonly isComplete: boolean;
  /** What could not be read, and the code of why: what was read of it before is still found. */
  readonly missing: readonly string[];
  /** Undefined where no embedding model is configured. */
  readonly meaning: MeaningState | undefined;
}

/**
 * Finds passages in everything that the house knows. Nothing is opened or read before the first question, so that whoever asks
 * none pays nothing. From then on the index follows the journals: with each question, and every hour.
 */
export class Knowledge {
  private index: Promise<PassageIndex> | undefined;
  private built: Promise<void> | undefined;
  private isBuilt = false;
  /** Whether an index was there at the start: later only a question makes one. */
  private wasThere: Promise<boolean> | undefined;
  /** Records that were written since the index was brought up to their journal. */
  private readonly changed = new Map<KnowledgeSource, Map<number, object>>();
  private readonly turns = new Rounds((error) => this.house.complain(error));
  /** A file may take its reader minutes, and the journals do not wait for it. */
  private readonly otherTurns = new Rounds((error) => {
    if (!this.closing.signal.aborted) this.house.complain(error);
  });
  private readonly closing = new AbortController();

  private readonly sources: readonly KnowledgeSource[];
  private readonly feeds: Feeds;

  constructor(
    private readonly house: House,
    private readonly others: readonly OtherSource[],
    private readonly meaning: Meaning | undefined,
  ) {
    this.sources = house.modules.flatMap((module) => module.knowledge ?? []);
    this.feeds = new Feeds(house, this.closing.signal);
    for (const source of this.sources) house.journal(source.log).watch((stored) => this.note(source, stored));
    house.store.onErased(() => this.afterErasing());
  }

  get types(): readonly string[] {
    return [...new Set([...[...this.sources, ...this.others].map(({ type }) => type), ...this.feeds.types])];
  }

  async ask({ words, type, sees, limit }: Question): Promise<Answer> {
    const index = await this.begin();
    const isUpToDate = await this.waitFor(this.upToDate(index));
    const isComplete = isUpToDate && !this.feeds.isReading;
    const near = await this.meaning?.near(index, words);
    const passages = await index.search(words, { type, sees, limit, near });
    const meaning = await this.meaning?.state(index, near !== undefined);
    this.meaning?.fill(index);
    return { passages, isComplete, missing: this.feeds.missing, meaning };
  }

  /** Where anybody has asked before: brings the index up to the journals. */
  async followIfUsed(): Promise<void> {
    this.wasThere ??= PassageIndex.isThere(this.house.store.folder);
    if (!this.index && !(await this.wasThere)) return;
    const index = await this.begin();
    await this.built;
    await this.follow(index);
    this.meaning?.fill(index);
  }

  private async follow(index: PassageIndex): Promise<void> {
    await Promise.all([this.catchUp(index), this.followOthers(index), this.feeds.follow(index)]);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.meaning?.close();
    const index = await this.index?.catch(() => undefined);
    await this.built?.catch(() => undefined); // whoever asked was told
    await this.feeds.settled();
    await this.otherTurns.run(async () => undefined);
    await this.turns.run(async () => index?.close());
  }

  /** Whether the index has everything. A file may take its reader minutes, and nobody waits for so long. */
  private async waitFor(complete: Promise<boolean>): Promise<boolean> {
    const over = new AbortController();
    const waited = this.house.realClock.sleep(WAIT, over.signal).then(
      () => false,
      () => false,
    );
    try {
      return await Promise.race([complete, waited]);
    } finally {
      over.abort();
    }
  }

  /** Resolves to false where the index could not be made. */
  private async upToDate(index: PassageIndex): Promise<boolean> {
    await this.built;
    if (this.isBuilt) await this.follow(index);
    return this.isBuilt;
  }

  /** Opens the index, and begins to make what is missing there. A failure is not remembered. */
  private async begin(): Promise<PassageIndex> {
    this.index ??= PassageIndex.open(this.house.store.folder).catch((error: unknown) => {
      this.index = undefined;
      throw error;
    });
    const index = await this.index;
    this.built ??= this.build(index).catch((error: unknown) => {
      this.built = undefined;
      this.house.complain(error);
    });
    return index;
  }

  private async build(index: PassageIndex): Promise<void> {
    await this.turns.run(async () => {
      await index.keepTypes(this.types);
      for (const source of this.sources) {
        this.changed.set(source, new Map());
        await (source.isFinal ? this.addNew(index, source) : this.compare(index, source));
      }
    });
    this.isBuilt = !this.closing.signal.aborted;
    this.meaning?.fill(index);
  }

  private catchUp(index: PassageIndex): Promise<void> {
    return this.turns.next(async () => {
      for (const source of this.changed.keys()) await this.catchUpWith(index, source);
    });
  }

  private async catchUpWith(index: PassageIndex, source: KnowledgeSource): Promise<void> {
    for (const stored of (await source.changedElsewhere?.(this.house)) ?? []) this.note(source, stored);
    const changed = this.changed.get(source);
    if (!changed || changed.size === 0) return;
    const records = [...changed].map(([id, record]) => ({ id, record }));
    changed.clear();
    if (records.some(({ record }) => source.changesOthers?.(record as never)))
      await this.compare(index, source);
    else await this.put(index, source, records);
  }

  private followOthers(index: PassageIndex): Promise<void> {
    return this.otherTurns.next(async () => {
      for (const other of this.others)
        if (!this.closing.signal.aborted) await other.follow(index, this.closing.signal);
    });
  }

  private note(source: KnowledgeSource, { id, record }: Stored<object>): void {
    this.changed.get(source)?.set(id, record);
  }

  private async addNew(index: PassageIndex, source: KnowledgeSource): Promise<void> {
    const after = await index.mark(source.type);
    for await (const batch of batches(this.house.journal(source.log).stored({ after }))) {
      if (this.closing.signal.aborted) return;
      await this.put(index, source, batch);
    }
  }

  /** Puts in what is new or different, and takes out what is no longer there. */
  private async compare(index: PassageIndex, source: KnowledgeSource): Promise<void> {
    const known = new Map(await index.hashes(source.type));
    for await (const batch of batches(this.house.journal(source.log).stored())) {
      if (this.closing.signal.aborted) return;
      const news: IndexedDocument[] = [];
      for (const each of batch) {
        const document = await this.documentOf(source, each);
        if (!document) continue;
        if (known.get(document.id) !== (await hashOf(document))) news.push(document);
        known.delete(document.id);
      }
      await index.put(source.type, news);
    }
    await index.remove(source.type, [...known.keys()]);
  }

  private async put(
    index: PassageIndex,
    source: KnowledgeSource,
    records: readonly Stored<object>[],
  ): Promise<void> {
    const [documents, gone]: [IndexedDocument[], string[]] = [[], []];
    for (const each of records) {
      const document = await this.documentOf(source, each);
      if (document) documents.push(document);
      else gone.push(idOf(source, each));
    }
    const mark = source.isFinal ? Math.max(...records.map(({ id }) => id)) : undefined;
    await index.put(source.type, documents, { mark });
    if (!source.isFinal) await index.remove(source.type, gone);
  }

  private async documentOf(
    source: KnowledgeSource,
    stored: Stored<object>,
  ): Promise<IndexedDocument | undefined> {
    const text = await source.text(stored.record as never, this.house);
    return text && documentOf(idOf(source, stored), text, sourcesIn([stored.record as Tainted, text]));
  }

  /** What was erased must not be found, nor stand in the index's file. */
  private async afterErasing(): Promise<void> {
    if (!(await PassageIndex.isThere(this.house.store.folder))) return;
    const index = await this.begin();
    await this.built;
    await this.turns.run(async () => {
      for (const source of this.sources)
        if (!source.isFinal || source.log.erasable !== undefined) await this.compare(index, source);
      await index.purge();
    });
  }
}

/** Rounds of catching up: each has whatever is noted until it begins. */
class Rounds extends SharedTurns<void> {
  /** `complain` is told of each failure: whoever no longer waits is not. */
  constructor(private readonly complain: (error: unknown) => void) {
    super();
  }

  override next(work: () => Promise<void>): Promise<void> {
    const round = super.next(work);
    round.catch(this.complain);
    return round;
  }
}

/** A type has one journal. */
const idOf = ({ log }: KnowledgeSource, { id }: Stored<object>): string => `${log.name} ${id}`;

/** A batch is short in rows and, by the length of its records, in time. */
async function* batches(all: AsyncIterable<Stored<object>>): AsyncGenerator<readonly Stored<object>[]> {
  let batch: Stored<object>[] = [];
  let length = 0;
  for await (const each of all) {
    batch.push(each);
    length += JSON.stringify(each.record).length;
    if (batch.length < BATCH && length < BATCH_LENGTH) continue;
    yield batch;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

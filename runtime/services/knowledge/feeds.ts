import { unlessAborted } from "../../../drivers/mutex.js";
import { type Millis, millis, minutes } from "../../../drivers/units.js";
import { errorBody } from "../../errors.js";
import { hashOf, type IndexedDocument, type PassageIndex } from "../../store/passage-index.js";
import type { FedText, House, KnowledgeFeed } from "../module.js";
import { documentOf } from "./passages.js";

/** A choice: what a feed has may be so old, and one that failed is asked again no sooner. */
const EVERY: Millis = minutes(1);
/** A choice: so many texts go into one commit, so that the event loop stays free. */
const BATCH = 20;

/** Keeps the index up to what the modules' feeds have. They are read in the background, the quick ones before an answer. */
export class Feeds {
  private readonly all: readonly FollowedFeed[];

  constructor(house: House, signal: AbortSignal) {
    const feeds = house.modules.flatMap((module) => module.feeds ?? []);
    this.all = feeds.map((feed) => new FollowedFeed(feed, house, signal));
  }

  get types(): readonly string[] {
    return this.all.flatMap(({ feed }) => feed.types);
  }

  /** Reads what is due. Resolves when the quick ones are read, or could not be. Never rejects. */
  async follow(index: PassageIndex): Promise<void> {
    const reading = this.all.map((each) => ({ each, done: each.follow(index) }));
    await Promise.all(reading.map(({ each, done }) => (each.feed.isQuick ? done : undefined)));
  }

  /** Whether one is being read now. */
  get isReading(): boolean {
    return this.all.some(({ isReading }) => isReading);
  }

  /** What could not be read, each with the error's code: "entity, scene: BRIDGE_AWAY". */
  get missing(): readonly string[] {
    return this.all.flatMap(({ feed, failure }) =>
      failure === undefined ? [] : [`${feed.types.join(", ")}: ${failure}`],
    );
  }

  /** Resolves when nothing is read any more. */
  async settled(): Promise<void> {
    await Promise.all(this.all.map(({ reading }) => reading));
  }
}

class FollowedFeed {
  reading: Promise<void> | undefined;
  /** The code of what went wrong the last time. */
  failure: string | undefined;
  /** On the monotonic clock. */
  private next: Millis = millis(0);

  constructor(
    readonly feed: KnowledgeFeed,
    private readonly house: House,
    private readonly signal: AbortSignal,
  ) {}

  get isReading(): boolean {
    return this.reading !== undefined;
  }

  follow(index: PassageIndex): Promise<void> {
    const { realClock } = this.house;
    if (!this.reading && (this.signal.aborted || realClock.monotonic() < this.next)) return Promise.resolve();
    this.reading ??= this.read(index)
      .then(
        () => this.ended(undefined),
        (error: unknown) => this.ended(error),
      )
      .finally(() => {
        this.reading = undefined;
        this.next = millis(realClock.monotonic() + EVERY);
      });
    return this.reading;
  }

  /** A failure is told once until the next success. */
  private ended(error: unknown): void {
    if (this.signal.aborted) return;
    const before = this.failure;
    this.failure = error === undefined ? undefined : codeOf(error);
    if (this.failure !== undefined && this.failure !== before) this.house.complain(error);
  }

  private async read(index: PassageIndex): Promise<void> {
    const known = await this.knownIn(index);
    const metadata = async (type: string) =>
      new Map(
        [...known.values()].filter((each) => each.type === type).map((each) => [each.id, each.metadata]),
      );
    const gone = new Map(known);
    let changed: FedText[] = [];
    const texts = this.feed.read(this.house, metadata, this.signal)[Symbol.asyncIterator]();
    try {
      for (;;) {
        this.signal.throwIfAborted();
        const { value, done } = await unlessAborted(texts.next(), this.signal);
        if (done === true) break;
        gone.delete(keyOf(value));
        if ("text" in value) changed.push(value);
        if (changed.length < BATCH) continue;
        await this.put(index, changed, known);
        changed = [];
      }
    } finally {
      // what was read before a failure is found too, and need not be read again
      await this.put(index, changed, known);
    }
    for (const type of this.feed.types)
      await index.remove(
        type,
        [...gone.values()].filter((each) => each.type === type).map(({ id }) => id),
      );
  }

  private async knownIn(index: PassageIndex): Promise<ReadonlyMap<string, Known>> {
    const known = new Map<string, Known>();
    for (const type of this.feed.types)
      for (const each of await index.described(type)) known.set(keyOf({ ...each, type }), { ...each, type });
    return known;
  }

  private async put(
    index: PassageIndex,
    texts: readonly FedText[],
    known: ReadonlyMap<string, Known>,
  ): Promise<void> {
    for (const type of this.feed.types) {
      const news: IndexedDocument[] = [];
      for (const text of texts.filter((each) => each.type === type)) {
        const before = known.get(keyOf(text));
        const document = await this.documentOf(text, before);
        if (before?.hash !== (await hashOf(document))) news.push(document);
      }
      if (news.length > 0) await index.put(type, news);
    }
  }

  /** A text that is as it was keeps its time. */
  private async documentOf(text: FedText, known: Known | undefined): Promise<IndexedDocument> {
    const at = text.at ?? known?.at ?? this.house.realClock.now();
    const document = await documentOf(text.id, { ...text, at }, text.tainted);
    if (text.at !== undefined || !known || (await hashOf(document)) === known.hash) return document;
    return { ...document, at: this.house.realClock.now() };
  }
}

type Known = Awaited<ReturnType<PassageIndex["described"]>>[number] & { readonly type: string };

const keyOf = ({ type, id }: Pick<FedText, "type" | "id">): string => `${type} ${id}`;

const codeOf = (error: unknown): string => {
  const { code, details } = errorBody(error);
  return String(details?.cause ?? code);
};

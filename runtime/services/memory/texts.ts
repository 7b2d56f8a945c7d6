import type { TextField, TextFields, TextHit, TextIndex } from "../../store/text-index.js";
import { askedWords, stemsOf, wordsOf } from "../../word-stems.js";

/** Raised when stems or fields change: then every text is put into the index anew. */
const FORM = 1;
/** Lines of a record, far above any: versions of one form lie below those of the next. */
const MAX_LINES = 1_000_000_000;
/** A choice: so many texts are put in at once. */
const BATCH = 200;

/** How much it says that a word stands there. Choices: a title is about the thing, a content may only mention it. */
const WEIGHTS: Readonly<Record<TextField, number>> = {
  title: 1,
  tags: 0.9,
  people: 0.9,
  location: 0.9,
  content: 0.8,
};

/** A choice: of a long question, so many of its words have to be there. */
const LEAST_SHARE = 1 / 3;

export interface Text {
  readonly id: number;
  /** How many lines it is made of. */
  readonly version: number;
  fields(): TextFields;
}

interface FoundText {
  readonly id: number;
  /** Above 0, up to 1: how much of what was asked is there, rare words counting more. */
  readonly score: number;
  /** The words that were found, each with its best field: "title: fern". */
  readonly matched: readonly string[];
}

/** Full-text search over a journal. Its index is derived: what is missing there is put in when a journal is opened. */
export class MemoryTexts {
  constructor(private readonly index: TextIndex) {}

  /** Brings the index of a journal up to these texts, which are all there are. */
  async follow(source: string, texts: AsyncIterable<Text> | Iterable<Text>): Promise<void> {
    const known = new Map(await this.index.versions(source));
    let changed: Text[] = [];
    for await (const text of texts) {
      if (known.get(text.id) !== versionOf(text)) changed.push(text);
      known.delete(text.id);
      if (changed.length === BATCH) await this.put(source, changed.splice(0));
    }
    await this.put(source, changed);
    changed = [];
    if (known.size > 0) await this.index.remove(source, [...known.keys()]);
  }

  put(source: string, texts: readonly Text[]): Promise<void> {
    if (texts.length === 0) return Promise.resolve();
    const stemmed = texts.map((text) => ({
      id: text.id,
      version: versionOf(text),
      fields: stemmedFields(text.fields()),
    }));
    return this.index.put(source, stemmed);
  }

  remove(source: string, ids: readonly number[]): Promise<void> {
    return this.index.remove(source, ids);
  }

  /** Those of the wanted texts that have enough of the question's words, in no order. `among` is how many are wanted in all. */
  async search(question: string, { source, isWanted, among }: SearchIn): Promise<readonly FoundText[]> {
    const asked = askedWords(question);
    const stems = new Map(asked.map((word) => [word, stemsOf(word)]));
    const hits = await this.index.find(source, [...new Set([...stems.values()].flat())]);
    const wanted = hits.filter(({ id }) => isWanted(id));
    const found = new Map<number, Map<string, TextHit>>();
    for (const word of asked) noteBest(found, word, wanted, stems.get(word) ?? []);
    const rarity = rarityOf(asked, found, among);
    return [...found.values()].flatMap((words) => scored(words, rarity));
  }
}

interface SearchIn {
  readonly source: string;
  isWanted(id: number): boolean;
  readonly among: number;
}

const versionOf = ({ version }: Text): number => FORM * MAX_LINES + version;

const stemmedFields = (fields: TextFields): TextFields =>
  Object.fromEntries(
    Object.entries(fields).map(([field, text]) => [field, wordsOf(text).flatMap(stemsOf).join(" ")]),
  );

/** Notes for each text that has the word the field in which it says most. */
function noteBest(
  found: Map<number, Map<string, TextHit>>,
  word: string,
  hits: readonly TextHit[],
  stems: readonly string[],
): void {
  for (const hit of hits.filter((each) => stems.includes(each.word))) {
    const words = found.get(hit.id) ?? new Map<string, TextHit>();
    const best = words.get(word);
    if (!best || WEIGHTS[hit.field] > WEIGHTS[best.field]) words.set(word, hit);
    found.set(hit.id, words);
  }
}

/** How much each word counts: one that stands in few texts counts more (inverse document frequency). */
function rarityOf(
  asked: readonly string[],
  found: ReadonlyMap<number, ReadonlyMap<string, TextHit>>,
  among: number,
): ReadonlyMap<string, number> {
  const texts = [...found.values()];
  return new Map(
    asked.map((word) => {
      const having = texts.filter((words) => words.has(word)).length;
      return [word, Math.log(1 + among / Math.max(1, having))];
    }),
  );
}

function scored(
  words: ReadonlyMap<string, TextHit>,
  rarity: ReadonlyMap<string, number>,
): readonly FoundText[] {
  const [first] = words.values();
  if (!first || words.size < rarity.size * LEAST_SHARE) return [];
  const whole = [...rarity.values()].reduce((sum, each) => sum + each, 0);
  const there = [...words].reduce(
    (sum, [word, { field }]) => sum + (rarity.get(word) ?? 0) * WEIGHTS[field],
    0,
  );
  const matched = [...words].map(([word, { field }]) => `${field}: ${word}`);
  return [{ id: first.id, score: Math.round((there / whole) * 1000) / 1000, matched }];
}

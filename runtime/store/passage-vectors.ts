import { createHash } from "node:crypto";
import { othersTurn } from "../../drivers/clock/system-clock.js";
import { Mutex } from "../../drivers/mutex.js";
import type { Database, Queries } from "./database.js";

/** What a model says of a text, as bytes from -127 to 127. Only its direction counts. */
export type Vector = Int8Array;

/** A passage that has no vector yet. */
export interface BarePassage {
  readonly passage: number;
  /** Its title and content: what the vector is made of. */
  readonly text: string;
}

/** Undefined for a text that the model takes not. */
type NewVector = BarePassage & { readonly vector: Vector | undefined };

interface Near {
  readonly passage: number;
  /** The cosine of both directions: 1 for the same. */
  readonly likeness: number;
}

/** Whether a passage of such a document may be found. */
type Admits = (document: { type: string; owner: string; isPrivate: boolean }) => boolean;

export const VECTOR_TABLES = [
  // `n` only grows, so what is new since the last look is known by it; an empty vector: the model takes the text not
  `CREATE TABLE IF NOT EXISTS vectors (
     n INTEGER PRIMARY KEY AUTOINCREMENT, passage INTEGER NOT NULL UNIQUE, model TEXT NOT NULL, hash BLOB NOT NULL,
     vector BLOB NOT NULL)`,
  `CREATE TRIGGER IF NOT EXISTS vectors_go AFTER DELETE ON passages
   BEGIN DELETE FROM vectors WHERE passage = old.passage; END`,
];

/** What a vector is made of. */
const TEXT = "trim(title || char(10) || content, char(10))";
/** Choices, for a few milliseconds of the event loop on a Pi each: rows that are read or dropped, and signs compared at once. */
const ROWS = 250;
const COMPARED = 8192;
/** Passages whose signs fit best: these are compared number by number. A choice: an answer
 * has five, and signs alone rank well enough for that. */
const CANDIDATES = 500;

/**
 * The vectors of passages, in the index's database. For a question only the signs of their numbers are kept in memory (64 bytes
 * of 512 numbers). The passages whose signs fit best are read from the disk and compared exactly.
 */
export class PassageVectors {
  private readonly signs = new Signs();
  private readonly turns = new Mutex();
  private mark: number | undefined;
  private last = 0;

  constructor(
    private readonly database: Database,
    /** Vectors of another model are not comparable: they are dropped. */
    private readonly model: string,
    /** Whether private passages get vectors too. */
    private readonly isForPrivate: boolean,
  ) {}

  /** Drops what another model has made, in short steps. */
  dropOthers(): Promise<void> {
    return this.drop("model <> ?");
  }

  /** For a model that now gives vectors of another length. */
  async dropAll(): Promise<void> {
    await this.drop("model = ?");
    this.mark = undefined;
    await this.forget();
  }

  private async drop(which: string): Promise<void> {
    const sql = `DELETE FROM vectors WHERE n IN (SELECT n FROM vectors WHERE ${which} LIMIT ${ROWS})`;
    while ((await this.database.run(sql, [this.model])) > 0);
  }

  /** Numbers of each vector; undefined while there is none. */
  async length(): Promise<number | undefined> {
    const sql = "SELECT length(vector) AS length FROM vectors WHERE length(vector) > 0 LIMIT 1";
    return (await this.database.get<{ length: number }>(sql))?.length;
  }

  /** The oldest passages without a vector. */
  async bare(limit: number): Promise<readonly BarePassage[]> {
    return this.database.all<BarePassage>(
      `SELECT passage, ${TEXT} AS text FROM ${this.bareAfter} ORDER BY passage LIMIT ${limit}`,
      [await this.done()],
    );
  }

  /** How many passages have no vector yet. */
  async waiting(): Promise<number> {
    const sql = `SELECT count(*) AS count FROM ${this.bareAfter}`;
    return (await this.database.get<{ count: number }>(sql, [await this.done()]))?.count ?? 0;
  }

  /** Passages that are gone or have changed meanwhile are left out. They must be what `bare` gave last, in its order. */
  async put(all: readonly NewVector[]): Promise<void> {
    await this.database.transaction(async (queries) => {
      for (const { passage, text, vector } of all)
        await queries.run(
          `INSERT INTO vectors (passage, model, hash, vector) SELECT passage, ?, ?, ? FROM passages JOIN documents USING (doc)
           WHERE passage = ? AND ${TEXT} = ?`,
          [this.model, hashOfText(text), bytesOf(vector ?? new Int8Array()), passage, text],
        );
    });
    this.mark = all.at(-1)?.passage ?? this.mark;
  }

  /** The nearest first; none that is less alike than `least`. */
  async nearest(question: Vector, least: number, admits: Admits, limit: number): Promise<readonly Near[]> {
    await this.turns.run(() => this.load());
    const candidates = await this.signs.nearest(question, admits);
    const rows = await this.database.all<{ passage: number; vector: Uint8Array }>(
      "SELECT passage, vector FROM vectors WHERE passage IN (SELECT value FROM json_each(?))",
      [JSON.stringify(candidates)],
    );
    return rows
      .map(({ passage, vector }) => ({ passage, likeness: likeness(question, vectorOf(vector)) }))
      .filter((each) => each.likeness >= least)
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, limit);
  }

  /** Drops what is in memory. The next question reads it again. */
  forget(): Promise<void> {
    return this.turns.run(async () => this.clear());
  }

  private clear(): void {
    this.signs.clear();
    this.last = 0;
  }

  private get private(): string {
    return this.isForPrivate ? "" : "AND private = 0";
  }

  private get bareAfter(): string {
    return `passages JOIN documents USING (doc) LEFT JOIN vectors USING (passage)
      WHERE passage > ? AND n IS NULL ${this.private}`;
  }

  /** Up to this passage all have their vectors. Numbers of passages only grow. */
  private async done(): Promise<number> {
    if (this.mark !== undefined) return this.mark;
    const row = await this.database.get<{ first: number | null; last: number | null }>(
      `SELECT min(passage) FILTER (WHERE n IS NULL) AS first, max(passage) AS last
       FROM passages JOIN documents USING (doc) LEFT JOIN vectors USING (passage) WHERE true ${this.private}`,
    );
    this.mark = row?.first ? row.first - 1 : (row?.last ?? 0);
    return this.mark;
  }

  /** Reads what is new. Passages that are gone stay in memory until they are half of it: the disk tells that they are gone. */
  private async load(): Promise<void> {
    const count =
      (await this.database.get<{ count: number }>("SELECT count(*) AS count FROM vectors"))?.count ?? 0;
    if (this.signs.size > 2 * count + ROWS) this.clear();
    for (;;) {
      const rows = await this.database.all<VectorRow>(
        `SELECT n, passage, vector, type, owner, private FROM vectors JOIN passages USING (passage) JOIN documents USING (doc)
         WHERE n > ? AND model = ? ORDER BY n LIMIT ${ROWS}`,
        [this.last, this.model],
      );
      for (const { n, passage, vector, type, owner, private: isPrivate } of rows) {
        if (vector.length > 0)
          this.signs.add(passage, vectorOf(vector), { type, owner, isPrivate: isPrivate === 1 });
        this.last = n;
      }
      if (rows.length < ROWS) return;
    }
  }
}

interface VectorRow {
  readonly n: number;
  readonly passage: number;
  readonly vector: Uint8Array;
  readonly type: string;
  readonly owner: string;
  readonly private: number;
}

/** Of the longest vector of any model (runtime/wire/models.ts). */
const MAX_SIGNS = 4096;
/** Not compared. */
const NONE = 0xffff;

/** As many passages as are compared at once. Blocks of their own: to copy all into a longer one would take too long. */
interface Block {
  readonly bits: Uint32Array;
  readonly passages: Float64Array;
  readonly kinds: Uint16Array;
}

/** One bit for each number of each vector: whether it is above zero. */
class Signs {
  size = 0;
  private blocks: Block[] = [];
  private words = 0;
  private known = new Map<string, number>();
  private documents: Parameters<Admits>[0][] = [];

  add(passage: number, vector: Vector, document: Parameters<Admits>[0]): void {
    const signs = signsOf(vector);
    this.words ||= signs.length;
    const at = this.size % COMPARED;
    if (at === 0) this.blocks.push(emptyBlock(this.words));
    const block = this.blocks.at(-1);
    block?.bits.set(signs.subarray(0, this.words), at * this.words);
    block?.passages.fill(passage, at, at + 1);
    block?.kinds.fill(this.kindOf(document), at, at + 1);
    this.size += 1;
  }

  clear(): void {
    [this.size, this.words, this.blocks] = [0, 0, []];
    [this.known, this.documents] = [new Map(), []];
  }

  /** The passages with the fewest different signs; the event loop is free after each block. */
  async nearest(question: Vector, admits: Admits): Promise<readonly number[]> {
    const [asked, admitted] = [signsOf(question), this.documents.map(admits)];
    const { size, blocks, words } = this; // what is added meanwhile does not count
    const differences = new Uint16Array(size).fill(NONE);
    for (let from = 0; from < size; from += COMPARED) {
      const block = blocks[from / COMPARED];
      if (block) compare(block, words, asked, admitted, differences.subarray(from, from + COMPARED));
      await othersTurn();
    }
    const most = mostOf(differences);
    const found: number[] = [];
    for (let at = 0; at < size && found.length < 2 * CANDIDATES; at += 1)
      if ((differences[at] ?? NONE) <= most)
        found.push(blocks[Math.floor(at / COMPARED)]?.passages[at % COMPARED] ?? 0);
    return found;
  }

  private kindOf(document: Parameters<Admits>[0]): number {
    const name = JSON.stringify(document);
    const known = this.known.get(name) ?? this.documents.push(document) - 1;
    this.known.set(name, known);
    return known;
  }
}

const emptyBlock = (words: number): Block => ({
  bits: new Uint32Array(COMPARED * words),
  passages: new Float64Array(COMPARED),
  kinds: new Uint16Array(COMPARED),
});

function compare(
  { bits, kinds }: Block,
  words: number,
  asked: Uint32Array,
  admitted: readonly boolean[],
  differences: Uint16Array,
): void {
  for (let at = 0; at < differences.length; at += 1)
    if (admitted[kinds[at] ?? 0]) differences[at] = differenceOf(bits, at * words, asked, words);
}

/** With no more differences than this, there are at least so many as are compared number by number, if there are so many at all. */
function mostOf(differences: Uint16Array): number {
  const counts = new Uint32Array(MAX_SIGNS + 1);
  for (const different of differences)
    if (different !== NONE) counts[different] = (counts[different] ?? 0) + 1;
  let sum = 0;
  const enough = counts.findIndex((count) => {
    sum += count;
    return sum >= CANDIDATES;
  });
  return enough === -1 ? MAX_SIGNS : enough;
}

function signsOf(vector: Vector): Uint32Array {
  const signs = new Uint32Array(Math.ceil(vector.length / 32));
  for (let at = 0; at < vector.length; at += 1)
    if ((vector[at] ?? 0) > 0) signs[at >>> 5] = (signs[at >>> 5] ?? 0) | (1 << (at & 31));
  return signs;
}

/** How many bits differ; the bits of a word are counted as in Warren, Hacker's Delight, 5-1. */
function differenceOf(bits: Uint32Array, from: number, asked: Uint32Array, words: number): number {
  let sum = 0;
  for (let at = 0; at < words; at += 1) {
    let word = (bits[from + at] ?? 0) ^ (asked[at] ?? 0);
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    sum += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return sum;
}

/** The cosine; 0 where one has no direction, or they have not one length. */
export function likeness(a: Vector, b: Vector): number {
  if (a.length !== b.length) return 0;
  let [both, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0];
    both += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return ofA === 0 || ofB === 0 ? 0 : both / Math.sqrt(ofA * ofB);
}

const vectorOf = (bytes: Uint8Array): Vector => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
const bytesOf = (vector: Vector): Uint8Array =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

const hashOfText = (text: string): Uint8Array => createHash("sha256").update(text).digest().subarray(0, 16);

/** The vectors of a document, by what they were made of: most of its passages are the same when it is put in again. */
export async function vectorsOf(
  queries: Queries,
  type: string,
  id: string,
): Promise<ReadonlyMap<string, KeptVector>> {
  const rows = await queries.all<KeptVector>(
    `SELECT model, vectors.hash AS hash, vector FROM vectors JOIN passages USING (passage) JOIN documents USING (doc) WHERE type = ? AND id = ?`,
    [type, id],
  );
  return new Map(rows.map((row) => [Buffer.from(row.hash).toString("hex"), row]));
}

interface KeptVector {
  readonly model: string;
  readonly hash: Uint8Array;
  readonly vector: Uint8Array;
}

/** Gives one of the passages that were put in last the vector that the same text had before; `after`: how many came after it. */
export async function keepVector(
  queries: Queries,
  kept: ReadonlyMap<string, KeptVector>,
  passage: { readonly title: string; readonly content: string; readonly after: number },
): Promise<void> {
  if (kept.size === 0) return;
  const text = `${passage.title}\n${passage.content}`.replace(/^\n+|\n+$/g, "");
  const former = kept.get(Buffer.from(hashOfText(text)).toString("hex"));
  if (former)
    await queries.run(
      "INSERT INTO vectors (passage, model, hash, vector) VALUES ((SELECT max(passage) FROM passages) - ?, ?, ?, ?)",
      [passage.after, former.model, former.hash, former.vector],
    );
}

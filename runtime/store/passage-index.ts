import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { othersTurn } from "../../drivers/clock/system-clock.js";
import { askedWords, stemsOf, wordsOf } from "../word-stems.js";
import { Database, type Queries, sqliteCode } from "./database.js";
import { closedOnFailure } from "./durable-file.js";
import { keepPrivate } from "./open-database.js";
import { keepVector, PassageVectors, VECTOR_TABLES, type Vector, vectorsOf } from "./passage-vectors.js";
import { exists } from "./state-folder.js";

/** The index's name in a state folder. It is derived: no backup holds it, and it can be deleted. */
export const KNOWLEDGE_FILE = "knowledge.sqlite";

/** A text that can be found, in passages that are short enough for an answer. */
export interface IndexedDocument {
  /** Unique within its type. */
  readonly id: string;
  readonly title: string;
  readonly passages: readonly string[];
  /** A person's id, or "household". */
  readonly owner: string;
  /** Only its owner may see it. */
  readonly isPrivate: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly metadata: Metadata;
  /** Where words of strangers in it came from; empty if it has none. */
  readonly tainted: readonly string[];
}

export type Metadata = Readonly<Record<string, string | number | boolean | null>>;

interface Described extends Pick<IndexedDocument, "id" | "owner" | "at" | "metadata"> {
  readonly hash: string;
}

/** Whose documents somebody may see. */
interface Sight {
  readonly owner: string;
  readonly isPrivate: boolean;
}

interface Wanted {
  /** Only documents of this type. */
  readonly type?: string | undefined;
  readonly sees: (sight: Sight) => boolean;
  readonly limit: number;
  /** The question's vector, and the least similarity (-1 to 1) that a passage needs. Without it only words count. */
  readonly near?: { readonly vector: Vector; readonly least: number } | undefined;
}

/** What finds a passage: its words, or its vector. */
type Arm = "words" | "meaning";

export interface FoundPassage
  extends Pick<IndexedDocument, "id" | "owner" | "title" | "isPrivate" | "at" | "metadata" | "tainted"> {
  readonly type: string;
  readonly content: string;
  /**
   * Above 0, up to 1. By words only: the share of the question's words that the passage has; rare words count more.
   * With vectors: how high it ranks in both searches.
   */
  readonly score: number;
  readonly arms: readonly Arm[];
}

/** Raised when words, tables or the texts of records change: then the index is made anew. */
const FORM = 3;

const TABLES = [
  `CREATE TABLE IF NOT EXISTS documents (
     doc INTEGER PRIMARY KEY, type TEXT NOT NULL, id TEXT NOT NULL, hash TEXT NOT NULL, owner TEXT NOT NULL,
     private INTEGER NOT NULL, at INTEGER NOT NULL, title TEXT NOT NULL, metadata TEXT NOT NULL, tainted TEXT NOT NULL,
     UNIQUE (type, id))`,
  `CREATE TABLE IF NOT EXISTS passages (
     passage INTEGER PRIMARY KEY AUTOINCREMENT, doc INTEGER NOT NULL, content TEXT NOT NULL)`,
  "CREATE INDEX IF NOT EXISTS passages_by_document ON passages (doc)",
  // the stems of the words, without the words; `scope` has a token for the type and one for who may see it
  `CREATE VIRTUAL TABLE IF NOT EXISTS passage_words USING fts5(title, content, scope,
     content='', contentless_delete=1, detail=column, tokenize='unicode61 remove_diacritics 0')`,
  "CREATE VIRTUAL TABLE IF NOT EXISTS passage_terms USING fts5vocab(passage_words, row)",
  // how far each type whose documents never change has been read
  "CREATE TABLE IF NOT EXISTS marks (type TEXT PRIMARY KEY, after INTEGER NOT NULL) WITHOUT ROWID",
  ...VECTOR_TABLES,
];
/** Where words of documents stand, or what is made of them. */
const PURGED = ["documents", "passages", "passage_words_data", "passage_words_idx", "vectors"];

/** A choice: of a very long question, its rarest words. */
const MAX_WORDS = 32;
/**
 * A choice, for 30 ms a question: the most passages that are ranked. A word that more passages have says little about
 * any of them.
 */
const MAX_RANKED = 20_000;
/** A choice: how many of the best passages are compared with the question word by word. */
const MAX_COMPARED = 30;
/** Choices: how much a word counts in each place. A title says what a text is about. */
const WEIGHT = { title: 1, content: 0.9 };
/** A choice, tried on the questions of test/services/knowledge: a passage with less of the question is not about it. */
const LEAST_SCORE = 0.34;
/** A choice: some milliseconds of work. */
const REMOVED_AT_ONCE = 100;
/** A choice: passages of one document in a commit. A question waits for one commit at most. */
const PUT_AT_ONCE = 100;
/** The hash of a document whose last passages are not there yet. */
const UNFINISHED = "";
/** A choice: the most passages of one document in an answer. More would leave no room for other documents. */
const MAX_OF_ONE = 2;
/** Ranks are fused as in Cormack, Clarke, Büttcher: Reciprocal Rank Fusion (SIGIR 2009); the constant is theirs. */
const RANKS = 60;

/** The full-text index over everything that the house knows, in a database of its own: a long search delays nobody else. */
export class PassageIndex {
  private vectors: PassageVectors | undefined;

  private constructor(
    private readonly database: Database,
    /** Who owns documents, and whether private ones. Few, so they are kept in memory. */
    private readonly sights: Map<string, Sight>,
  ) {}

  static readonly isThere = (folder: string): Promise<boolean> => exists(join(folder, KNOWLEDGE_FILE));

  /** For a module that is switched off: nothing of what a person erases may stay in a file that nobody follows. */
  static async remove(folder: string): Promise<void> {
    for (const end of ["", "-wal", "-shm"])
      await rm(join(folder, `${KNOWLEDGE_FILE}${end}`), { force: true });
  }

  /** Opens the index, made anew if it is of another form or cannot be read. Rejects with STORE_FAILED. */
  static async open(folder: string): Promise<PassageIndex> {
    try {
      return await PassageIndex.openSound(folder);
    } catch (error) {
      if (!["SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR"].includes(sqliteCode(error) ?? "")) throw error;
      await PassageIndex.remove(folder);
      return PassageIndex.openSound(folder);
    }
  }

  private static async openSound(folder: string): Promise<PassageIndex> {
    const setup = [
      "PRAGMA busy_timeout = 2000",
      "PRAGMA journal_mode = WAL",
      "PRAGMA synchronous = NORMAL",
      "PRAGMA cache_size = -4000",
      "PRAGMA secure_delete = ON",
    ];
    const file = join(folder, KNOWLEDGE_FILE);
    keepPrivate(file);
    const database = await Database.open({ file, setup });
    return closedOnFailure(database, async () => {
      await makeTables(database);
      await removeUnfinished(database);
      const rows = await database.all<{ owner: string; private: number }>(
        "SELECT DISTINCT owner, private FROM documents",
      );
      const sights = rows.map(({ owner, private: isPrivate }) => ({ owner, isPrivate: isPrivate === 1 }));
      return new PassageIndex(database, new Map(sights.map((sight) => [tokenOf(sight), sight])));
    });
  }

  /** From now on passages can have vectors of this model; those of another one are dropped. */
  async useVectors(model: string, isForPrivate: boolean): Promise<PassageVectors> {
    const vectors = new PassageVectors(this.database, model, isForPrivate);
    await vectors.dropOthers();
    this.vectors = vectors;
    return vectors;
  }

  /** How far a type has been read; 0 if not at all. */
  async mark(type: string): Promise<number> {
    const row = await this.database.get<{ after: number }>("SELECT after FROM marks WHERE type = ?", [type]);
    return row?.after ?? 0;
  }

  async hashes(type: string): Promise<ReadonlyMap<string, string>> {
    const sql = "SELECT id, hash FROM documents WHERE type = ?";
    const rows = await this.database.all<{ id: string; hash: string }>(sql, [type]);
    return new Map(rows.map(({ id, hash }) => [id, hash]));
  }

  /** Each document of a type, without its text. */
  async described(type: string): Promise<readonly Described[]> {
    const sql = "SELECT id, hash, owner, at, metadata FROM documents WHERE type = ?";
    const rows = await this.database.all<Omit<Described, "metadata"> & { metadata: string }>(sql, [type]);
    return rows.map((row) => ({ ...row, metadata: JSON.parse(row.metadata) as Metadata }));
  }

  /**
   * Puts documents in, in place of earlier forms, and notes how far the type has been read: both or neither. A long document comes in
   * several commits: until the last one it is found in part, and if it is aborted, the next opening removes that part.
   */
  async put(
    type: string,
    documents: readonly IndexedDocument[],
    { mark, signal }: PutOptions = {},
  ): Promise<void> {
    for (const sight of documents) this.sights.set(tokenOf(sight), sight);
    for (const document of documents.filter(isLong)) await this.putLong(type, document, signal);
    if (signal?.aborted) return;
    const short: Hashed[] = [];
    for (const document of documents)
      if (!isLong(document)) short.push({ document, hash: await hashOf(document) });
    await this.database.transaction(async (queries) => {
      for (const { document, hash } of short) {
        const kept = await vectorsOf(queries, type, document.id);
        await putDocument(queries, type, { document, hash });
        await putPassages(queries, type, document, kept);
      }
      if (mark !== undefined)
        await queries.run("INSERT OR REPLACE INTO marks (type, after) VALUES (?, ?)", [type, mark]);
    });
  }

  private async putLong(type: string, document: IndexedDocument, signal?: AbortSignal): Promise<void> {
    const { id, passages } = document;
    const hash = await hashOf(document);
    const kept = await vectorsOf(this.database, type, id);
    await this.database.transaction((queries) => putDocument(queries, type, { document, hash: UNFINISHED }));
    for (let at = 0; at < passages.length; at += PUT_AT_ONCE) {
      if (signal?.aborted) return;
      const some = { ...document, passages: passages.slice(at, at + PUT_AT_ONCE) };
      await this.database.transaction((queries) => putPassages(queries, type, some, kept));
    }
    await this.database.run("UPDATE documents SET hash = ? WHERE type = ? AND id = ?", [hash, type, id]);
  }

  /** In short transactions, since another family's texts may be many. */
  async remove(type: string, ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += REMOVED_AT_ONCE)
      await this.database.transaction(async (queries) => {
        for (const id of ids.slice(at, at + REMOVED_AT_ONCE)) await removeOne(queries, type, id);
      });
  }

  /** Drops all documents of other types than these, and how far they were read: a family that is off is not found. */
  async keepTypes(types: readonly string[]): Promise<void> {
    const rows = await this.database.all<{ type: string }>(
      "SELECT type FROM documents UNION SELECT type FROM marks",
    );
    for (const { type } of rows.filter((row) => !types.includes(row.type))) {
      await this.database.run("DELETE FROM marks WHERE type = ?", [type]);
      await this.remove(type, [...(await this.hashes(type)).keys()]);
    }
  }

  /** Leaves nothing in the file of what was removed. Takes seconds where there is much. */
  async purge(): Promise<void> {
    // a removed row is only marked; merging drops its words [sqlite.org/fts5.html, "Contentless-Delete Tables"]
    await this.database.run("INSERT INTO passage_words (passage_words) VALUES ('optimize')");
    await this.database.purge(PURGED.map((table) => ({ table })));
    await this.vectors?.forget();
  }

  async counts(): Promise<{ documents: number; passages: number }> {
    const count = async (table: string) =>
      (await this.database.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? 0;
    return { documents: await count("documents"), passages: await count("passages") };
  }

  /** The best first; empty if nothing there is about the question. */
  async search(question: string, { type, sees, limit, near }: Wanted): Promise<readonly FoundPassage[]> {
    const words = await this.byWords(question, { type, sees });
    const found = near && this.vectors ? fused(words, await this.byMeaning(near, { type, sees })) : words;
    return firstOfEach(found)
      .slice(0, limit)
      .map(({ row, score, arms }) => foundPassage(row, score, arms));
  }

  private async byWords(question: string, { type, sees }: Omit<Wanted, "limit">): Promise<Scored[]> {
    const words = await this.wordsIn(question);
    const scopes = [...this.sights].filter(([, sight]) => sees(sight)).map(([token]) => token);
    if (words.length === 0 || scopes.length === 0) return [];
    const types = type === undefined ? "" : ` AND scope : ${tokenOfType(type)}`;
    const who = scopes.length === this.sights.size ? "" : ` AND scope : (${scopes.join(" OR ")})`;
    const ranked = await this.ranked(words, `${types}${who}`);
    return ranked
      .map((row) => ({ row, score: scoreOf(row, words), arms: ["words"] as const }))
      .filter(({ score }) => score >= LEAST_SCORE)
      .sort((a, b) => b.score - a.score || b.row.at - a.row.at || a.row.rank - b.row.rank);
  }

  private async byMeaning(
    { vector, least }: NonNullable<Wanted["near"]>,
    { type, sees }: Omit<Wanted, "limit">,
  ): Promise<Scored[]> {
    const admits = (each: Sight & { type: string }) =>
      (type === undefined || each.type === type) && sees(each);
    const near = (await this.vectors?.nearest(vector, least, admits, MAX_COMPARED)) ?? [];
    const rows = await this.database.all<Row>(
      `SELECT passage, type, id, title, content, at, metadata, tainted, private, 0 AS rank, owner
       FROM passages JOIN documents USING (doc) WHERE passage IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(near.map(({ passage }) => passage))],
    );
    const byPassage = new Map(rows.map((row) => [row.passage, row]));
    return near.flatMap(({ passage, likeness }) => {
      const row = byPassage.get(passage);
      // asked once more: what is in memory may be older than the disk
      if (!row || !admits({ type: row.type, owner: row.owner, isPrivate: row.private === 1 })) return [];
      return { row, score: likeness, arms: ["meaning"] as const };
    });
  }

  close(): Promise<void> {
    return this.database.close();
  }

  /** What is asked for, the rarest word first. */
  private async wordsIn(question: string): Promise<readonly AskedWord[]> {
    const asked = askedWords(question).map((word) => ({ stems: stemsOf(word) }));
    const stems = [...new Set(asked.flatMap((word) => word.stems))];
    const rows = await this.database.all<{ term: string; doc: number }>(
      "SELECT term, doc FROM passage_terms WHERE term IN (SELECT value FROM json_each(?))",
      [JSON.stringify(stems)],
    );
    const having = new Map(rows.map(({ term, doc }) => [term, doc]));
    const { passages } = await this.counts();
    return asked
      .map((word) => {
        const its = Math.max(0, ...word.stems.map((stem) => having.get(stem) ?? 0));
        return { ...word, passages: its, rarity: Math.log(1 + passages / Math.max(1, its)) };
      })
      .sort((a, b) => a.passages - b.passages)
      .slice(0, MAX_WORDS);
  }

  /** Searches by the rare words only; if all are common, takes the newest passages. */
  private ranked(words: readonly AskedWord[], scope: string): Promise<Row[]> {
    const known = words.filter(({ passages }) => passages > 0);
    let sum = 0;
    const rare = known.filter(({ passages }) => {
      sum += passages;
      return sum <= MAX_RANKED;
    });
    const [first] = known;
    if (!first) return Promise.resolve([]);
    const used = rare.length > 0 ? rare : [first];
    const order = rare.length > 0 ? "rank" : "passage_words.rowid DESC";
    const match = `({title content} : (${used.map(anyStem).join(" OR ")}))${scope}`;
    return this.database.all<Row>(
      `SELECT passage, type, id, title, content, at, metadata, tainted, private, rank, owner FROM (
         SELECT rowid, rank FROM passage_words
         WHERE passage_words MATCH ? AND rank MATCH 'bm25(2.0, 1.0, 0.0)' ORDER BY ${order} LIMIT ${MAX_COMPARED}
       ) AS best JOIN passages ON passage = best.rowid JOIN documents USING (doc)`,
      [match],
    );
  }
}

interface AskedWord {
  readonly stems: readonly string[];
  /** How many passages have it. */
  readonly passages: number;
  readonly rarity: number;
}

interface Row extends Pick<FoundPassage, "type" | "id" | "title" | "content" | "at" | "owner"> {
  readonly passage: number;
  readonly metadata: string;
  readonly tainted: string;
  readonly private: number;
  readonly rank: number;
}

type Scored = Pick<FoundPassage, "score" | "arms"> & { readonly row: Row };

async function makeTables(database: Database): Promise<void> {
  const version = (await database.get<{ user_version: number }>("PRAGMA user_version"))?.user_version ?? 0;
  if (version !== FORM)
    for (const table of ["passage_terms", "passage_words", "vectors", "passages", "documents", "marks"])
      await database.script(`DROP TABLE IF EXISTS ${table}`);
  for (const table of TABLES) await database.script(table);
  await database.script(`PRAGMA user_version = ${FORM}`);
}

/** What a stop or a failure has left of long documents. */
async function removeUnfinished(database: Database): Promise<void> {
  const rows = await database.all<{ type: string; id: string }>(
    "SELECT type, id FROM documents WHERE hash = ?",
    [UNFINISHED],
  );
  for (const { type, id } of rows) await database.transaction((queries) => removeOne(queries, type, id));
}

interface PutOptions {
  readonly mark?: number | undefined;
  /** Ends the putting of a long document. */
  readonly signal?: AbortSignal;
}

interface Hashed {
  readonly document: IndexedDocument;
  readonly hash: string;
}

const isLong = ({ passages }: IndexedDocument): boolean => passages.length > PUT_AT_ONCE;

/** Puts in a document without its passages. */
async function putDocument(queries: Queries, type: string, { document, hash }: Hashed): Promise<void> {
  const { id, title, owner, isPrivate, at } = document;
  const [metadata, tainted] = [document.metadata, document.tainted].map((each) => JSON.stringify(each));
  await removeOne(queries, type, id);
  await queries.run(
    `INSERT INTO documents (type, id, hash, owner, private, at, title, metadata, tainted)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
    [type, id, hash, owner, isPrivate ? 1 : 0, at, title, `${metadata}`, `${tainted}`],
  );
}

/** `kept`: the vectors that its passages had. */
async function putPassages(
  queries: Queries,
  type: string,
  document: IndexedDocument,
  kept: Awaited<ReturnType<typeof vectorsOf>>,
): Promise<void> {
  const { id, title, passages } = document;
  const scope = `${tokenOfType(type)} ${tokenOf(document)}`;
  const after = passages.length - 1;
  // all at once, since each statement waits for a thread
  await queries.run(
    `INSERT INTO passages (doc, content)
     SELECT doc, value FROM documents, json_each(?) WHERE documents.type = ? AND documents.id = ? ORDER BY key`,
    [JSON.stringify(passages), type, id],
  );
  await queries.run(
    `WITH put AS MATERIALIZED (SELECT max(passage) AS last FROM passages)
     INSERT INTO passage_words (rowid, title, content, scope)
     SELECT last - ? + key, ?, value, ? FROM put, json_each(?) ORDER BY key`,
    [after, stemmed(title), scope, JSON.stringify(passages.map(stemmed))],
  );
  for (const [at, content] of passages.entries())
    await keepVector(queries, kept, { title, content, after: after - at });
}

async function removeOne(queries: Queries, type: string, id: string): Promise<void> {
  const its = "(SELECT doc FROM documents WHERE type = ? AND id = ?)";
  await queries.run(
    `DELETE FROM passage_words WHERE rowid IN (SELECT passage FROM passages WHERE doc = ${its})`,
    [type, id],
  );
  await queries.run(`DELETE FROM passages WHERE doc = ${its}`, [type, id]);
  await queries.run("DELETE FROM documents WHERE type = ? AND id = ?", [type, id]);
}

/** Says whether a document is as the index has it. A long one in short steps. */
export async function hashOf({ id: _, passages, ...document }: IndexedDocument): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(document));
  for (let at = 0; at < passages.length; at += PUT_AT_ONCE) {
    if (at > 0) await othersTurn();
    hash.update(JSON.stringify(passages.slice(at, at + PUT_AT_ONCE)));
  }
  return hash.digest("base64url").slice(0, 22);
}

const stemmed = (text: string): string => wordsOf(text).flatMap(stemsOf).join(" ");

const anyStem = ({ stems }: AskedWord): string => `(${stems.map((stem) => `"${stem}"`).join(" OR ")})`;

/** Only letters and digits, since other characters would split the token. No word of a text has this form. */
const hex = (text: string): string => Buffer.from(text).toString("hex");
const tokenOfType = (type: string): string => `type0x${hex(type)}`;
const tokenOf = ({ owner, isPrivate }: Sight): string => `${isPrivate ? "private" : "open"}0x${hex(owner)}`;

/** The share of the question's words that stand there, rare words counting more. */
function scoreOf({ title, content }: Row, words: readonly AskedWord[]): number {
  const there = { title: stemsIn(title), content: stemsIn(content) };
  const has = (place: keyof typeof there, { stems }: AskedWord) =>
    stems.some((stem) => there[place].has(stem));
  const weigh = (word: AskedWord) =>
    has("title", word) ? WEIGHT.title : has("content", word) ? WEIGHT.content : 0;
  const all = words.reduce((sum, { rarity }) => sum + rarity, 0);
  const found = words.reduce((sum, word) => sum + word.rarity * weigh(word), 0);
  return Math.round((found / all) * 1000) / 1000;
}

const stemsIn = (text: string): ReadonlySet<string> => new Set(wordsOf(text).flatMap(stemsOf));

/** A passage that ranks high by words or by meaning ranks high; one that both find ranks higher. */
function fused(words: readonly Scored[], meaning: readonly Scored[]): Scored[] {
  const all = new Map<number, Scored>();
  for (const list of [words, meaning])
    for (const [rank, { row, arms }] of list.entries()) {
      const former = all.get(row.passage);
      const score = (former?.score ?? 0) + (RANKS + 1) / (RANKS + 1 + rank) / 2;
      all.set(row.passage, { row, score, arms: [...(former?.arms ?? []), ...arms] });
    }
  return [...all.values()].sort((a, b) => b.score - a.score || b.row.at - a.row.at);
}

function firstOfEach(scored: readonly Scored[]): readonly Scored[] {
  const taken = new Map<string, number>();
  return scored.filter(({ row }) => {
    const name = `${row.type} ${row.id}`;
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    return count <= MAX_OF_ONE;
  });
}

const foundPassage = (row: Row, score: number, arms: readonly Arm[]): FoundPassage => ({
  ...{ type: row.type, id: row.id, owner: row.owner, title: row.title, content: row.content, at: row.at },
  ...{ score: Math.round(score * 1000) / 1000, arms },
  isPrivate: row.private === 1,
  metadata: JSON.parse(row.metadata) as Metadata,
  tainted: JSON.parse(row.tainted) as string[],
});

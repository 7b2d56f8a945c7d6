import type { Database } from "./database.js";

/** What of a text its words are looked for in. */
const TEXT_FIELDS = ["title", "content", "people", "tags", "location"] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
export type TextFields = Readonly<Partial<Record<TextField, string>>>;

/** A word stands in that field of the text of that number. */
export interface TextHit {
  readonly id: number;
  readonly word: string;
  readonly field: TextField;
}

/** The tables of the index. Without the texts themselves: only their words are kept. */
export const TEXT_TABLES = [
  `CREATE VIRTUAL TABLE text_words USING fts5(${TEXT_FIELDS.join(", ")},
     content='', contentless_delete=1, detail=column, tokenize='unicode61 remove_diacritics 0')`,
  "CREATE VIRTUAL TABLE text_terms USING fts5vocab(text_words, instance)",
  `CREATE TABLE texts (
     row INTEGER PRIMARY KEY, source TEXT NOT NULL, id INTEGER NOT NULL, version INTEGER NOT NULL, UNIQUE (source, id))`,
];

/** Where SQLite keeps the words [sqlite.org/fts5.html, "FTS5 Data Structures"]. */
export const WORD_TABLES = ["text_words_data", "text_words_idx"];

/**
 * Which words stand in which text. It is derived from journals: whoever puts texts in compares `versions` when it opens, and puts in
 * what differs.
 */
export class TextIndex {
  constructor(private readonly database: Database) {}

  async versions(source: string): Promise<ReadonlyMap<number, number>> {
    const sql = "SELECT id, version FROM texts WHERE source = ?";
    const rows = await this.database.all<{ id: number; version: number }>(sql, [source]);
    return new Map(rows.map(({ id, version }) => [id, version]));
  }

  /** Puts texts in, in place of earlier versions. The words of a field are separated by spaces. */
  put(source: string, texts: readonly { id: number; version: number; fields: TextFields }[]): Promise<void> {
    const given = [source, JSON.stringify(texts.map(({ fields, ...text }) => ({ ...text, ...fields })))];
    return this.database.transaction(async (queries) => {
      await queries.run(
        `DELETE FROM text_words WHERE rowid IN
           (SELECT row FROM texts WHERE source = ?1 AND id IN (SELECT value ->> 'id' FROM json_each(?2)))`,
        given,
      );
      await queries.run(
        `INSERT INTO texts (source, id, version)
         SELECT ?1, value ->> 'id', value ->> 'version' FROM json_each(?2) WHERE true
         ON CONFLICT (source, id) DO UPDATE SET version = excluded.version`,
        given,
      );
      // in this order: the other way would look through the JSON for each text that is known
      const words = TEXT_FIELDS.map((field) => `coalesce(value ->> '${field}', '')`);
      await queries.run(
        `INSERT INTO text_words (rowid, ${TEXT_FIELDS.join(", ")})
         SELECT row, ${words.join(", ")} FROM json_each(?2) CROSS JOIN texts ON source = ?1 AND texts.id = value ->> 'id'`,
        given,
      );
    });
  }

  /** Takes texts out, so that nothing of their words is left. */
  async remove(source: string, ids: readonly number[]): Promise<void> {
    const given = [source, JSON.stringify(ids)];
    const its = "source = ?1 AND id IN (SELECT value FROM json_each(?2))";
    await this.database.transaction(async (queries) => {
      await queries.run(`DELETE FROM text_words WHERE rowid IN (SELECT row FROM texts WHERE ${its})`, given);
      await queries.run(`DELETE FROM texts WHERE ${its}`, given);
    });
    // without its text a row is only marked as deleted; merging drops it [sqlite.org/fts5.html, "Contentless-Delete Tables"]
    await this.database.run("INSERT INTO text_words (text_words) VALUES ('optimize')");
  }

  /** Where any of these words stands in a collection. */
  async find(source: string, words: readonly string[]): Promise<readonly TextHit[]> {
    return this.database.all<TextHit>(
      `SELECT DISTINCT term AS word, col AS field, id FROM text_terms JOIN texts ON row = doc
       WHERE term IN (SELECT value FROM json_each(?)) AND source = ?`,
      [JSON.stringify(words), source],
    );
  }
}

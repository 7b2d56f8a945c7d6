import sqlite3 from "sqlite3";
import { Mutex } from "../../drivers/mutex.js";
import { TendrilError } from "../errors.js";
import { closedOnFailure, storeFailed } from "./durable-file.js";

/** Bytes are read as a Buffer. */
export type SqlValue = string | number | Uint8Array | null;
type SqlRow = Readonly<Record<string, SqlValue>>;

/** What may be asked of the database. Numbers beyond 32 bits bind as REAL: compute with them only after CAST. */
export interface Queries {
  /** Resolves with the number of rows changed. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
  get<R = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<R | undefined>;
  all<R = SqlRow>(sql: string, params?: readonly SqlValue[]): Promise<R[]>;
}

/** What may be asked inside a transaction. */
interface Changes extends Queries {
  /** Several statements in one text, without parameters. */
  script(sql: string): Promise<void>;
}

interface DatabaseOptions {
  readonly file: string;
  /** Statements run once at open: pragmas. */
  readonly setup: readonly string[];
  /** The file must be there, and is not written to. */
  readonly readOnly?: boolean;
}

/**
 * One connection, used by one task at a time: a transaction owns it, and everything else queues behind. The
 * only file that knows the `sqlite3` package. Rejects with STORE_FAILED, whose cause is SQLite's error.
 */
export class Database implements Changes {
  private readonly statements = new Map<string, Promise<sqlite3.Statement>>();
  private readonly turns = new Mutex();

  private constructor(
    private readonly file: string,
    private readonly connection: sqlite3.Database,
  ) {}

  static async open({ file, setup, readOnly = false }: DatabaseOptions): Promise<Database> {
    const mode = readOnly ? sqlite3.OPEN_READONLY : sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE;
    const connection = await new Promise<sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(file, mode, (error) =>
        error ? reject(failed(file, error)) : resolve(opened),
      );
    });
    const database = new Database(file, connection);
    await closedOnFailure(database, () => database.script(inOneText(setup)));
    return database;
  }

  run(sql: string, params: readonly SqlValue[] = []): Promise<number> {
    return this.turns.run(() => this.execute(sql, params));
  }

  async get<R = SqlRow>(sql: string, params: readonly SqlValue[] = []): Promise<R | undefined> {
    return (await this.all<R>(sql, params))[0];
  }

  all<R = SqlRow>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    return this.turns.run(() => this.select<R>(sql, params));
  }

  script(sql: string): Promise<void> {
    return this.turns.run(() => this.executeScript(sql));
  }

  /** All of `work` or, if it rejects, nothing of it. `work` uses only the queries it is given. */
  transaction<T>(work: (queries: Changes) => Promise<T>): Promise<T> {
    return this.turns.run(async () => {
      await this.executeScript("BEGIN IMMEDIATE");
      try {
        const result = await work(this.owned);
        await this.executeScript("COMMIT");
        return result;
      } catch (error) {
        await this.rollBack();
        throw error;
      }
    });
  }

  /**
   * Leaves nothing of what was deleted beside these rows: what SQLite moves between pages can leave a copy behind, also with
   * `secure_delete`. So the rows go to new pages, and the log into the file. Rejects if a reader keeps the log from being emptied.
   */
  async purge(tables: readonly { readonly table: string; readonly where?: string }[]): Promise<void> {
    await this.transaction(async ({ all, script }) => {
      for (const { table, where = "TRUE" } of tables) {
        const around = await all<{ type: string; name: string; sql: string }>(
          `SELECT type, name, sql FROM sqlite_master
           WHERE (type = 'trigger' OR (type = 'index' AND sql LIKE '%->>%')) AND tbl_name = ?`,
          [table],
        );
        await script(
          inOneText([
            // no row goes, and an index over words of the rows is made anew too
            ...around.map(({ type, name }) => `DROP ${type} "${name}"`),
            `CREATE TABLE kept AS SELECT * FROM ${table} WHERE ${where}`,
            `DELETE FROM ${table} WHERE ${where}`,
            `INSERT INTO ${table} SELECT * FROM kept`,
            "DROP TABLE kept",
            ...around.map(({ sql }) => sql),
          ]),
        );
      }
    });
    if (!(await this.emptyLog()))
      throw failed(this.file, new Error("it is being read: its log cannot be emptied now"));
  }

  /** Writes the log into the file, and cuts it to nothing. False if somebody is reading it. */
  async emptyLog(): Promise<boolean> {
    const emptied = await this.get<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)");
    return emptied?.busy === 0;
  }

  /** Waits for what is queued. */
  close(): Promise<void> {
    return this.turns.run(async () => {
      const prepared = await Promise.allSettled(this.statements.values());
      for (const each of prepared) if (each.status === "fulfilled") each.value.finalize();
      await new Promise<void>((resolve, reject) =>
        this.connection.close((error) => (error ? reject(failed(this.file, error)) : resolve())),
      );
    });
  }

  /** The queries inside a transaction: they do not queue, the transaction has the connection already. */
  private readonly owned: Changes = {
    run: (sql, params = []) => this.execute(sql, params),
    get: async <R>(sql: string, params: readonly SqlValue[] = []) => (await this.select<R>(sql, params))[0],
    all: (sql, params = []) => this.select(sql, params),
    script: (sql) => this.executeScript(sql),
  };

  /** SQLite itself rolls back on some errors (disk full); then there is nothing left to undo. */
  private rollBack(): Promise<void> {
    return this.executeScript("ROLLBACK").catch(() => undefined);
  }

  private async execute(sql: string, params: readonly SqlValue[]): Promise<number> {
    const statement = await this.prepare(sql);
    return new Promise((resolve, reject) => {
      const file = this.file;
      statement.run([...params], function (this: sqlite3.RunResult, error: Error | null) {
        error ? reject(failed(file, error)) : resolve(this.changes);
      });
    });
  }

  /** `all` also for a single row: `sqlite3`'s `get` leaves the statement open, and with it a read transaction. */
  private async select<R>(sql: string, params: readonly SqlValue[]): Promise<R[]> {
    const statement = await this.prepare(sql);
    return new Promise((resolve, reject) => {
      statement.all<R>([...params], (error: Error | null, rows: R[]) =>
        error ? reject(failed(this.file, error)) : resolve(rows),
      );
    });
  }

  private executeScript(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.connection.exec(sql, (error) => (error ? reject(failed(this.file, error)) : resolve()));
    });
  }

  /** Each text is prepared once. The texts are the program's own, a few dozen; values are bound. */
  private prepare(sql: string): Promise<sqlite3.Statement> {
    const known = this.statements.get(sql);
    if (known) return known;
    const prepared = new Promise<sqlite3.Statement>((resolve, reject) => {
      const statement = this.connection.prepare(sql, (error) =>
        error ? reject(failed(this.file, error)) : resolve(statement),
      );
    });
    this.statements.set(sql, prepared);
    prepared.catch(() => this.statements.delete(sql));
    return prepared;
  }
}

/** Each call of SQLite waits for a thread, so what needs no parameters goes to it together. */
export const inOneText = (statements: readonly string[]): string => statements.join(";\n");

/** SQLite's name for what went wrong ("SQLITE_BUSY"), if the error is a failure of the database. */
export function sqliteCode(error: unknown): string | undefined {
  const cause = error instanceof TendrilError ? error.particulars.cause : undefined;
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}

const failed = (file: string, cause: Error): TendrilError => storeFailed(`the database ${file}`, cause);

import { appendFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder, syncFolder } from "../../drivers/durable-file.js";
import { TendrilError } from "../errors.js";
import type { Database } from "./database.js";
import { DiskWatch, markOf, storeFailed, writeDurably, writeRelaxed } from "./durable-file.js";
import type { FreeSpace } from "./free-space.js";
import { HistoryReader } from "./history-reader.js";
import type { OpenJournalFile } from "./journal.js";
import { linesIn, type SoundLine } from "./journal-lines.js";
import { MeasurementStore, ReadingStore } from "./measurements.js";
import { NotesArchive } from "./notes-archive.js";
import { DATABASE_FILE, openDatabase } from "./open-database.js";
import { PassageIndex } from "./passage-index.js";
import { PhotoStore } from "./photos.js";
import { type Reach, RecordIndex, reachesOf } from "./record-index.js";
import type { IsMeant, ReadLine } from "./record-indexer.js";
import { type OpenReport, RecordLog } from "./record-log.js";
import type { LogDefinition, LogEntry } from "./records.js";
import type { CommitDelay } from "./row-buffer.js";
import { exists, StateFolder, sizeOf } from "./state-folder.js";
import { lockState, type StateLock } from "./state-lock.js";
import { TextIndex, WORD_TABLES } from "./text-index.js";

interface StoreOptions {
  /** The state folder; made if it is not there. */
  readonly folder: string;
  /** Does not wait for the disk: for simulations that can be run again. */
  readonly relaxed?: boolean;
  /** Told of what fails while nobody waits for it; by default a warning of the process. */
  readonly onFailure?: (error: Error) => void;
  /** Opens the journals' files; by default on the disk. */
  readonly openJournal?: OpenJournalFile | undefined;
  /** What is to be said of the free space. */
  readonly room?: Pick<FreeSpace, "problem">;
}

type AnyLog = Pick<RecordLog<LogEntry, object>, "close" | "erase" | "isErasable" | "lines">;

/** Everything durable of one runtime, in one folder that no other process may use at the same time. */
export class Store {
  readonly readings: ReadingStore;
  readonly measurements: MeasurementStore;
  readonly photos: PhotoStore;
  readonly notes: NotesArchive;
  readonly texts: TextIndex;
  /** What was found wrong and dealt with, in words for a person. */
  readonly warnings: string[] = [];
  private afterErasing = () => PassageIndex.remove(this.folder);
  /** By name. */
  private readonly logs = new Map<string, AnyLog>();
  /** As they were before the first log was opened. */
  private reaches: Promise<ReadonlyMap<string, Reach>> | undefined;
  private readonly disk: DiskWatch;
  private readonly reader: HistoryReader;

  constructor(
    private readonly state: StateFolder,
    private readonly database: Database,
    private readonly lock: StateLock,
    private readonly relaxed: boolean,
    private readonly onFailure: (error: Error) => void,
    private readonly openJournal: OpenJournalFile | undefined,
    private readonly room: Pick<FreeSpace, "problem"> | undefined,
  ) {
    this.disk = new DiskWatch(state.path);
    this.reader = new HistoryReader(join(state.path, DATABASE_FILE));
    const onFailedCommit = (error: Error) => this.failed(error);
    const parts = { database, reader: this.reader, onFailure: onFailedCommit, relaxed };
    this.readings = new ReadingStore(parts);
    this.measurements = new MeasurementStore(parts);
    this.photos = new PhotoStore(database);
    this.texts = new TextIndex(database);
    this.notes = new NotesArchive(state.notes, { relaxed, onFailure: (error) => this.failed(error) });
  }

  /** Writes a whole file into the state folder, as durably as this store is. Throws STORE_FAILED. */
  saveFile(file: string, content: string | Uint8Array): Promise<void> {
    return this.relaxed ? writeRelaxed(file, content) : writeDurably(file, content);
  }

  get folder(): string {
    return this.state.path;
  }

  /** Whether anything was recorded here before this start. */
  get wasUsed(): boolean {
    return this.state.wasUsed;
  }

  /** What keeps things from being recorded now, in words for a person; undefined if nothing is known. */
  get problem(): string | undefined {
    const { problem } = this.disk;
    if (problem === undefined) return this.room?.problem;
    return `the disk refused to write (${problem}): nothing is switched on until it can be written again`;
  }

  /** Throws STATE_IN_USE where another runtime may own the folder by now. */
  assertOwned(): Promise<void> {
    return this.lock.assertHeld();
  }

  /**
   * Whether what happens can be recorded: rejects with STATE_IN_USE, or with STORE_FAILED where the disk is full, read-only
   * or refuses what it has refused before. Writes only in that last case.
   */
  async assertHealthy(): Promise<void> {
    await this.assertOwned();
    await this.disk.assertWritable();
  }

  private failed(error: Error): void {
    this.disk.doubt(error);
    this.onFailure(error);
  }

  /** Opens a log; to be called once for each. Throws STORE_FAILED. */
  async log<Entry extends LogEntry, Rec extends object>(
    definition: LogDefinition<Entry, Rec>,
  ): Promise<RecordLog<Entry, Rec>> {
    const { state: folder, database, relaxed } = this;
    const onFailure = (error: Error) => this.failed(error);
    const onFailedWrite = (cause: unknown) => this.disk.doubt(cause);
    const onWritten = () => this.disk.wrote();
    this.reaches ??= reachesOf(database);
    const reaches = await this.reaches;
    const log = await RecordLog.open(definition, {
      ...{ folder, database, reaches, relaxed, onFailure, onFailedWrite, onWritten },
      ...(this.openJournal && { openFile: this.openJournal }),
    });
    this.logs.set(definition.name, log);
    this.warnings.push(...warningsOf(definition.name, log.openReport));
    return log;
  }

  /** The lines of these records of a log that is open. */
  lines(log: string, ids: ReadonlySet<number>): AsyncGenerator<ReadLine> {
    const found = this.logs.get(log);
    if (!found) throw new Error(`no log ${log} is open`);
    return found.lines(ids);
  }

  /** Whether there is anything in the journal of that name, open or not. */
  async hasLines(log: string): Promise<boolean> {
    return (await sizeOf(join(this.state.journals, `${log}.jsonl`))) > 0;
  }

  /**
   * For a journal that no log has any more. What was lost of it is among the warnings, as of any log. `take` gets its lines; once they
   * are on the disk elsewhere the file goes, and lines that cannot be read are set aside. Where a crash cuts this off, `take` gets the
   * lines again.
   */
  async takeOver(name: string, take: (lines: readonly SoundLine[]) => Promise<void>): Promise<void> {
    const file = join(this.state.journals, `${name}.jsonl`);
    if (!this.state.hasBegun(name) && !(await exists(file))) return;
    await (await this.log({ name, fold: (_, entry: LogEntry) => entry })).close();
    this.logs.delete(name);
    const { sound, damaged } = await linesIn(file);
    if (damaged.length > 0) {
      await appendFile(`${file}.torn`, damaged, { mode: 0o600, flush: true });
      this.warnings.push(`the journal ${name} had lines that cannot be read, now in ${name}.jsonl.torn`);
    }
    await take(sound);
    await new RecordIndex(this.database, name).clear();
    await this.texts.remove(name, [...(await this.texts.versions(name)).keys()]);
    // before the file goes: a file that is missing although the mark names it was lost
    await this.state.markEmpty(name);
    await rm(file);
    await rm(markOf(file), { force: true });
    await syncFolder(this.state.journals);
  }

  /** Files that no erasure goes through: ends of journals and databases that could not be read and were set aside. */
  async setAside(): Promise<readonly string[]> {
    const files = await readdir(this.state.path, { recursive: true });
    return files.filter((file) => /\.jsonl\.torn$|\.sqlite\.corrupt-\d+$/.test(file)).sort();
  }

  /**
   * Takes what lines say out of all journals that are erasable, and of the database: first what the first function names. A crash
   * meanwhile leaves some of it: it is to be called again.
   */
  async erase(...steps: readonly ((log: string, ...line: Parameters<IsMeant>) => boolean)[]): Promise<void> {
    for (const isMeant of steps)
      for (const [name, log] of this.logs) await log.erase((...line) => isMeant(name, ...line));
    const erasable = [...this.logs].filter(([, log]) => log.isErasable).map(([name]) => `'${name}'`);
    const records = { table: "records", where: `log IN (${erasable})` };
    await this.database.purge([records, ...WORD_TABLES.map((table) => ({ table }))]);
    await this.afterErasing();
  }

  /** Says what follows an erasure, in what is made of the journals; by default the index of the knowledge is removed. */
  onErased(follow: () => Promise<void>): void {
    this.afterErasing = follow;
  }

  /** From now on what is measured waits for its commit at most so long: a crash may lose that much. */
  delayCommits(delay: CommitDelay): void {
    for (const each of this.measured) each.delayCommits(delay);
  }

  /**
   * Every hour. Deletes single readings before this time, and keeps their roll-ups; undefined: keeps all. Frees memory too, but not in
   * a simulation: its hours pass so fast that it would open the same database thousands of times.
   */
  async tidyHistory(keepFrom: number | undefined): Promise<void> {
    if (!this.relaxed) await this.reader.rest();
    if (keepFrom !== undefined) for (const each of this.measured) await each.thin(keepFrom);
  }

  private get measured() {
    return [this.readings, this.measurements];
  }

  /** Commits what is buffered and gives the folder free, also where that fails. */
  async close(): Promise<void> {
    try {
      const measured = this.measured.map((each) => each.close());
      const closing = [...measured, this.notes.close(), ...[...this.logs.values()].map((log) => log.close())];
      for (const outcome of await Promise.allSettled(closing))
        if (outcome.status === "rejected") throw outcome.reason;
      // SQLite leaves the log where another program has the database open, and a log looks like a crash to the next start
      await this.database.emptyLog();
    } finally {
      await this.reader.close();
      await this.database.close();
      await this.lock.release();
    }
  }
}

/** Throws STATE_IN_USE, STATE_TOO_NEW, STATE_TOO_OLD, STORE_FAILED. */
export async function openStore({
  folder,
  relaxed = false,
  onFailure = warn,
  openJournal,
  room,
}: StoreOptions): Promise<Store> {
  const refused = (cause: unknown) => {
    throw cause instanceof TendrilError ? cause : storeFailed(`the state folder ${folder}`, cause);
  };
  await makeFolder(folder, 0o700).catch(refused);
  const lock = await lockState(folder);
  try {
    const state = await StateFolder.open(folder).catch(refused);
    const { database, setAside } = await openDatabase(folder, relaxed);
    const store = new Store(state, database, lock, relaxed, onFailure, openJournal, room);
    if (setAside !== undefined) store.warnings.push(corruptWarning(setAside));
    return store;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const warn = (error: Error) => process.emitWarning(error);

const corruptWarning = (file: string): string =>
  `the database was corrupt and is now ${file}; logs are rebuilt from their journals, the readings of all sensors and the list of photos are lost`;

function warningsOf(name: string, { tornBytes, rebuilt, lost }: OpenReport): string[] {
  return [
    ...(tornBytes > 0
      ? [`the journal ${name} ended in a torn line of ${tornBytes} bytes, now in ${name}.jsonl.torn`]
      : []),
    ...(rebuilt ? [`the index of ${name} did not fit its journal and was rebuilt`] : []),
    ...(lost === undefined ? [] : [lost]),
  ];
}

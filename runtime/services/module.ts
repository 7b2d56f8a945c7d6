import type { CallToolResult } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Board, BoardConfig } from "../../drivers/open-board.js";
import type { Cancel, Clock } from "../../drivers/ports.js";
import type { CoreConfig } from "../config/schema.js";
import type { ErrorKind } from "../errors.js";
import type { Log } from "../log.js";
import type { Plants } from "../plants.js";
import type { Metadata } from "../store/passage-index.js";
import type { RecordLog } from "../store/record-log.js";
import type { LogDefinition, LogEntry, Stored } from "../store/records.js";
import type { Store } from "../store/store.js";
import type { CallRequest, ResourceSource, Route, UploadRoute } from "../tools/host.js";
import type { Stops } from "../tools/late-calls.js";
import type { CallTurn } from "../tools/taint.js";
import type { Call, Caller, Tool } from "../tools/tool.js";
import type { Agenda as AgendaResult, PlantAgenda } from "../wire/agenda.js";
import type { BegunTurn, TurnKind, TurnOutcome } from "../wire/chats.js";
import type { Identity } from "../wire/identity.js";
import type { OverviewResult, PlantResult } from "../wire/overview.js";
import type { PrivateKind } from "../wire/web-search.js";
import type { RecordKeeper } from "./shared-records.js";

/** Who may call. */
export interface Tokens {
  /** Whether there is a token of this name now. */
  has(name: string): boolean;
  /** Resolves once it is known whether the files of tokens can be read anew; within seconds if the disk hangs. */
  confirm(): Promise<void> | undefined;
  /** Throws TOKENS_UNREAD while they cannot: a token may be revoked by now. */
  assertSure(): void;
  /** Calls the listener with the name of each token that was taken away. */
  watchGone(listener: (name: string) => void): Cancel;
}

/** Where everybody may call, as in a simulation. */
export const ANY_TOKEN: Tokens = {
  has: () => true,
  confirm: () => undefined,
  assertSure: () => undefined,
  watchGone: () => () => undefined,
};

/** What services are opened with. */
export interface House {
  /** The plants' clock. On the bench it can run fast. */
  readonly clock: Clock;
  /** Real time: for links that expire, and for waiting for people. */
  readonly realClock: Clock;
  readonly core: CoreConfig;
  readonly plants: Plants;
  readonly board: Board;
  readonly store: Store;
  readonly stops: Stops;
  readonly log: Log;
  /** Those that are on, in the order of modules.ts. */
  readonly modules: readonly ServiceModule[];
  /** Base of photo links, without a slash at its end. */
  publicUrl(): string;
  readonly tokens: Tokens;
  /** The plants' time now, as results show it. */
  timestamp(): string;
  /** Logs an error if nobody waits for the result. */
  complain(error: unknown): void;
  /** These keys of the configuration file, checked and with their defaults. */
  config<K extends ConfigKeys>(keys: K): ConfigOf<K>;
  journal<E extends LogEntry, R extends object>(definition: LogDefinition<E, R>): RecordLog<E, R>;
  /** A part; opens it first if it is not open yet. Throws if its module is off. */
  use<T>(part: Part<T>): Promise<T>;
  /** A part that is open already, for hooks and handlers. They run when all parts are open. */
  get<T>(part: Part<T>): T;
  /** The answer of `get_overview` to this caller, from memory: no sensor is read. */
  overview(caller: Caller): OverviewResult;
  /** Names of this house: nothing that leaves the house may contain them. */
  privateWords(): AsyncIterable<PrivateWords>;
  /** What needs care, as the caller may see it: due tasks, unread messages, holds and faults. Marks nothing as read. */
  agenda(caller: Identity): Promise<AgendaResult>;
  /** Calls the listener when the agenda has something new. */
  watchAgenda(listener: () => void): Cancel;
  /** Calls a tool as a client would, with every check: for what a person asks for on a channel. */
  callTool(request: CallRequest): Promise<CallToolResult>;
  /** Switches every pump and light off; never refused. `by` says who asked, for the log. */
  stopEverything(by: string): Promise<void>;
  /**
   * The name in which this account on a channel acts: "anna@telegram". Throws NO_CHANNEL, UNKNOWN_ACCOUNT, and FORBIDDEN if
   * there is no channel at all.
   */
  senderOn(channel: string, account: string): string;
  /** The modules that are switched off although their journals may have records of persons. */
  personalButOff(): Promise<readonly string[]>;
  /** Registers a cleanup for the end. The last registered runs first. */
  onClose(close: () => unknown): void;
}

/**
 * Something that a runtime has one of: a service, or a ledger beneath it. A part that needs another calls
 * `await house.use(water)`, so parts open in the order of their needs. Imports have no cycles, so parts have none.
 */
export interface Part<T> {
  readonly name: string;
  open(house: House): T | Promise<T>;
}

export const definePart = <T>(name: string, open: (house: House) => T | Promise<T>): Part<T> => ({
  name,
  open,
});

type Together<P extends Readonly<Record<string, Part<unknown>>>> = {
  readonly [Key in keyof P]: P[Key] extends Part<infer T> ? T : never;
};

/** Several parts, for tools that work with more than one. */
export const partsTogether = <P extends Readonly<Record<string, Part<unknown>>>>(name: string, parts: P) =>
  definePart(name, async (house): Promise<Together<P>> => {
    const opened: Record<string, unknown> = {};
    for (const [key, part] of Object.entries(parts)) opened[key] = await house.use(part);
    return opened as Together<P>;
  });

export type PartsIn<P> = P extends Part<infer T> ? T : never;

export type ConfigKeys = Readonly<Record<string, z.ZodType>>;
export type ConfigOf<K extends ConfigKeys> = { readonly [Key in keyof K]: z.output<K[Key]> };

/** A journal of a module, and what follows if it was lost or damaged. */
interface Journal {
  readonly definition: LogDefinition<never, object>;
  /**
   * Runs before any service acts. `reason` says what was found. The loss counts until this has resolved, so a crash
   * repeats it. Without this, a loss is only a warning to the person.
   */
  readonly afterLoss?: (house: House, reason: string) => Promise<void>;
  /**
   * For a journal of what forbids, limits or counts. A restore on the same device leaves it as it is today, if it
   * continues that of the backup; otherwise its last part counts as lost. Not for a journal that names lines of one
   * that is restored. Without this the journal is restored.
   */
  readonly atRestore?: "stays";
  /**
   * For a journal that is restored on the same device: the lines to add for what was revoked, removed or erased
   * since.
   */
  revokedSince?(restored: Restored<object>): readonly LogEntry[];
}

/** A journal of a backup, and what it has become since. */
export interface Restored<R> {
  readonly before: readonly Stored<R>[];
  /** By their numbers; without those that are lost. */
  readonly today: ReadonlyMap<number, R>;
  /** For the lines to add. */
  readonly timestamp: string;
}

export interface PersonalRecord {
  /** The journal's name. */
  readonly log: string;
  readonly id: number;
  /** The person's id. */
  readonly owner: string;
  /** Ids and texts that show which stored results of calls contain the record: these are erased with it. */
  readonly names: readonly string[];
}

/**
 * What a module stores about persons, so that `tendril person` exports and erases it. Their journals are `erasable`;
 * all lines of the records are exported, and erased.
 */
interface PersonalRecords {
  /** Every record of a person, also what is deleted, in order of the journals. Records of the household may be among them. */
  find?(house: House): AsyncIterable<PersonalRecord>;
  /**
   * Of these records of all modules, removes its own from memory and from what is made of them (a search index,
   * files), before their lines are erased. After a crash it runs again for those that are still found. `person` is
   * their owner: a module may also have data of the person that is in no journal.
   */
  drop?(house: House, records: readonly PersonalRecord[], person: string): Promise<void> | void;
}

/** What a module adds to `tendril://agenda`: fields of the whole, and fields of each plant. */
interface AgendaEntries {
  /** Calls the listener when `view` or `plant` has something new that needs care. */
  watch?(house: House, listener: () => void): Cancel;
  view?(house: House, caller: Identity): Partial<AgendaResult> | Promise<Partial<AgendaResult>>;
  plant?(house: House, plant: string): Partial<PlantAgenda>;
}

/**
 * What a module adds to `get_overview`: fields of the whole, and fields of each plant. From memory, without sensors.
 */
interface OverviewEntries {
  view?(house: House, caller: Caller): Partial<OverviewResult>;
  plant?(house: House, plant: string): Partial<PlantResult>;
}

/** A name of this house: of a person, a plant, a room, a device. */
export interface PrivateWords {
  readonly kind: PrivateKind;
  readonly words: string;
}

/** What has been counted since the runtime started. A scraper adds up what comes after a restart. */
export interface Counter {
  /** In base units, with `_total` at its end (prometheus.io/docs/practices/naming). */
  readonly name: string;
  readonly help: string;
  /** With few different labels: each is a series of its own. */
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

/** A text that people and agents can search for. */
export interface KnowledgeText {
  readonly title: string;
  readonly text: string;
  /** A person's id, or "household". */
  readonly owner: string;
  /** Only its owner may see it. */
  readonly isPrivate?: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly metadata?: Metadata;
  /** Where words of strangers in it came from, beside those that its own record names. */
  readonly tainted?: readonly string[];
}

/** What of a journal can be searched for. */
export interface KnowledgeSource<R = never, Log = LogDefinition<never, object>> {
  /** The `source_type` of what is found, such as "thought". */
  readonly type: string;
  readonly log: Log;
  /** Records never change: only new ones are read. */
  readonly isFinal: boolean;
  /** Undefined for a record that nobody shall find, such as a deleted one. */
  text(record: R, house: House): Promise<KnowledgeText | undefined> | KnowledgeText | undefined;
  /** Whether the texts of other records depend on this one. */
  changesOthers?(record: R): boolean;
  /** Records whose text has changed since the last question, though the journal has no new line of them. */
  changedElsewhere?(house: House): Promise<readonly Stored<object>[]>;
}

export interface FedText extends Omit<KnowledgeText, "at"> {
  readonly type: string;
  /** Unique within its type. */
  readonly id: string;
  /** Without it, the time when the text was found to be like this. */
  readonly at?: number;
  /** Where words of strangers in it came from; empty if it has none. */
  readonly tainted: readonly string[];
}

/** What can be searched for and is in no journal, such as entities of Home Assistant. */
export interface KnowledgeFeed {
  /** The `source_type`s of what is found. */
  readonly types: readonly string[];
  /** Whether a question waits until it was read. */
  readonly isQuick: boolean;
  /**
   * Everything that there is now. A text that has not changed may be named only by its type and id; a text that is
   * not named is removed from the index. Rejects if not everything can be read: then the index stays as it is.
   * `known`: the metadata that the index has of a type, by id.
   */
  read(
    house: House,
    known: (type: string) => Promise<ReadonlyMap<string, Metadata>>,
    signal: AbortSignal,
  ): AsyncIterable<FedText | Pick<FedText, "type" | "id">>;
}

/** Gives `text` the type of the journal's records. */
export const knowledgeOf = <E extends LogEntry, R extends object>(
  source: KnowledgeSource<R, LogDefinition<E, R>>,
): KnowledgeSource => source as unknown as KnowledgeSource;

/** What a turn is about, as `begin_turn` names it. */
export interface TurnWish {
  readonly chat_id?: string | undefined;
  readonly task_id?: string | undefined;
  readonly user_id?: string | undefined;
}

export interface TurnPlan {
  /** There is one open turn of it at most. */
  readonly about: string;
  /** Whose turn it is: a person, or the household. */
  readonly person: string;
  readonly chat?: string | null;
  /** The task as its agent is handed it. */
  readonly task?: BegunTurn["task"];
  /** Where words of strangers came from that the turn begins with. */
  readonly tainted?: readonly string[];
  /** Runs before the turn is handed out. If it rejects, there is no turn. */
  began?(turn: CallTurn): Promise<void>;
  /** Runs once the turn is over. */
  ended?(turn: CallTurn, end: TurnEnd): Promise<void>;
  /** A call of the turn has begun or ended. */
  changed?(): void;
}

export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly reason?: string;
}

/** Says which turn of its kind may begin now. Throws why it may not. */
export type TurnMaker = (wish: TurnWish, call: Call) => TurnPlan;

/** What an agent has written into a chat. */
export interface ChatAnswer {
  readonly chat_id: string;
  /** Whose chat it is. */
  readonly person: string;
  readonly message_id: string;
  readonly text: string;
}

/** The people of the configuration, with the channels on which they are to be reached. */
interface PeopleNamed {
  readonly people: readonly { readonly id: string; readonly channels?: readonly string[] | undefined }[];
}

/** What a sensor belongs to, for the log. */
export type Sensor = { readonly plant: string } | { readonly place: string };

/** Reads a sensor, and logs when it begins to fail and when it works again. Never rejects. */
export type Attempt = (sensor: Sensor, read: () => Promise<unknown>) => Promise<void>;

/**
 * A family of services, and all that the rest of the runtime must know of it. A module is a folder here and a line in
 * modules.ts. Composition, configuration, `tools/list`, the docs and the doctor use that list.
 */
export interface ServiceModule<K extends ConfigKeys = ConfigKeys> {
  readonly name: string;
  /** Whether the configuration may switch it off (`modules: { NAME: false }`). Off, it costs no memory and no time. */
  readonly canBeOff: boolean;
  /** Whether the configuration gives it anything to do; if not, it is off. Without this, it is always needed. */
  isNeeded?(config: ConfigOf<K>): boolean;
  /** Whether it gets what it has from outside, through the bridge (docs/bridge.md). */
  needsBridge?(config: ConfigOf<K>): boolean;
  /** Adds what is wrong between its keys and the people. It is asked if the module is on. */
  check?(config: ConfigOf<K> & PeopleNamed, ctx: z.core.$RefinementCtx): void;
  /** What its configuration keys wire to the board. */
  wiring?(config: ConfigOf<K>): Partial<BoardConfig>;
  /** The group of tools that an agent asks for together. */
  readonly toolset: string;
  /** Its keys at the top of the configuration file, each with a default. */
  readonly config?: K;
  readonly journals?: readonly Journal[];
  readonly errors?: Readonly<Record<string, ErrorKind>>;
  /** In the order of opening, unless one needs another first. */
  readonly parts: readonly Part<unknown>[];
  readonly tools: readonly Tool[];
  readonly agenda?: AgendaEntries;
  /** Calls the listener with each message that an agent writes into a chat of the module. */
  watchChats?(house: House, listener: (answer: ChatAnswer) => void): void;
  /** The kind of turns that the module knows when to begin. */
  readonly turns?: { readonly kind: TurnKind; maker(house: House): TurnMaker };
  readonly overview?: OverviewEntries;
  /** What it has counted, for Prometheus. */
  counters?(house: House): readonly Counter[];
  /** What of its journals can be found by `retrieve_knowledge`. */
  readonly knowledge?: readonly KnowledgeSource[];
  /** What else it has that can be found there. */
  readonly feeds?: readonly KnowledgeFeed[];
  /** Names of this house that it knows: a web search must not contain them. */
  privateWords?(house: House): Iterable<PrivateWords> | AsyncIterable<PrivateWords>;
  /** What it shows in the calendar of these owners. */
  calendar?(house: House, sees: (owner: string) => boolean): AsyncIterable<CalendarEntry>;
  /** Sections of memories whose memories are records of this module too. */
  readonly keeps?: { readonly sections: readonly string[]; keeper(house: House): RecordKeeper };
  readonly person?: PersonalRecords;
  /** Its HTTP routes. Called once, when every part is open. */
  routes?(house: House): readonly Route[];
  /** Where it takes files of people. Called once, when every part is open. */
  uploads?(house: House): readonly UploadRoute[];
  /** The name in which an account on a channel acts. Throws for an account of nobody. */
  senderOn?(house: House, channel: string, account: string): string;
  /** Its MCP resources. Called once, when every part is open. */
  resources?(house: House): ResourceSource;
  /** Runs after the consequences of all losses, before any other part opens. */
  settle?(house: House): Promise<void>;
  /** Runs when every part is open, and begins to watch. `house.onClose` ends what it begins. */
  start?(house: House): void | Promise<void>;
  /** Switches off and takes back all that it could have switched on. Synchronous up to the first pin. */
  allOff?(house: House, by: string): readonly Promise<unknown>[];
  /** Runs in each round of the sensors (`sampling.cron`). `attempt` reads a sensor and logs a failure. */
  sample?(house: House, attempt: Attempt): Promise<unknown>;
  /** Runs at every full hour of the clock. */
  everyHour?(house: House): Promise<void>;
}

export const defineModule = <K extends ConfigKeys>(module: ServiceModule<K>): ServiceModule<K> => module;

/** Functions to call when something changes, in the order in which they were added. */
export class Listeners {
  private readonly all = new Set<() => void>();

  watch(listener: () => void): Cancel {
    // a new function for each watch, because the same listener may watch twice
    const own = () => listener();
    this.all.add(own);
    return () => void this.all.delete(own);
  }

  tell(): void {
    for (const listener of this.all) listener();
  }
}

/** A choice: shorter words are in too many results that have nothing to do with the record. */
export const isTelling = (text: string): boolean => text.length >= 8;

/** Waits for all steps, then throws the first error. So a failed step does not stop the others. */
export async function settleAll(steps: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(steps))
    if (outcome.status === "rejected") throw outcome.reason;
}

/** Who owns the records of a journal, and how results show them. Erased ones belong to nobody: their owner is "". */
export const personalIn = <E extends LogEntry, R extends object>(
  log: LogDefinition<E, R>,
  whose: (
    record: R,
    house: House,
  ) => { readonly owners: readonly string[]; readonly names?: readonly string[] },
) =>
  async function* (house: House): AsyncGenerator<PersonalRecord> {
    for await (const { id, record } of house.journal(log).stored()) {
      const { owners, names = [] } = whose(record, house);
      for (const owner of new Set(owners)) if (owner !== "") yield { log: log.name, id, owner, names };
    }
  };

/** The numbers of those records that are in this journal. */
export const idsIn = (
  log: { readonly name: string },
  records: readonly PersonalRecord[],
): readonly number[] => records.filter((record) => record.log === log.name).map(({ id }) => id);

export const cancelAll =
  (cancels: readonly Cancel[]): Cancel =>
  () => {
    for (const cancel of cancels) cancel();
  };

/** What a module shows in a person's calendar. Times are UTC, ISO 8601. */
export interface CalendarEntry {
  /** Unique, and the same for as long as the entry exists. */
  readonly uid: string;
  readonly title: string;
  readonly description: string | null;
  readonly location: string | null;
  readonly start: string;
  /** Null: it is a point in time. */
  readonly end: string | null;
  /** The zone in which its days begin. */
  readonly zone: string;
  /** It begins and ends with a day: then it is shown for whole days. */
  readonly maybeAllDay: boolean;
  /** A rule of RFC 5545, whose hours are those of `zone`. */
  readonly recurrence: string | null;
  readonly done: boolean;
  readonly created: string;
  readonly changed: string;
}

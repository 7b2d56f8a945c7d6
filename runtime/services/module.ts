import type { z } from "zod";
import type { Board, BoardConfig } from "../../drivers/open-board.js";
import type { Cancel, Clock } from "../../drivers/ports.js";
import type { CoreConfig } from "../config/schema.js";
import type { ErrorKind } from "../errors.js";
import type { Log } from "../log.js";
import type { Plants } from "../plants.js";
import type { RecordLog } from "../store/record-log.js";
import type { LogDefinition, LogEntry } from "../store/records.js";
import type { Store } from "../store/store.js";
import type { ResourceSource, Route } from "../tools/host.js";
import type { Stops } from "../tools/stops.js";
import type { Tool } from "../tools/tool.js";
import type { Agenda as AgendaResult, PlantAgenda } from "../wire/agenda.js";
import type { OverviewResult, PlantResult } from "../wire/overview.js";

/** What every service is opened with. */
export interface House {
  /** The plants' clock. On the bench it can run fast. */
  readonly clock: Clock;
  /** Real time: for links that expire and for what a person is waited for. */
  readonly realClock: Clock;
  readonly core: CoreConfig;
  readonly plants: Plants;
  readonly board: Board;
  readonly store: Store;
  /** Counts what is stopped. */
  readonly stops: Stops;
  readonly log: Log;
  /** Base of photo links, without a slash at its end. */
  publicUrl(): string;
  /** Whether there is a token of this name now. */
  isToken(name: string): boolean;
  /** The plants' time now, as results show it. */
  timestamp(): string;
  /** Logs what went wrong where nobody waits for an answer. */
  complain(error: unknown): void;
  /** These keys of the configuration file, checked and with their defaults. */
  config<K extends ConfigKeys>(keys: K): ConfigOf<K>;
  /** The log behind one of the journals that a module declares. */
  journal<E extends LogEntry, R extends object>(definition: LogDefinition<E, R>): RecordLog<E, R>;
  /** A part, opened first where it is not open yet. Throws where its module is switched off. */
  use<T>(part: Part<T>): Promise<T>;
  /** A part that is open already: for hooks and handlers, which run when all are. */
  get<T>(part: Part<T>): T;
  /** What `get_overview` shows: from memory, no sensor is read. */
  overview(): OverviewResult;
  /** What calls for care: due tasks, unread messages, holds and faults. Reading it marks nothing as read. */
  agenda(): Promise<AgendaResult>;
  /** Calls the listener when the agenda has something new. */
  watchAgenda(listener: () => void): Cancel;
  /** Every pump and light off; never refused. `by` says who asked, for the log. */
  stopEverything(by: string): Promise<void>;
  /** Called once at the end, the last registered first. */
  onClose(close: () => unknown): void;
}

/**
 * Something that a runtime has one of: a service, or a ledger beneath it. Whoever needs it says `await house.use(water)`,
 * so parts are opened in the order in which they need each other. Imports have no cycles, so parts have none.
 */
export interface Part<T> {
  readonly name: string;
  open(house: House): T | Promise<T>;
}

export const definePart = <T>(name: string, open: (house: House) => T | Promise<T>): Part<T> => ({
  name,
  open,
});

export type ConfigKeys = Readonly<Record<string, z.ZodType>>;
export type ConfigOf<K extends ConfigKeys> = { readonly [Key in keyof K]: z.output<K[Key]> };

/** A journal of a module, and what follows when it was lost or damaged. */
export interface Journal {
  readonly definition: LogDefinition<never, object>;
  /**
   * Runs before any service acts. `reason` says what was found. The loss counts until this has resolved, so a crash repeats
   * it. Without it a loss is a warning to the person, and no more.
   */
  readonly afterLoss?: (house: House, reason: string) => Promise<void>;
}

/** What a module adds to `tendril://agenda`: fields of the whole, and fields of each plant. */
export interface AgendaEntries {
  /** Calls the listener when what `view` or `plant` returns calls for care in a new way. */
  watch?(house: House, listener: () => void): Cancel;
  view?(house: House): Partial<AgendaResult> | Promise<Partial<AgendaResult>>;
  plant?(house: House, plant: string): Partial<PlantAgenda>;
}

/** What a module adds to `get_overview`: fields of the whole, and fields of each plant. From memory: no sensor is read. */
export interface OverviewEntries {
  view?(house: House): Partial<OverviewResult>;
  plant?(house: House, plant: string): Partial<PlantResult>;
}

/** What a sensor belongs to, as the log names it. */
export type Sensor = { readonly plant: string } | { readonly place: string };

/** Reads a sensor, and logs when it begins to fail and when it is back. Never rejects. */
export type Attempt = (sensor: Sensor, read: () => Promise<unknown>) => Promise<void>;

/**
 * A family of services: all that the rest of the runtime has to know of it. A module is a folder here and one line in
 * modules.ts. Composition, configuration, `tools/list`, the docs and the doctor come from that list.
 */
export interface ServiceModule<K extends ConfigKeys = ConfigKeys> {
  readonly name: string;
  /** Whether the configuration may switch it off (`modules: { NAME: false }`). Off, it costs no memory and no start. */
  readonly canBeOff: boolean;
  /** Whether this configuration has anything for it to do; without it, it always has. What is not needed is as if it were off. */
  isNeeded?(config: ConfigOf<K>): boolean;
  /** What its keys of the configuration wire to the board. */
  wiring?(config: ConfigOf<K>): Partial<BoardConfig>;
  /** Which tools an agent asks for together. */
  readonly toolset: string;
  /** Its keys at the top of the configuration file, each with a default. */
  readonly config?: K;
  readonly journals?: readonly Journal[];
  readonly errors?: Readonly<Record<string, ErrorKind>>;
  /** In the order in which they are opened, unless one needs another first. */
  readonly parts: readonly Part<unknown>[];
  readonly tools: readonly Tool[];
  readonly agenda?: AgendaEntries;
  readonly overview?: OverviewEntries;
  /** What it serves over HTTP beside its tools. Called once, when every part is open. */
  routes?(house: House): readonly Route[];
  /** Its MCP resources. Called once, when every part is open. */
  resources?(house: House): ResourceSource;
  /** Once all losses have had their consequences, before any other part opens. */
  settle?(house: House): Promise<void>;
  /** Once every part is open: begins to watch. What it begins, it ends by `house.onClose`. */
  start?(house: House): void | Promise<void>;
  /** Switches off and takes back whatever it could have switched on. Synchronous up to the first pin. */
  allOff?(house: House, by: string): readonly Promise<unknown>[];
  /** With each round of the sensors (`sampling.cron`). Each sensor is read by `attempt`: one that fails is logged, not thrown. */
  sample?(house: House, attempt: Attempt): Promise<unknown>;
  /** Every full hour of the clock. */
  everyHour?(house: House): Promise<void>;
}

export const defineModule = <K extends ConfigKeys>(module: ServiceModule<K>): ServiceModule<K> => module;

/** Those who want to hear of something, told in the order in which they came. */
export class Listeners {
  private readonly all = new Set<() => void>();

  watch(listener: () => void): Cancel {
    // one of its own for each watch: the same function may watch twice
    const own = () => listener();
    this.all.add(own);
    return () => void this.all.delete(own);
  }

  tell(): void {
    for (const listener of this.all) listener();
  }
}

/** Waits for all of them, then fails if one did: one step that fails keeps no other from being taken. */
export async function settleAll(steps: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(steps))
    if (outcome.status === "rejected") throw outcome.reason;
}

export const cancelAll =
  (cancels: readonly Cancel[]): Cancel =>
  () => {
    for (const cancel of cancels) cancel();
  };

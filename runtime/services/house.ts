import { DriverError } from "../../drivers/errors.js";
import type { Cancel } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { errorBody, notAllowed, TendrilError } from "../errors.js";
import type { Log } from "../log.js";
import { devicesOf } from "../plants.js";
import type { RecordLog } from "../store/record-log.js";
import type { LogDefinition, LogEntry } from "../store/records.js";
import type { CallRequest, ResourceSource } from "../tools/host.js";
import { isoUtc } from "../tools/iso-time.js";
import type { Caller, Tool } from "../tools/tool.js";
import type { Agenda } from "../wire/agenda.js";
import type { Identity } from "../wire/identity.js";
import { AGENDA_URI } from "../wire/names.js";
import type { OverviewResult } from "../wire/overview.js";
import {
  type Attempt,
  type ConfigKeys,
  type ConfigOf,
  cancelAll,
  type House,
  type Part,
  type PrivateWords,
  type Sensor,
  type ServiceModule,
  settleAll,
} from "./module.js";

/** What the house gets; it makes the rest from its modules. */
type HouseParts = Pick<
  House,
  "core" | "plants" | "board" | "store" | "stops" | "log" | "realClock" | "publicUrl" | "tokens"
>;

/** A class whose fields are the given ones. */
const Given = class {
  constructor(given: HouseParts) {
    Object.assign(this, given);
  }
} as new (
  given: HouseParts,
) => HouseParts;

type AnyLog = RecordLog<LogEntry, object>;

/** All modules that are on, opened, and what they do together. */
export interface OpenHouse extends House {
  serviceOf(tool: Tool): unknown;
  /** The agenda, and the modules' resources. */
  resources(): Required<ResourceSource>;
  /** From now on `callTool` is carried out by this. */
  serveCalls(serve: House["callTool"]): void;
  /** Reads every sensor once. */
  sample(): Promise<void>;
  /** Runs at every full hour of the clock. */
  everyHour(): Promise<void>;
  /** Ends what the modules began. It does not switch relays. */
  close(): Promise<void>;
}

/**
 * Opens every module, with pumps and lights off. The order is safe after a crash: all journals, the consequences of
 * each loss, what carries over from former plants, the services, then what watches the board. `config` is the whole
 * configuration; each module takes its own keys. `off`: the modules that are switched off.
 */
export async function openHouse(
  given: HouseParts,
  config: Readonly<Record<string, unknown>>,
  modules: readonly ServiceModule[],
  off: readonly ServiceModule[] = [],
): Promise<OpenHouse> {
  await given.board.allOff();
  const house = new ModuleHouse(given, config, modules, off);
  try {
    await house.open();
  } catch (error) {
    await house.close();
    throw error;
  }
  return house;
}

class ModuleHouse extends Given implements OpenHouse {
  private readonly logs = new Map<unknown, AnyLog>();
  private readonly opening = new Map<Part<unknown>, Promise<unknown>>();
  private readonly ready = new Map<unknown, unknown>();
  private readonly known: ReadonlySet<unknown>;
  private readonly closers: (() => unknown)[] = [];
  private readonly samplingLog = new SamplingLog(this.log);
  private serve: House["callTool"] = async () => {
    throw new TendrilError("STOPPING", "the runtime is not open yet");
  };

  constructor(
    given: HouseParts,
    private readonly configuration: Readonly<Record<string, unknown>>,
    readonly modules: readonly ServiceModule[],
    private readonly off: readonly ServiceModule[],
  ) {
    super(given);
    this.known = new Set(modules.flatMap((module) => module.parts));
  }

  async open(): Promise<void> {
    const journals = this.modules.flatMap((module) => module.journals ?? []);
    // all before the first line of any: in a folder that is still new, a missing journal was never lost
    for (const { definition } of journals) {
      const log = await this.store.log(definition as unknown as LogDefinition<LogEntry, object>);
      this.logs.set(definition, log);
    }
    for (const { definition, afterLoss: consequence } of journals)
      if (consequence) await afterLoss(this.logOf(definition), (reason) => consequence(this, reason));
    for (const log of this.logs.values()) await log.acknowledgeLoss();
    for (const module of this.modules) await module.settle?.(this);
    for (const module of this.modules) for (const part of module.parts) await this.use(part);
    for (const module of this.modules) await module.start?.(this);
  }

  get clock(): House["clock"] {
    return this.board.clock;
  }

  timestamp = (): string => isoUtc(this.clock.now());

  complain = (error: unknown): void => {
    const cause = error instanceof Error && error.cause !== undefined ? { cause: String(error.cause) } : {};
    this.log("error", messageOf(error), cause);
  };

  config<K extends ConfigKeys>(keys: K): ConfigOf<K> {
    const entries = Object.keys(keys).map((key) => [key, this.configuration[key]]);
    return Object.fromEntries(entries) as ConfigOf<K>;
  }

  journal<E extends LogEntry, R extends object>(definition: LogDefinition<E, R>): RecordLog<E, R> {
    return this.logOf(definition) as unknown as RecordLog<E, R>;
  }

  use<T>(part: Part<T>): Promise<T> {
    const opening = this.opening.get(part) ?? this.openPart(part);
    this.opening.set(part, opening);
    return opening as Promise<T>;
  }

  get<T>(part: Part<T>): T {
    if (this.ready.has(part)) return this.ready.get(part) as T;
    throw new Error(`${part.name} is not open: its module is switched off, or does not list it`);
  }

  onClose(close: () => unknown): void {
    this.closers.push(close);
  }

  serviceOf({ service }: Tool): unknown {
    return this.get(service as Part<unknown>);
  }

  resources(): Required<ResourceSource> {
    return allOf([agendaResource(this), ...this.modules.flatMap((module) => module.resources?.(this) ?? [])]);
  }

  overview(caller: Caller): OverviewResult {
    const { core, board, store } = this;
    // each module adds its fields; those of a module that is off are absent
    return {
      timestamp: this.timestamp(),
      zone: core.zone,
      board: board.kind,
      warnings: [...store.warnings, ...(store.problem === undefined ? [] : [store.problem])],
      interlock: board.interlock?.view() ?? null,
      ...merged(this.modules.map(({ overview }) => overview?.view?.(this, caller))),
      plants: this.plants.all.map(({ id, name = id, species = null }) => ({
        plant: id,
        name,
        species,
        ...merged(this.modules.map(({ overview }) => overview?.plant?.(this, id))),
        fitted: devicesOf(board, id),
      })),
    } as OverviewResult;
  }

  async *privateWords(): AsyncGenerator<PrivateWords> {
    for (const { id, name } of this.plants.all)
      for (const words of [id, name ?? ""]) yield { kind: "plant", words };
    for (const module of this.modules) yield* module.privateWords?.(this) ?? [];
  }

  async agenda(caller: Identity): Promise<Agenda> {
    const entries = await Promise.all(this.modules.map(({ agenda }) => agenda?.view?.(this, caller)));
    return {
      timestamp: this.timestamp(),
      ...merged(entries),
      plants: this.plants.all.map(({ id, name = id }) => ({
        plant: id,
        name,
        ...merged(this.modules.map(({ agenda }) => agenda?.plant?.(this, id))),
      })),
    } as Agenda;
  }

  watchAgenda(listener: () => void): Cancel {
    return cancelAll(this.modules.flatMap(({ agenda }) => agenda?.watch?.(this, listener) ?? []));
  }

  serveCalls(serve: House["callTool"]): void {
    this.serve = serve;
  }

  callTool(request: CallRequest): ReturnType<House["callTool"]> {
    return this.serve(request);
  }

  async stopEverything(by: string): Promise<void> {
    this.log("info", "everything off", { by });
    await settleAll(this.modules.flatMap((module) => module.allOff?.(this, by) ?? []));
  }

  async sample(): Promise<void> {
    const attempt: Attempt = (sensor, read) => this.samplingLog.attempt(sensor, read);
    await settleAll(this.modules.flatMap((module) => module.sample?.(this, attempt) ?? []));
  }

  async everyHour(): Promise<void> {
    await settleAll(this.modules.flatMap((module) => module.everyHour?.(this) ?? []));
  }

  senderOn(channel: string, account: string): string {
    const module = this.modules.find(({ senderOn }) => senderOn);
    if (module?.senderOn) return module.senderOn(this, channel, account);
    throw notAllowed("the configuration has no channel, so nobody has an account on one");
  }

  async personalButOff(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { name, person, journals = [] } of this.off) {
      const filled = await Promise.all(
        journals.map(({ definition }) => this.store.hasLines(definition.name)),
      );
      if (person && filled.includes(true)) found.push(name);
    }
    return found;
  }

  async close(): Promise<void> {
    const closers = this.closers.splice(0).reverse();
    await settleAll(closers.map(async (close) => close()));
  }

  private logOf(definition: unknown): AnyLog {
    const log = this.logs.get(definition);
    if (log) return log;
    const { name } = definition as { name: string };
    throw new Error(`no module that is switched on declares the journal ${name}`);
  }

  private async openPart(part: Part<unknown>): Promise<unknown> {
    if (!this.known.has(part))
      throw new Error(`${part.name} is needed, but no module that is switched on lists it`);
    const service = await part.open(this);
    this.ready.set(part, service);
    return service;
  }
}

const merged = (entries: readonly (object | undefined)[]): object => Object.assign({}, ...entries);

/** Carries out the consequence of a loss. Only when that is durable, the loss is forgotten. */
export async function afterLoss(
  log: Pick<AnyLog, "openReport" | "acknowledgeLoss">,
  consequence: (reason: string) => Promise<void>,
): Promise<void> {
  const { lost } = log.openReport;
  if (lost === undefined) return;
  await consequence(lost);
  await log.acknowledgeLoss();
}

/** What needs care: due tasks, unread messages, calls that wait for a yes, holds and faults, as JSON. */
const AGENDA = { uri: AGENDA_URI, name: "agenda", mimeType: "application/json" };

const agendaResource = (house: Pick<House, "agenda" | "watchAgenda">): ResourceSource => ({
  list: () => [AGENDA],
  read: async (uri, caller) =>
    uri === AGENDA.uri
      ? { mimeType: AGENDA.mimeType, text: JSON.stringify(await house.agenda(caller)) }
      : undefined,
  watch: (changed) => house.watchAgenda(() => changed(AGENDA.uri)),
});

/** Several sources as one. The first source that has a resource gives it. */
const allOf = (sources: readonly ResourceSource[]): Required<ResourceSource> => ({
  list: async () => (await Promise.all(sources.map((source) => source.list()))).flat(),
  read: async (uri, caller) => {
    for (const source of sources) {
      const content = await source.read(uri, caller);
      if (content) return content;
    }
    return undefined;
  },
  watch: (changed) => cancelAll(sources.flatMap((source) => source.watch?.(changed) ?? [])),
});

/** Reads sensors for a round. A fault is logged when it begins and when it ends, not every minute. */
class SamplingLog {
  /** The present error code of each failing sensor. */
  private readonly failing = new Map<string, string>();

  constructor(private readonly log: Log) {}

  async attempt(sensor: Sensor, read: () => Promise<unknown>): Promise<void> {
    const name = JSON.stringify(sensor);
    try {
      await read();
      if (this.failing.delete(name)) this.log("info", "sampling works again", { ...sensor });
    } catch (error) {
      const { code } = errorBody(error);
      const { message } = errorBody(sourceOf(error));
      if (this.failing.get(name) !== code) this.log("warn", "sampling failed", { ...sensor, error: message });
      this.failing.set(name, code);
    }
  }
}

/** The driver's error behind another: nobody has called, so the hardware's message and remedy say more. */
const sourceOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof DriverError ? error.cause : error;

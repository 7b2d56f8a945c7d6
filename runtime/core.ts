import { SystemClock } from "../drivers/clock/system-clock.js";
import { type Board, type BoardOptions, openBoard } from "../drivers/open-board.js";
import type { Clock } from "../drivers/ports.js";
import { minutes } from "../drivers/units.js";
import { KeptBackups } from "./backup/backup-folder.js";
import { boardWiring, type Config } from "./configuration.js";
import { DoctorProgram } from "./doctor/doctor-program.js";
import type { Log } from "./log.js";
import { Plants } from "./plants.js";
import { approvals } from "./services/approvals/approvals.js";
import { type OpenHouse, openHouse } from "./services/house.js";
import { household } from "./services/household/household.js";
import { persons } from "./services/household/persons.js";
import { boardWatch } from "./services/inputs/index.js";
import { ANY_TOKEN, type Part, type Tokens } from "./services/module.js";
import { MODULES, modulesOff, modulesOn, toolsOff } from "./services/modules.js";
import { SOMEBODY, stopNoted } from "./services/people/control.js";
import { pause } from "./services/people/pause.js";
import { careWatch } from "./services/plant-status/care-watch.js";
import { turns } from "./services/turns/turns.js";
import { type AskSpace, FreeSpace } from "./store/free-space.js";
import type { OpenJournalFile } from "./store/journal.js";
import { openStore, type Store } from "./store/store.js";
import type { Route, RuntimeApi } from "./tools/host.js";
import { CALL_LOG, IdempotentCalls } from "./tools/idempotency.js";
import { Stops } from "./tools/late-calls.js";
import { RateLimit } from "./tools/rate-limit.js";
import { Registry } from "./tools/registry.js";
import { PATHS } from "./wire/names.js";
import type { Setting } from "./wire/owner-page.js";
import { VERSION } from "./wire/program.js";

export interface CoreOptions {
  readonly config: Config;
  /** The state folder; made if it is not there. */
  readonly state: string;
  readonly board: Omit<BoardOptions, "stateFolder" | "stateUsed">;
  /** Does not wait for the disk: for simulations, which can be repeated. */
  readonly relaxed?: boolean;
  readonly log: Log;
  /** Real time, for the expiry of photo links and the rate of calls, also in a simulation. */
  readonly realClock?: Clock;
  /** Opens the journals' files; by default on the disk. */
  readonly openJournal?: OpenJournalFile;
  /** Asks for the free space of the state's file system; by default the system. */
  readonly askSpace?: AskSpace;
  /** Base of photo links, without a slash at its end. */
  readonly publicUrl: () => string;
  readonly tokens?: Tokens;
}

/** The whole runtime without the server: hardware, store, services and tools. */
export interface Core {
  readonly config: Config;
  readonly board: Board;
  readonly store: Store;
  readonly log: Log;
  readonly house: OpenHouse;
  readonly registry: Registry;
  /** Counts by token. */
  readonly meter: RateLimit;
  readonly stops: Stops;
  /** A service of the house. */
  get<T>(part: Part<T>): T;
  /** Reads every sensor once. A faulty one is logged, not thrown. */
  sample(): Promise<void>;
  /** What is due every hour: a mark in the water ledger, and a check for plants without care. */
  mark(): Promise<void>;
  /** Tells the person about plants without care. */
  lookForCare(): Promise<void>;
  /** Resolves once everything that buttons, sensors and troubles have reported so far is dealt with. */
  settled(): Promise<void>;
}

/** Registers a cleanup. They run in reverse order when the runtime stops or fails to start. */
export type OnStop = (close: () => unknown) => void;

export async function openCore(
  { config, state, board: boardOptions, log, publicUrl, ...options }: CoreOptions,
  onStop: OnStop,
): Promise<Core> {
  const { relaxed = false, realClock = new SystemClock(), tokens = ANY_TOKEN } = options;
  const room = new FreeSpace(state, realClock, options.askSpace);
  const store = await openStore({
    ...(!relaxed && { room }),
    folder: state,
    relaxed,
    onFailure: (error) => log("error", error.message),
    openJournal: options.openJournal,
  });
  onStop(() => store.close());
  const board = await openBoard(boardWiring(config), {
    ...boardOptions,
    relaxed,
    stateFolder: state,
    stateUsed: store.wasUsed,
  });
  onStop(() => board.close());
  // the plant's minutes: on a bench at 60 times real time a crash must not cost hours of its history
  if (!relaxed)
    store.delayCommits({ clock: board.clock, within: minutes(config.history.commit_within_minutes) });
  const plants = new Plants(config.plants);
  const stops = new Stops();
  const modules = modulesOn(config);
  const given = { core: config, plants, board, store, stops, log, realClock, tokens, publicUrl };
  const house = await openHouse(given, config, modules, modulesOff(config));
  onStop(() => house.close());
  const meter = new RateLimit(config.server.calls_per_second, realClock);
  const registry = new Registry({
    toolsets: MODULES.map(({ toolset }) => toolset),
    tools: modules.flatMap(({ tools, toolset }) => tools.map((tool) => ({ tool, toolset }))),
    off: toolsOff(config),
    serviceOf: (tool) => house.serviceOf(tool),
    clock: house.clock,
    realClock,
    plants,
    approvals: house.get(approvals),
    turns: house.get(turns),
    tokens,
    assertMayAct: (tool, identity) => house.get(pause).assertMayAct(tool, identity),
    assertRoom: (tool, { role }) => {
      if (relaxed || role !== "agent" || tool.facts.annotations.readOnlyHint) return;
      room.assertLeft(tool.neededForCare ? "half" : "reserve");
    },
    idempotency: new IdempotentCalls(house.journal(CALL_LOG), house.clock, house.complain),
    rateLimit: meter,
    stops,
    stopAll: (by) => stopNoted(house, by, { by, reason: "in a conversation" }),
    log,
  });
  house.serveCalls((request) => registry.call({ ...request, ofHouse: true }));
  for (const warning of store.warnings) log("warn", warning);
  return {
    config,
    board,
    store,
    log,
    house,
    registry,
    meter,
    stops,
    get: (part) => house.get(part),
    sample: () => house.sample(),
    mark: () => house.everyHour(),
    lookForCare: () => house.get(careWatch).look(),
    settled: () => house.get(boardWatch).settled(),
  };
}
/** The runtime as the server sees it. */
export function runtimeApi(core: Core, configFile?: string): RuntimeApi {
  const { registry, house, meter, stops, config, store, log } = core;
  return {
    doctor: new DoctorProgram(store.folder, configFile),
    backups: new KeptBackups({ state: store.folder, clock: new SystemClock(), log }),
    meter,
    stopsBefore: () => stops.beforeThisTurn,
    isUrgent: (call) => registry.isUrgent(call),
    listTools: (identity, toolsets) => registry.list(identity, toolsets),
    callTool: (request) => registry.callOrAsk(request),
    resources: house.resources(),
    routes: [...house.modules.flatMap((module) => module.routes?.(house) ?? []), configurationRoute(config)],
    uploads: house.modules.flatMap((module) => module.uploads?.(house) ?? []),
    personOf: (token) => house.get(household).personOfToken(token),
    onErase: (listener) => house.get(persons).onErase(listener),
    switchEverythingOff: (asked) => stopNoted(house, asked, { by: SOMEBODY, reason: "POST /off" }),
    health: () => ({ status: "ok", version: VERSION }),
  };
}

/** `GET /configuration`: every value in force, with what it means. The configuration holds no secrets. */
const configurationRoute = (config: Config): Route => ({
  path: PATHS.configuration,
  may: { role: "human" },
  cookie: true,
  answer: async () => {
    const body = JSON.stringify({ settings: await settingsOf(config) });
    return { type: "application/json", body, headers: { "Cache-Control": "no-store" } };
  },
});

async function settingsOf(config: Config): Promise<Setting[]> {
  // the declarations take time and memory that only this answer needs
  const { configurationKeys } = await import("./cli/reference-pages.js");
  const keys = new Map(configurationKeys().map((key) => [key.path, key]));
  return leavesOf(config).map(({ path, value }) => {
    const declared = keys.get(path.replaceAll(/\[\d+\]/g, "[]"));
    const isDefault = declared?.default === value;
    return { key: path, value, is_default: isDefault, meaning: declared?.description ?? "" };
  });
}

interface Leaf {
  readonly path: string;
  /** As JSON. */
  readonly value: string;
}

/** Every value that is no group, with its dotted path: "plants[0].name". */
function leavesOf(value: unknown, path = ""): Leaf[] {
  if (typeof value !== "object" || value === null || isListOfValues(value))
    return value === undefined ? [] : [{ path, value: JSON.stringify(value) }];
  if (Array.isArray(value)) return value.flatMap((each, at) => leavesOf(each, `${path}[${at}]`));
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, path === "" ? key : `${path}.${key}`));
}

const isListOfValues = (value: object): boolean =>
  Array.isArray(value) && value.every((each) => typeof each !== "object");

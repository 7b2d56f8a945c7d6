import { SystemClock } from "../drivers/clock/system-clock.js";
import { type Board, type BoardOptions, openBoard } from "../drivers/open-board.js";
import type { Clock } from "../drivers/ports.js";
import { boardConfig } from "./config/board.js";
import type { Config } from "./config/schema.js";
import type { Log } from "./log.js";
import { Plants } from "./plants.js";
import { linkKey } from "./services/camera/link-key.js";
import { TOOLS } from "./services/index.js";
import { type OpenServices, openServices } from "./services/open-services.js";
import type { Services } from "./services/services.js";
import { openStore, type Store } from "./store/store.js";
import { IdempotentCalls } from "./tools/idempotency.js";
import { RateLimit } from "./tools/rate-limit.js";
import { Registry } from "./tools/registry.js";
import { Stops } from "./tools/stops.js";

export interface CoreOptions {
  readonly config: Config;
  /** The state folder; made if it is not there. */
  readonly state: string;
  readonly board: Omit<BoardOptions, "stateFolder" | "stateUsed">;
  /** Does not wait for the disk: for simulations that can be run again. */
  readonly relaxed?: boolean;
  readonly log: Log;
  /** Real time, by which photo links expire and calls are counted; a simulation has none. */
  readonly realClock?: Clock;
  /** Base of photo links, without a slash at its end. */
  readonly publicUrl: () => string;
  /** Whether there is a token of this name now; by default there is. */
  readonly isToken?: (name: string) => boolean;
}

/** Hardware, store, services and tools: all of the runtime but the wire. */
export interface Core extends OpenServices {
  readonly board: Board;
  readonly store: Store;
  readonly registry: Registry<Services>;
  /** Counts by token. */
  readonly meter: RateLimit;
  readonly stops: Stops;
}

/** Registers what has to be undone, in reverse order, when the runtime stops or fails to start. */
export type OnStop = (close: () => unknown) => void;

export async function openCore(
  { config, state, board: boardOptions, log, publicUrl, ...options }: CoreOptions,
  onStop: OnStop,
): Promise<Core> {
  const { relaxed = false, realClock = new SystemClock(), isToken = () => true } = options;
  const store = await openStore({
    folder: state,
    relaxed,
    onFailure: (error) => log("error", error.message),
  });
  onStop(() => store.close());
  const board = await openBoard(boardConfig(config), {
    ...boardOptions,
    relaxed,
    stateFolder: state,
    stateUsed: store.wasUsed,
  });
  onStop(() => board.close());
  const plants = new Plants(config.plants);
  const stops = new Stops();
  const own = { config, plants, board, store, log, realClock, stops, isToken };
  const opened = await openServices({ ...own, linkKey: await linkKey(state), publicUrl });
  onStop(opened.ignoreBoard);
  const meter = new RateLimit(config.server.calls_per_second, realClock);
  const registry = new Registry({
    tools: TOOLS,
    services: opened.services,
    approvals: opened.services.approvals,
    plants,
    idempotency: new IdempotentCalls(opened.logs.calls, board.clock, opened.complain),
    rateLimit: meter,
    stops,
    log,
  });
  for (const warning of store.warnings) log("warn", warning);
  return { ...opened, board, store, registry, meter, stops };
}

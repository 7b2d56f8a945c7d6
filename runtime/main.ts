import { rm } from "node:fs/promises";
import { join } from "node:path";
import { SystemClock } from "../drivers/clock/system-clock.js";
import { makeFolder } from "../drivers/durable-file.js";
import type { Board } from "../drivers/open-board.js";
import { messageOf } from "../drivers/system-error.js";
import { calledAs } from "./cli/print.js";
import type { Config } from "./configuration.js";
import { type Core, type CoreOptions, type OnStop, openCore, runtimeApi } from "./core.js";
import { DoctorProgram, lookDaily } from "./doctor/doctor-program.js";
import type { Log } from "./log.js";
import {
  ANYWHERE,
  freshTarget,
  namesBeside,
  reachableNames,
  secureBase,
  tellNetwork,
  tlsOptions,
} from "./network.js";
import { RUNTIME_FILE } from "./places.js";
import { onSchedule } from "./schedule.js";
import { type RunningServer, startServer } from "./server/server.js";
import { TokenStore } from "./server/tokens.js";
import { healthProblems, RoundWatch } from "./service/service-manager.js";
import { outbox } from "./services/outbox/outbox.js";
import { writeDurably } from "./store/durable-file.js";
import type { Kind } from "./wire/identity.js";
import type { TlsAddress } from "./wire/proof.js";
import { type TlsTrouble, tlsTroubleWords } from "./wire/tls-trouble.js";

export type RuntimeOptions = Omit<CoreOptions, "publicUrl" | "tokens"> & {
  /** The file that the configuration was read from, if there is one: a backup made meanwhile takes it along. */
  readonly configFile?: string | undefined;
  /** Called when everything is open and nobody can call yet. */
  readonly beforeListening?: () => Promise<void>;
};

export interface RunningRuntime {
  /** ws://HOST:PORT/mcp */
  readonly url: string;
  /** The TLS port, while it listens. */
  tls(): TlsAddress | undefined;
  readonly board: Board;
  /** The file of the token `kind`, which counts from now on; made if it is not there. */
  tokenFile(kind: Kind): Promise<string>;
  /** Resolves with a reason if the runtime should end by itself, after a replay. */
  readonly ended: Promise<string>;
  /** What keeps it from caring for plants, a clause each; empty if it is well. */
  health(): Promise<readonly string[]>;
  /** Switches relays off, then stops the rest. Resolves to whether all of it worked; failures are in the log. */
  stop(): Promise<boolean>;
}

/** Every hour: the water ledger records the clocks, and the time without care is counted. */
const MARKS = "0 * * * *";

/** Starts everything and serves it. If a step fails, what was opened is closed again. */
export async function startRuntime(options: RuntimeOptions): Promise<RunningRuntime> {
  const closers: Array<() => unknown> = [];
  const stop = async () => {
    const done: boolean[] = [];
    for (const close of closers.splice(0).reverse()) done.push(await attempt(close, options.log));
    return done.every(Boolean);
  };
  try {
    return { ...(await start(options, (close) => closers.push(close))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Stopping runs in reverse: no new calls, everything off, then rounds, server, board, store. */
async function start(options: RuntimeOptions, onStop: OnStop) {
  const { config, state, log } = options;
  let reachedAt = config.server.public_url;
  await makeFolder(state, 0o700);
  const tokens = await TokenStore.open(join(state, "tokens"), new SystemClock(), log);
  const core = await openCore({ ...options, tokens, publicUrl: () => reachedAt ?? "" }, onStop);
  const target = freshTarget();
  await options.beforeListening?.();
  const server = await serve(core, tokens, options, target);
  onStop(() => server.close());
  await tellNetwork(server, config.server, target, { log, onStop });
  reachedAt ??= secureBase(config.server, server.tls()) ?? server.url.replace(/^ws(.*)\/mcp$/, "http$1");
  await announce(options, server, onStop);
  const sampling = new RoundWatch(config.sampling.cron, core.board.clock, config.zone);
  keepRounds({ ...core, sample: sampling.watched(core.sample) }, config, log, onStop);
  const doctor = new DoctorProgram(state, options.configFile);
  onStop(lookDaily({ doctor, clock: new SystemClock(), warnings: core.store.warnings, log }));
  onStop(() => core.house.stopEverything("the runtime stops"));
  onStop(() => core.registry.close());
  warnOfUnreachableLinks(config, log);
  const ended =
    core.board.replayEnded?.then(() => "the recording is over") ?? new Promise<string>(() => undefined);
  const health = () => healthProblems({ ...core, sampling });
  const tokenFile = (kind: Kind) => tokens.fileOf(kind);
  return { url: server.url, tls: server.tls, board: core.board, tokenFile, ended, health };
}

function serve(
  core: Core,
  tokens: TokenStore,
  { config: { server }, state, configFile, log }: RuntimeOptions,
  target: string,
): Promise<RunningServer> {
  const { house } = core;
  const news = house.get(outbox);
  const onTrouble = (trouble: TlsTrouble) => {
    log("error", tlsTroubleWords(trouble));
    news.tell({ kind: "tls_trouble", severity: "warning", data: { trouble } }).catch(house.complain);
  };
  const onWell = () => void news.overWhere("tls_trouble", () => true).catch(house.complain);
  onWell(); // a trouble that still exists is reported again
  return startServer({
    host: runtimeApi(core, configFile),
    tokens,
    clock: new SystemClock(),
    listen: { host: server.host, port: server.port },
    tls: tlsOptions(server, state, { onTrouble, onWell }),
    allowedHosts: [...reachableNames(server), ...(server.announce ? namesBeside(target) : [])],
    called: calledAs(),
    limits: { maxConnections: server.max_connections, maxFrameBytes: server.max_frame_bytes },
    log,
  });
}

/** 0.0.0.0 and :: are addresses to listen on: others cannot open a link to them. */
function warnOfUnreachableLinks({ server: { host, tls, public_url } }: Config, log: Log): void {
  if (public_url !== undefined || tls || !ANYWHERE.includes(host)) return;
  log("warn", `photo links will name ${host}: set server.public_url to how others reach this machine`);
}

async function announce(
  { state, configFile }: RuntimeOptions,
  { url }: RunningServer,
  onStop: OnStop,
): Promise<void> {
  const file = join(state, RUNTIME_FILE);
  await writeDurably(file, JSON.stringify({ url, pid: process.pid, config: configFile }));
  onStop(() => rm(file, { force: true }));
}

/** Runs what happens without a call: sampling and the hourly check. It switches nothing. */
function keepRounds(
  { board: { clock }, sample, mark, lookForCare }: Core,
  config: Config,
  log: Log,
  onStop: OnStop,
): void {
  onStop(onSchedule(config.sampling.cron, clock, sample, config.zone));
  onStop(onSchedule(MARKS, clock, async () => void (await attempt(mark, log))));
  void sample();
  // also for a runtime that is never up on the hour; the ledger has its mark of this start already
  void attempt(lookForCare, log);
}

/** Logs a failure instead of throwing it. Resolves to whether the step worked. */
async function attempt(step: () => unknown, log: Log): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    log("error", messageOf(error));
    return false;
  }
}

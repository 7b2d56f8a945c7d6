import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { settledWithin } from "../../drivers/clock/waiting.js";
import type { Cancel } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { type EpochMillis, hours, plus, seconds } from "../../drivers/units.js";
import { plainPortTrouble, withoutPump } from "../config/schema.js";
import type { Config } from "../configuration.js";
import { type Level, type Log, lineLog } from "../log.js";
import type { RunningRuntime } from "../main.js";
import { configFile, RESTORE_MARK } from "../places.js";
import { ServiceManager, Watchdog } from "../service/service-manager.js";
import { needsBridge } from "../services/modules.js";
import { startOrStandBy, switchOffLeftovers } from "../standby.js";
import { CommandError, MISCONFIGURED, stderrIsJournal, wrongUse } from "./failure.js";
import { asCalledHere, repeatInHints, stateElsewhere } from "./print.js";
import { endProcess } from "./programs.js";
import { configFor, makeState } from "./state.js";

interface ServeOptions {
  readonly state: string;
  readonly config?: string;
  readonly bench?: boolean;
  /** A person may see the truth of simulated plants, break things, and cut the power: who starts this starts it again. */
  readonly benchControls?: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly plainToo?: boolean;
  readonly speed: number;
  readonly seed: number;
  readonly replay?: string;
  readonly replayZone: string;
  readonly skipGaps?: boolean;
  /** Milliseconds since midnight, UTC: the clock of a new bench begins today at this time. */
  readonly begin?: number;
  readonly logLevel: Level;
}

/** Hydration of a new bench's plants. A choice: they need care at once, for a person to watch. */
const START_HYDRATION = 43;

/** A choice, below the 20 s after which systemd kills (TimeoutStopSec of systemd/tendril.service). */
const STOPS_WITHIN = seconds(12);

/** Runs until a signal, or until a replay is over. Prints one line on stdout when it is ready. */
export async function serve(options: ServeOptions): Promise<void> {
  // a log on a full disk, or a reader that is gone, must not end a runtime
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners("error").on("error", () => undefined);
  repeatInHints({ "--state": stateElsewhere(options.state), "--config": options.config });
  const lines = lineLog(new SystemClock(), process.stderr, stderrIsJournal());
  const log = atLeast(options.logLevel, (level, message, fields) =>
    lines(level, asCalledHere(message), fields),
  );
  const manager = ServiceManager.from(process.env, process.pid, log);
  manager?.extendStart(new SystemClock());
  await switchOffLeftovers(options.state, log);
  await finishRestoreOf(options.state, log);
  const written = withOverrides(await configFor(options), options);
  assertBoardIntended(written, options);
  if (written.board === "pi" && options.bench) {
    log(
      "warn",
      "board: pi runs on simulated hardware (--bench), where every plant has pump, light and camera; give it its own state folder: simulated water counts as poured",
    );
  }
  const config = options.bench ? onBench(written, options) : written;
  for (const lack of withoutPump(config)) log("warn", lack);
  const { speed, seed, replay, replayZone: zone, skipGaps = false } = options;
  const board = {
    speed,
    seed,
    startHydration: START_HYDRATION,
    ...(options.begin !== undefined && { start: todayAt(options.begin) }),
    ...(replay !== undefined && { replay: { file: replay, zone, skipGaps } }),
    // what a power cut is: no line is written, no relay is told
    ...(options.benchControls && { cutPower: () => process.kill(process.pid, "SIGKILL") }),
  };
  await makeState(options.state);
  const file = resolve(configFile(options));
  let unwatch: Promise<Cancel> | undefined;
  let wish = stopWish(); // before anybody can know the address
  const runtime = await startOrStandBy({
    ...{ config, state: options.state, board, log },
    configFile: existsSync(file) ? file : undefined,
    onStandby: (standby) => {
      wish.drop(); // a signal ends a program that has nothing to stop
      process.stdout.write(`standing by on ${standby.url}: nothing can be switched on\n`);
      unwatch = reportTo(manager, standby, "standing by, everything off", log);
    },
  });
  void unwatch?.then((end) => end());
  if (wish.isDropped()) wish = stopWish();
  const over = untilOver(runtime, wish, log);
  process.stdout.write(`listening on ${runtime.url}\n${securely(runtime, config)}${pageHint()}`);
  unwatch = reportTo(manager, runtime, plantsOn(config, runtime), log);
  const endBridge = await bridgeOf(runtime, config, options.state, log);
  await over;
  void unwatch.then((end) => end()); // a service manager that hangs holds up no stop
  endBridge();
  void manager?.stopping();
  if (!(await stoppedInTime(runtime, log))) process.exitCode = 1;
  await endProcess();
}

/** Whether all of it worked. Relays go off first; what comes after may wait for a disk that hangs. */
async function stoppedInTime(runtime: RunningRuntime, log: Log): Promise<boolean> {
  let isWell = false;
  const stop = runtime.stop().then((done) => {
    isWell = done;
  });
  await settledWithin({ clock: new SystemClock(), longest: STOPS_WITHIN }, stop);
  if (!isWell)
    log("error", "the runtime did not stop as it should: its disk may hang, or refuse what is written");
  return isWell;
}

/** Starts the bridge beside a bench whose configuration needs one. A bench without it goes on. */
async function bridgeOf(runtime: RunningRuntime, config: Config, state: string, log: Log): Promise<Cancel> {
  if (config.board !== "bench" || !needsBridge(config)) return () => undefined;
  try {
    const token = await runtime.tokenFile("bridge");
    const { startBridge } = await import("./bridge-child.js");
    return await startBridge({ state, url: runtime.url, token, log });
  } catch (error) {
    log("error", "the bridge cannot be started", { why: messageOf(error) });
    return () => undefined;
  }
}

function todayAt(time: number): EpochMillis {
  const now = new SystemClock().now();
  return plus(now, time - (now % hours(24)));
}

/** Completes an interrupted restore before anything in the folder is read. */
async function finishRestoreOf(state: string, log: Log): Promise<void> {
  if (!existsSync(join(state, RESTORE_MARK))) return;
  const aside = await (await import("../backup/restore-mark.js")).finishRestore(state);
  log("warn", "an interrupted restore was carried out", { aside });
}

/** Tells the service manager that the runtime is ready, and feeds its watchdog while the runtime is healthy. */
async function reportTo(
  manager: ServiceManager | undefined,
  { health }: Pick<RunningRuntime, "health">,
  status: string,
  log: Log,
): Promise<Cancel> {
  await manager?.ready(status);
  if (manager?.feedEvery === undefined) return () => undefined;
  const clock = new SystemClock();
  return new Watchdog({ manager, every: manager.feedEvery, health, status, clock, log }).begin();
}

const plantsOn = ({ plants }: Config, { url }: RunningRuntime): string =>
  `${plants.length} ${plants.length === 1 ? "plant" : "plants"} on ${url}`;

/** What a person can make wet on a bench whose configuration has no leak sensor. A bench looks at no pin: any number does. */
const TRAY = { kind: "leak", name: "tray", gpio: 4, active_low: true } as const;

function onBench(config: Config, { benchControls = config.bench.controls }: ServeOptions): Config {
  const isLacking = benchControls && !config.inputs.some(({ kind }) => kind === "leak");
  const inputs = isLacking ? [...config.inputs, TRAY] : config.inputs;
  return { ...config, inputs, board: "bench", bench: { controls: benchControls } };
}

/** Simulated hardware needs --bench, and real hardware runs in real time. */
function assertBoardIntended({ board }: Config, { bench, speed, replay, begin }: ServeOptions): void {
  if (bench) return;
  if (board === "bench") {
    throw new CommandError(
      "board: bench is simulated hardware: add --bench, or write board: pi into the configuration for the hardware of this Raspberry Pi",
      MISCONFIGURED,
    );
  }
  if (speed !== 1 || replay !== undefined || begin !== undefined)
    throw new CommandError("--speed, --replay and --begin are for simulated hardware: add --bench");
}

function withOverrides(config: Config, { host, port, plainToo }: ServeOptions): Config {
  const server = {
    ...config.server,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(plainToo && { plain_too: true }),
  };
  const trouble = plainPortTrouble(server);
  if (trouble !== undefined) throw wrongUse(`--host ${trouble}`);
  return { ...config, server };
}

/** A line about the page, for a person who reads the start; a service's journal has readers of its own. */
const pageHint = (): string =>
  process.stdout.isTTY ? `for the page in a browser: ${asCalledHere("tendril open")}\n` : "";

/** A line about the TLS port, with the key by which agents recognise it. */
function securely({ tls }: RunningRuntime, { server }: Config): string {
  const address = tls();
  return address && server.tls
    ? `and with TLS on ${server.tls.host} port ${address.port}, key ${address.pin}\n`
    : "";
}

interface StopWish {
  /** Resolves at the first signal. A second one ends the program at once. */
  readonly signal: Promise<void>;
  readonly drop: () => void;
  readonly isDropped: () => boolean;
}

function stopWish(): StopWish {
  let dropped = false;
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  for (const signal of SIGNALS) process.once(signal, resolve);
  const drop = () => {
    dropped = true;
    for (const signal of SIGNALS) process.off(signal, resolve);
  };
  return { signal: promise, drop, isDropped: () => dropped };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Resolves at a signal, the end of a replay, or a defect: then the relays go off. */
function untilOver(runtime: RunningRuntime, wish: StopWish, log: Log): Promise<void> {
  return new Promise((resolve) => {
    void wish.signal.then(resolve);
    void runtime.ended.then((reason) => {
      log("info", `stopping: ${reason}`);
      resolve();
    });
    const onDefect = (error: unknown) => {
      log("error", "stopping on a defect", { error: error instanceof Error ? error.stack : String(error) });
      process.exitCode = 1;
      resolve();
    };
    process.once("uncaughtException", onDefect).once("unhandledRejection", onDefect);
  });
}

const ORDER: readonly Level[] = ["debug", "info", "warn", "error"];

const atLeast =
  (least: Level, log: Log): Log =>
  (level, message, fields) => {
    if (ORDER.indexOf(level) >= ORDER.indexOf(least)) log(level, message, fields);
  };

import { existsSync } from "node:fs";
import { join } from "node:path";
import { SystemClock } from "../drivers/clock/system-clock.js";
import { DriverError } from "../drivers/errors.js";
import { OFF_FILE, switchOffAsLastTime } from "../drivers/guard/off-list.js";
import type { Clock } from "../drivers/ports.js";
import { messageOf } from "../drivers/system-error.js";
import { seconds } from "../drivers/units.js";
import { DoctorProgram } from "./doctor/doctor-program.js";
import { errorBody, TendrilError } from "./errors.js";
import type { Log } from "./log.js";
import { type RunningRuntime, type RuntimeOptions, startRuntime } from "./main.js";
import { RUNTIME_FILE } from "./places.js";
import { type RunningServer, startServer } from "./server/server.js";
import { TokenStore } from "./server/tokens.js";
import { TOOLS } from "./services/modules.js";
import { writeDurably } from "./store/durable-file.js";
import { lockState, type StateLock } from "./store/state-lock.js";
import { failure } from "./tools/call-result.js";
import type { RuntimeApi } from "./tools/host.js";
import { RateLimit } from "./tools/rate-limit.js";
import { VERSION } from "./wire/program.js";

/** A choice: a person who has made room waits no longer than this. Each attempt opens the hardware. */
const TRY_AGAIN = seconds(30);

/** What stands in for a runtime that cannot open its store. */
export interface Standby {
  readonly url: string;
  /** Why the runtime does not start, as one clause. */
  health(): Promise<readonly string[]>;
}

interface StandbyOptions extends RuntimeOptions {
  /** Called once, when it begins to stand by. */
  readonly onStandby: (standby: Standby) => void;
  /** Waits between attempts; by default real time. */
  readonly attempts?: Pick<Clock, "sleep">;
}

/**
 * Starts the runtime. If its store cannot be opened or written (a full or read-only disk), a server stands in for it
 * until it can: `POST /off` switches off what the last run may have left on, and every other call is refused with the
 * reason. Nothing can be switched on, because no board is open.
 */
export async function startOrStandBy(options: StandbyOptions): Promise<RunningRuntime> {
  const { attempts = new SystemClock(), log, onStandby } = options;
  let standIn: StandIn | undefined;
  const beforeListening = async () => {
    await standIn?.close();
    standIn = undefined;
  };
  for (;;) {
    const started = await attempt({ ...options, beforeListening });
    if (!isRefusal(started)) return started;
    if (standIn?.why.message !== started.message)
      log("error", "standing by with everything off", { why: started.message });
    const standing = standIn ?? (await StandIn.begin(options, started));
    standing.why = started;
    if (!standIn) onStandby(standing);
    standIn = standing;
    await attempts.sleep(TRY_AGAIN);
  }
}

/** What the disk refuses. */
type Refusal = TendrilError | DriverError;

/** What a disk that cannot be written makes of a start. */
const OF_THE_DISK = ["STORE_FAILED", "LEDGER_UNAVAILABLE", "OFF_LIST_FAILED", "BENCH_STATE_FAILED"];

const isRefusal = (outcome: unknown): outcome is Refusal =>
  (outcome instanceof TendrilError || outcome instanceof DriverError) && OF_THE_DISK.includes(outcome.code);

/** Gives what the disk refuses; rejects with any other failure. */
async function attempt(options: RuntimeOptions): Promise<RunningRuntime | Refusal> {
  try {
    return await startRuntime(options);
  } catch (error) {
    if (isRefusal(error)) return error;
    await options.beforeListening?.();
    throw error;
  }
}

class StandIn implements Standby {
  private constructor(
    public why: Refusal,
    private readonly options: RuntimeOptions,
    private readonly server: () => RunningServer,
  ) {}

  /** Rejects with LISTEN_FAILED, or with what is wrong with the tokens. */
  static async begin(options: RuntimeOptions, why: Refusal): Promise<StandIn> {
    const { state, log } = options;
    const { server } = options.config;
    const clock = new SystemClock();
    let running: RunningServer | undefined;
    const standIn = new StandIn(why, options, () => running as RunningServer);
    running = await startServer({
      host: standIn.api(new RateLimit(server.calls_per_second, clock)),
      tokens: await TokenStore.open(join(state, "tokens"), clock, log),
      clock,
      listen: { host: server.host, port: server.port },
      limits: { maxConnections: server.max_connections, maxFrameBytes: server.max_frame_bytes },
      log,
    });
    await standIn.announce();
    return standIn;
  }

  get url(): string {
    return this.server().url;
  }

  close(): Promise<void> {
    return this.server().close();
  }

  health = async (): Promise<readonly string[]> => [this.why.message];

  /** A full disk mostly refuses this too: then the file of a run that was killed is there, or --url is needed. */
  private async announce(): Promise<void> {
    const { state, log } = this.options;
    const text = JSON.stringify({ url: this.url, pid: process.pid });
    await writeDurably(join(state, RUNTIME_FILE), text).catch((error: unknown) =>
      log("warn", "commands may need --url to find this runtime", { url: this.url, why: messageOf(error) }),
    );
  }

  private api(meter: RateLimit): RuntimeApi {
    return {
      meter,
      stopsBefore: () => 0,
      isUrgent: ({ name }) => switchesOff(name),
      listTools: () => [],
      callTool: async ({ name, identity }) => {
        if (switchesOff(name)) await this.switchOff(identity.name);
        return failure(errorBody(this.refusal()));
      },
      resources: { list: () => [], read: () => Promise.reject(this.refusal()), watch: () => () => undefined },
      routes: [],
      uploads: [],
      backups: {
        folder: "",
        list: () => Promise.reject(this.refusal()),
        make: () => Promise.reject(this.refusal()),
        open: () => Promise.reject(this.refusal()),
      },
      // it needs no store, and says what is wrong with the disk
      doctor: new DoctorProgram(this.options.state, this.options.configFile),
      personOf: () => undefined,
      onErase: () => () => undefined, // nobody is erased here
      switchEverythingOff: (by) => this.switchOff(by),
      health: () => ({ status: "standing by", version: VERSION }),
    };
  }

  private refusal(): TendrilError {
    const what = `everything is off, and this runtime waits until it can start, because ${this.why.what}`;
    return new TendrilError("STORE_FAILED", what, { cause: this.why });
  }

  /** Rejects with OFF_LIST_FAILED if a relay could not be switched off. */
  private async switchOff(by: string): Promise<void> {
    const { state, log } = this.options;
    log("info", "everything off", { by });
    const [failed] = await switchOffLeftovers(state, log);
    if (failed) throw new DriverError("OFF_LIST_FAILED", messageOf(failed), { cause: failed });
  }
}

const switchesOff = (name: string): boolean =>
  TOOLS.some((tool) => tool.name === name && tool.switchesOff === true);

/**
 * Switches off what the last run may have left on. It runs before anything that could fail, so relays are off even if
 * the runtime cannot start. Does nothing if another runtime uses the state folder. Never rejects: failures are logged,
 * and returned.
 */
export async function switchOffLeftovers(state: string, log: Log): Promise<readonly unknown[]> {
  if (!existsSync(join(state, OFF_FILE))) return [];
  const lock = await lockUnlessTaken(state);
  if (lock === "taken") return [];
  try {
    const failures = await switchOffAsLastTime(state);
    for (const error of failures) log("error", `not switched off: ${error.message}`);
    return failures;
  } catch (error) {
    log("error", messageOf(error));
    return [error];
  } finally {
    await lock?.release().catch(() => undefined); // a start that needs the lock reports what is wrong with it
  }
}

/** If the lock fails for another reason, such as a full disk, nobody holds it: then switching off is safe. */
async function lockUnlessTaken(state: string): Promise<StateLock | "taken" | undefined> {
  try {
    return await lockState(state);
  } catch (error) {
    return error instanceof TendrilError && error.code === "STATE_IN_USE" ? "taken" : undefined;
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Board } from "../../drivers/open-board.js";
import type { Cancel, Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { type Millis, millis, minutes, plus, seconds } from "../../drivers/units.js";
import type { Log } from "../log.js";
import { untilNext } from "../schedule.js";
import type { Store } from "../store/store.js";

/** Hands assignments as `READY=1` to the service manager; rejects where that cannot be done. */
type Notify = (assignments: readonly string[]) => Promise<void>;

/** Where systemd's own programs are. */
const PATH = "/usr/local/bin:/usr/bin:/bin";
/** So many messages fit between two deadlines: one that is lost or late kills nobody. sd_watchdog_enabled(3) asks for two. */
const FEEDS = 3;

/** How often a start that goes on is told. A choice: short starts tell nothing. */
const TOLD_EVERY = seconds(20);
/** How long the manager then waits for the next word. A choice: the start's next step may hold up the event loop. */
const WAITS: Millis = minutes(2);
/** No start takes longer. A choice: ten years of journals were read within a few minutes by a slow computer. */
const LONGEST_START: Millis = minutes(30);
/** A start that does less than this in `TOLD_EVERY` does not work, but waits: milliseconds of a processor, blocks of 512 bytes of a disk. */
const LEAST_WORK = { processor: 1000, blocks: 2048 };

/** What this process has done since it began. */
type Work = () => { readonly processor: number; readonly blocks: number };
const workDone: Work = () => {
  const { userCPUTime, systemCPUTime, fsRead, fsWrite } = process.resourceUsage();
  return { processor: (userCPUTime + systemCPUTime) / 1000, blocks: fsRead + fsWrite };
};

/**
 * Whoever started this process and wants to hear of it [sd_notify(3)]. Its messages are datagrams over a Unix socket, which
 * Node does not have: systemd's own `systemd-notify` sends them, a process each. It waits until each was taken, since a
 * message of a process that is gone can no longer be told to be this service's.
 */
export class ServiceManager {
  private complained = false;
  private endExtending: Cancel = () => undefined;

  constructor(
    private readonly notify: Notify,
    private readonly log: Log,
    /** How often `feed` is to be called; undefined where nobody waits for that. */
    readonly feedEvery?: Millis,
  ) {}

  /** Undefined where nobody wants to hear. Takes the address out of `env`, so that no child speaks in this process's name. */
  static from(env: NodeJS.ProcessEnv, pid: number, log: Log): ServiceManager | undefined {
    const { NOTIFY_SOCKET: socket } = env;
    const feedEvery = feedInterval(env, pid);
    for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
    return socket ? new ServiceManager(notifier(socket), log, feedEvery) : undefined;
  }

  /**
   * Until `ready`, asks the manager not to end this start (TimeoutStartSec) while it works: the first start with years of records
   * reads them all. One that waits for a disk that hangs is ended as before.
   */
  extendStart(clock: Clock, work: Work = workDone): void {
    const over = plus(clock.monotonic(), LONGEST_START);
    const look = (before: ReturnType<Work>) => {
      this.endExtending = clock.after(TOLD_EVERY, () => {
        if (clock.monotonic() >= over) return;
        const now = work();
        if (isWork(before, now)) void this.tell(`EXTEND_TIMEOUT_USEC=${WAITS * 1000}`);
        look(now);
      });
    };
    look(work());
  }

  /** To be called when everything serves. `status`: one line for `systemctl status`. */
  ready(status: string): Promise<void> {
    this.endExtending();
    return this.tell("READY=1", `STATUS=${status}`);
  }

  feed(): Promise<void> {
    return this.tell("WATCHDOG=1");
  }

  status(status: string): Promise<void> {
    return this.tell(`STATUS=${status}`);
  }

  stopping(): Promise<void> {
    return this.tell("STOPPING=1", "STATUS=switching off");
  }

  /** Never rejects: what cannot be told is logged once, and has the manager's own consequences. */
  private async tell(...assignments: readonly string[]): Promise<void> {
    try {
      await this.notify(assignments.map((each) => each.replaceAll("\n", " ")));
      this.complained = false;
    } catch (error) {
      if (!this.complained) this.log("error", `the service manager cannot be told: ${messageOf(error)}`);
      this.complained = true;
    }
  }
}

const isWork = (before: ReturnType<Work>, { processor, blocks }: ReturnType<Work>): boolean =>
  processor - before.processor >= LEAST_WORK.processor || blocks - before.blocks >= LEAST_WORK.blocks;

/** WATCHDOG_USEC in microseconds, meant for WATCHDOG_PID alone [sd_watchdog_enabled(3)]. */
function feedInterval(env: NodeJS.ProcessEnv, pid: number): Millis | undefined {
  const { WATCHDOG_USEC: deadline, WATCHDOG_PID: meant = String(pid) } = env;
  if (deadline === undefined || Number(meant) !== pid) return undefined;
  return millis(Number(deadline) / 1000 / FEEDS);
}

const notifier =
  (socket: string): Notify =>
  async (assignments) => {
    const child = spawn("systemd-notify", assignments, {
      stdio: ["ignore", "ignore", "inherit"],
      cwd: "/",
      env: { PATH, NOTIFY_SOCKET: socket },
    });
    const [code, signal] = await once(child, "exit");
    if (code !== 0) throw new Error(`systemd-notify ended with ${signal ?? `status ${code}`}`);
  };

interface WatchdogParts {
  readonly manager: Pick<ServiceManager, "feed" | "status">;
  /** How often it is fed while all is well, and how late an event loop that is well may be. */
  readonly every: Millis;
  /** What keeps the runtime from caring for plants, a clause each; none: it is well. */
  readonly health: () => Promise<readonly string[]>;
  /** For `systemctl status` while all is well. */
  readonly status: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Feeds the service manager's watchdog while the runtime is well. One that is not, is restarted with its relays off when
 * the deadline passes; one that hangs does not even get here.
 */
export class Watchdog {
  private cancel: Cancel = () => undefined;
  private problem = "";
  private over = false;

  constructor(private readonly parts: WatchdogParts) {}

  begin(): Cancel {
    this.arm();
    return () => {
      this.over = true;
      this.cancel();
    };
  }

  private arm(): void {
    if (this.over) return;
    const { clock, every } = this.parts;
    const due = plus(clock.monotonic(), every);
    this.cancel = clock.after(every, () => void this.look(clock.monotonic() - due).then(() => this.arm()));
  }

  private async look(late: number): Promise<void> {
    const { health, every, manager } = this.parts;
    const troubles = [...(late > every ? [eventLoopDelay(late)] : []), ...(await health())];
    await this.tell(troubles.join("; "));
    if (troubles.length === 0) await manager.feed();
  }

  private async tell(problem: string): Promise<void> {
    if (problem === this.problem) return;
    const { log, manager, status } = this.parts;
    this.problem = problem;
    if (problem) log("error", `not well, to be restarted unless that ends soon: ${problem}`);
    else log("info", "well again");
    await manager.status(problem ? `not well: ${problem}` : status);
  }
}

const eventLoopDelay = (late: number): string => `the event loop was held up for ${Math.round(late)} ms`;

export interface HealthParts {
  readonly board: Pick<Board, "isGuarded">;
  readonly store: Pick<Store, "assertHealthy">;
  readonly sampling: Pick<RoundWatch, "isLate">;
}

/** What keeps a running runtime from caring for plants safely, a clause each. None: it is well. */
export async function healthProblems({ board, store, sampling }: HealthParts): Promise<string[]> {
  return [
    ...(board.isGuarded() ? [] : ["no guard has the relays"]),
    ...(sampling.isLate() ? ["no round of the probes has ended in time"] : []),
    ...(await storeTrouble(store)),
  ];
}

async function storeTrouble(store: HealthParts["store"]): Promise<string[]> {
  try {
    await store.assertHealthy();
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

/** A choice: what the slowest round takes, with every probe's bus timing out, and a busy machine. */
const GRACE = minutes(2);
/** A schedule that is sparser is not waited for: a choice. */
const AT_MOST = minutes(24 * 60);

/** Whether rounds end as often as their schedule has them, by the monotonic clock: a wall clock that is set makes none late. */
export class RoundWatch {
  private due: Millis;

  constructor(
    private readonly pattern: string,
    private readonly clock: Clock,
    private readonly zone = "UTC",
  ) {
    this.due = this.next();
  }

  /** The same round, which counts when it has ended. */
  watched(round: () => Promise<void>): () => Promise<void> {
    return async () => {
      await round();
      this.due = this.next();
    };
  }

  isLate(): boolean {
    return this.clock.monotonic() > this.due;
  }

  private next(): Millis {
    const { pattern, clock, zone } = this;
    return plus(plus(clock.monotonic(), untilNext(pattern, clock.now(), AT_MOST, zone)), GRACE);
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { messageOf } from "../../drivers/system-error.js";
import { type Millis, millis } from "../../drivers/units.js";
import type { Log } from "../log.js";

/** Hands assignments as `READY=1` to the service manager; rejects where that cannot be done. */
type Notify = (assignments: readonly string[]) => Promise<void>;

/** Where systemd's own programs are. */
const PATH = "/usr/local/bin:/usr/bin:/bin";
/** So many messages fit between two deadlines: one that is lost or late kills nobody. sd_watchdog_enabled(3) asks for two. */
const FEEDS = 3;

/**
 * Whoever started this process and wants to hear of it [sd_notify(3)]. Its messages are datagrams over a Unix socket, which
 * Node does not have: systemd's own `systemd-notify` sends them, a process each. It waits until each was taken, since a
 * message of a process that is gone can no longer be told to be this service's.
 */
export class ServiceManager {
  private complained = false;

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

  /** To be called when everything serves. `status`: one line for `systemctl status`. */
  ready(status: string): Promise<void> {
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

import { DriverError } from "../errors.js";
import type { Cancel, Clock } from "../ports.js";
import { messageOf } from "../system-error.js";
import { type Millis, millis, seconds } from "../units.js";
import { type GuardListener, GuardProcess } from "./guard-process.js";
import { offWrites, switchOffDirectly } from "./off-list.js";
import { BEAT, type GuardPlan, type Order, type Report } from "./protocol.js";

/** A guard that leaves more heartbeats than this unanswered hangs. A choice: as long as the guard waits for its parent (LEASE). */
const MAX_UNANSWERED = 5;
/** A choice: from this much time on since the last one, a heartbeat counts for two. */
const LATE = millis(1.5 * BEAT);
/**
 * A choice: Node starts slowly on a busy board, and each relay may wait five seconds for udev. Everything is off meanwhile,
 * and a second start on the same busy board would be no faster.
 */
const READY_TIMEOUT = seconds(60);
/** A guard that was told to end needs much less to switch off and exit. */
const EXIT_TIMEOUT = seconds(1);
/** Before each restart; the first again after a guard that ran for a minute. Short, because nobody reads a button meanwhile. */
const RESTART_DELAYS: readonly Millis[] = [0, 1, 2, 5].map(seconds);
const STABLE_AFTER = seconds(60);
/** How often we retry a relay that we could not switch off ourselves, until a guard takes over. */
const RETRY_INTERVAL = millis(100);

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;
type Running = Pick<GuardProcess, "pid" | "send" | "release" | "kill">;
/** Starts a guard. Throws where the system cannot. */
type StartGuard = (plan: GuardPlan, listener: GuardListener) => Running;

/** The guard of a board. Restarts it whenever it dies. The relays go off first: we switch them off, then the new guard does. */
export class GuardLink {
  private guard: Running | undefined;
  /** When the present guard began to take orders. */
  private readySince: Millis | undefined;
  /** Another process's guard has the relays: we must not touch them. */
  private isForeign = false;
  /** Why we killed the guard. */
  private killReason: string | undefined;
  private deaths = 0;
  private orders = 0;
  private unanswered = 0;
  private lastBeat = millis(0);
  private next: Cancel = () => undefined;
  private cancelReadyTimeout: Cancel = () => undefined;
  private cancelRetry: Cancel = () => undefined;
  /** The guard has reported that it still tries to switch something off. */
  private stillTrying = false;
  private stopping: Promise<void> | undefined;
  private starting: ((outcome: DriverError | undefined) => void) | undefined;
  private gone: ((failures: readonly string[]) => void) | undefined;
  private readonly listeners = new Set<(report: Report) => void>();
  private readonly lostListeners = new Set<(trouble?: DriverError) => void>();
  private readonly troubleListeners = new Set<(trouble: DriverError) => void>();

  constructor(
    private readonly plan: GuardPlan,
    private readonly clock: Clock,
    private readonly startGuard: StartGuard = (plan, listener) => new GuardProcess(plan, listener),
  ) {}

  /** Resolves when the relays are off and the guard takes orders. Rejects with what it says, or GUARD_LOST. */
  async start(): Promise<void> {
    const outcome = new Promise<DriverError | undefined>((resolve) => {
      this.starting = resolve;
    });
    this.launch();
    const trouble = await outcome;
    this.starting = undefined;
    if (!trouble) return;
    const also = await this.stop().then(
      () => undefined,
      (error: DriverError) => error,
    );
    throw also ? new DriverError(trouble.code, `${trouble.what}; ${also.what}`) : trouble;
  }

  onReport(listener: (report: Report) => void): void {
    this.listeners.add(listener);
  }

  /** Called when the guard is gone; everything is off again by then, but for what `trouble` names. */
  onLost(listener: (trouble?: DriverError) => void): void {
    this.lostListeners.add(listener);
  }

  /** Called with each problem outside of any call: what the guard reports, its death, a line that we could not switch off. */
  onTrouble(listener: (trouble: DriverError) => void): Cancel {
    this.troubleListeners.add(listener);
    return () => this.troubleListeners.delete(listener);
  }

  /** Returns the order's id, which comes back in the answer. Throws GUARD_LOST while there is no guard; nothing is switched then. */
  send(order: WithoutId<Order>): number {
    if (!this.guard || this.readySince === undefined || this.stopping)
      throw new DriverError("GUARD_LOST", "there is no guard just now");
    const id = ++this.orders;
    this.guard.send({ ...order, id });
    return id;
  }

  /** Switches everything off without a guard. Throws PIN_FAILED, or GUARD_BUSY where another process has the relays. */
  switchOff(): void {
    if (this.isForeign) throw new DriverError("GUARD_BUSY", "another process drives these relays");
    const failures = this.switchAllOff();
    if (failures.length > 0) throw offFailed(failures);
  }

  /** Kills a guard that misbehaves; everything goes off. `why` is a clause for the log. */
  kill(why: string): void {
    if (!this.guard) return;
    this.killReason ??= why;
    this.guard.kill();
  }

  get isReady(): boolean {
    return this.readySince !== undefined;
  }

  get pid(): number | undefined {
    return this.guard?.pid;
  }

  /** Switches everything off and ends the guard. Rejects with PIN_FAILED where something could not be switched off. */
  stop(): Promise<void> {
    this.stopping ??= this.release();
    return this.stopping;
  }

  private async release(): Promise<void> {
    this.next();
    this.cancelRetry();
    const failures = this.guard ? await this.dismissed(this.guard) : this.switchAllOff();
    if (failures.length > 0) throw offFailed(failures);
  }

  /** Resolves with what could not be switched off. */
  private dismissed(guard: Running): Promise<readonly string[]> {
    const gone = new Promise<readonly string[]>((resolve) => {
      this.gone = resolve;
    });
    const cancel = this.clock.after(EXIT_TIMEOUT, () => this.onExitTimeout());
    guard.release();
    return gone.finally(cancel);
  }

  /** Kills a guard that hangs. One that still tries to switch a relay off may outlive us. */
  private onExitTimeout(): void {
    if (this.stillTrying) this.gone?.(["the guard keeps trying"]);
    else this.guard?.kill();
  }

  private launch(): void {
    this.cancelReadyTimeout = this.clock.after(READY_TIMEOUT, () => this.kill("it was not ready in time"));
    try {
      this.guard = this.startGuard(this.plan, {
        report: (report) => this.onMessage(report),
        gone: (how) => this.onGone(how),
      });
      this.beat();
    } catch (error) {
      this.onGone(messageOf(error));
    }
  }

  private onMessage(report: Report): void {
    if (report.is === "beat") this.unanswered = 0;
    if (report.is === "ready") this.onReady();
    if (report.is === "trouble") this.onGuardTrouble(report);
    for (const listener of this.listeners) listener(report);
  }

  private onGuardTrouble({ code, what, facts = {} }: Report & { is: "trouble" }): void {
    if (code === "GUARD_BUSY") this.isForeign = true;
    if (code === "PIN_FAILED") this.stillTrying = true;
    this.reportTrouble(new DriverError(code, what, { facts }));
  }

  private onReady(): void {
    this.cancelReadyTimeout();
    this.cancelRetry();
    this.isForeign = false;
    this.stillTrying = false;
    this.readySince = this.clock.monotonic();
    this.unanswered = 0;
    this.starting?.(undefined);
  }

  /**
   * Counts heartbeats, not time: when this process or the machine stalls, the guard must not look dead. But where each of our turns
   * comes late, a guard that hangs would have so much more time: it gets three of them.
   */
  private beat(): void {
    const now = this.clock.monotonic();
    this.unanswered += now - this.lastBeat < LATE ? 1 : 2;
    this.lastBeat = now;
    if (this.unanswered > MAX_UNANSWERED && this.readySince !== undefined)
      this.kill("it gave no sign of life");
    this.guard?.send({ do: "beat", id: ++this.orders });
    this.next = this.clock.after(BEAT, () => this.beat());
  }

  private onGone(how: string): void {
    this.clearGuard();
    const failures = this.switchAllOff();
    const trouble = failures.length > 0 ? offFailed(failures) : undefined;
    for (const listener of this.lostListeners) listener(trouble);
    this.gone?.(failures);
    if (this.stopping) return;
    const reason = this.killReason ?? how;
    const facts = { reasons: [reason] };
    this.reportTrouble(new DriverError("GUARD_LOST", `the guard of the relays died (${reason})`, { facts }));
    if (trouble) this.keepTrying(trouble);
    this.killReason = undefined;
    const pause = RESTART_DELAYS[Math.min(this.deaths++, RESTART_DELAYS.length - 1)] ?? STABLE_AFTER;
    this.next = this.clock.after(pause, () => this.launch());
  }

  private clearGuard(): void {
    const { readySince } = this;
    if (readySince !== undefined && this.clock.monotonic() - readySince > STABLE_AFTER) this.deaths = 0;
    this.guard = undefined;
    this.readySince = undefined;
    this.next();
    this.cancelReadyTimeout();
  }

  private keepTrying(trouble: DriverError): void {
    this.cancelRetry(); // of the guard before: it would end pulses of a later one
    this.reportTrouble(trouble);
    const again = () => {
      if (this.switchAllOff().length > 0) this.cancelRetry = this.clock.after(RETRY_INTERVAL, again);
    };
    this.cancelRetry = this.clock.after(RETRY_INTERVAL, again);
  }

  private switchAllOff(): string[] {
    return this.isForeign ? [] : switchOffDirectly(offWrites(this.plan)).map(({ message }) => message);
  }

  /** During the start only the caller of {@link start} is told. */
  private reportTrouble(trouble: DriverError): void {
    if (this.starting) this.starting(trouble);
    else for (const listener of this.troubleListeners) listener(trouble);
  }
}

const offFailed = (failures: readonly string[]): DriverError =>
  new DriverError("PIN_FAILED", `a relay could not be switched off (${failures.join("; ")})`, {
    facts: { during: "switching_off", reasons: failures },
  });

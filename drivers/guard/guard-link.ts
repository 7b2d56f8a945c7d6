import { DriverError } from "../errors.js";
import type { Cancel, Clock } from "../ports.js";
import { messageOf } from "../system-error.js";
import { type Millis, millis, seconds } from "../units.js";
import { type GuardListener, GuardProcess } from "./guard-process.js";
import { offWrites, switchOffDirectly } from "./off-list.js";
import { BEAT, type GuardPlan, type Order, type Report } from "./protocol.js";

/** A guard that leaves so many signs of life unanswered hangs: it is given as long as it gives its parent. */
const MOST_UNANSWERED = 5;
/**
 * Node on a board that is busy, and five seconds of waiting for udev at each relay. A choice, and a long one: nothing is on
 * meanwhile, and who ends a guard that is only slow begins again with a board that is as busy as before.
 */
const READY_WITHIN = seconds(60);
/** A guard that was let go has switched off long before. */
const GONE_WITHIN = seconds(1);
/** Between restarts: at once, then longer, until one has lived for a minute. Not much longer: nobody reads a button meanwhile. */
const RESTARTS: readonly Millis[] = [0, 1, 2, 5].map(seconds);
const LIVED = seconds(60);
/** A relay that our own hand could not switch off is tried again this often until there is a guard to do so. */
const RETRY = millis(100);

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;
type Running = Pick<GuardProcess, "pid" | "send" | "release" | "kill">;
/** Starts a guard. Throws where the system cannot. */
type StartGuard = (plan: GuardPlan, listener: GuardListener) => Running;

/** The guard of a board, started again whenever it dies. Each time the relays are switched off first, twice over. */
export class GuardLink {
  private guard: Running | undefined;
  /** When the guard of now began to take orders. */
  private readySince: Millis | undefined;
  /** Another guard has the relays: they are none of our business. */
  private theirs = false;
  /** Why we ended the guard ourselves. */
  private dismissal: string | undefined;
  private deaths = 0;
  private orders = 0;
  private unanswered = 0;
  private next: Cancel = () => undefined;
  private cancelPatience: Cancel = () => undefined;
  private cancelRetry: Cancel = () => undefined;
  /** The guard has said that it tries on to switch something off. */
  private struggling = false;
  private stopping: Promise<void> | undefined;
  private starting: ((outcome: DriverError | undefined) => void) | undefined;
  private gone: ((failures: readonly string[]) => void) | undefined;
  private readonly listeners = new Set<(report: Report) => void>();
  private readonly mourners = new Set<() => void>();
  private readonly complaints = new Set<(trouble: DriverError) => void>();

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

  /** Everything the guard reports. */
  onReport(listener: (report: Report) => void): void {
    this.listeners.add(listener);
  }

  /** Called when the guard is gone; everything is off again by then, as far as it can be. */
  onLost(mourner: () => void): void {
    this.mourners.add(mourner);
  }

  /** Called with what nobody asked for: what the guard complains of, its death, a line that our own hand could not switch off. */
  onTrouble(complaint: (trouble: DriverError) => void): Cancel {
    this.complaints.add(complaint);
    return () => this.complaints.delete(complaint);
  }

  /** Returns the order's number, which comes back in the answer. Throws GUARD_LOST while there is no guard: nothing is switched then. */
  send(order: WithoutId<Order>): number {
    if (!this.guard || this.readySince === undefined || this.stopping)
      throw new DriverError("GUARD_LOST", "there is no guard just now");
    const id = ++this.orders;
    this.guard.send({ ...order, id });
    return id;
  }

  /** Everything off by our own hand, while there is no guard. Throws PIN_FAILED; GUARD_BUSY where another one has the relays. */
  switchOff(): void {
    if (this.theirs) throw new DriverError("GUARD_BUSY", "another process drives these relays");
    const failures = this.offByHand();
    if (failures.length > 0) throw handFailed(failures);
  }

  /** For a guard that does not do as it should: it dies, and everything goes off. `why` is a clause for the log. */
  dismiss(why: string): void {
    if (!this.guard) return;
    this.dismissal ??= why;
    this.guard.kill();
  }

  /** Whether there is a guard that takes orders. */
  get isReady(): boolean {
    return this.readySince !== undefined;
  }

  get pid(): number | undefined {
    return this.guard?.pid;
  }

  /** Everything off, and no guard any more. Rejects with PIN_FAILED where something could not be switched off. */
  stop(): Promise<void> {
    this.stopping ??= this.letGo();
    return this.stopping;
  }

  private async letGo(): Promise<void> {
    this.next();
    this.cancelRetry();
    if (!this.guard) return;
    const gone = new Promise<readonly string[]>((resolve) => {
      this.gone = resolve;
    });
    const cancel = this.clock.after(GONE_WITHIN, () => this.leave());
    this.guard.release();
    const failures = await gone.finally(cancel);
    if (failures.length > 0) throw handFailed(failures);
  }

  /** A guard that hangs is killed; one that still tries to switch a relay off outlives us. */
  private leave(): void {
    if (this.struggling) this.gone?.(["the guard stays and tries on"]);
    else this.guard?.kill();
  }

  private launch(): void {
    this.unanswered = 0;
    this.cancelPatience = this.clock.after(READY_WITHIN, () => this.dismiss("it was not ready in time"));
    try {
      this.guard = this.startGuard(this.plan, {
        report: (report) => this.heard(report),
        gone: (how) => this.lost(how),
      });
      this.beat();
    } catch (error) {
      this.lost(messageOf(error));
    }
  }

  private heard(report: Report): void {
    if (report.is === "beat") this.unanswered = 0;
    if (report.is === "ready") this.begin();
    if (report.is === "trouble") this.troubled(report);
    for (const listener of this.listeners) listener(report);
  }

  private troubled({ code, what }: Report & { is: "trouble" }): void {
    if (code === "GUARD_BUSY") this.theirs = true;
    if (code === "PIN_FAILED") this.struggling = true;
    this.complain(new DriverError(code, what));
  }

  private begin(): void {
    this.cancelPatience();
    this.cancelRetry();
    this.theirs = false;
    this.struggling = false;
    this.readySince = this.clock.monotonic();
    this.unanswered = 0;
    this.starting?.(undefined);
  }

  /** Counted in beats, not in time: a stall of our own must not look like one of the guard's. */
  private beat(): void {
    if (++this.unanswered > MOST_UNANSWERED && this.readySince !== undefined)
      this.dismiss("it gave no sign of life");
    this.guard?.send({ do: "beat", id: ++this.orders });
    this.next = this.clock.after(BEAT, () => this.beat());
  }

  private lost(how: string): void {
    this.forgetGuard();
    const failures = this.offByHand();
    for (const mourner of this.mourners) mourner();
    this.gone?.(failures);
    if (this.stopping) return;
    this.complain(new DriverError("GUARD_LOST", `the guard of the relays died (${this.dismissal ?? how})`));
    if (failures.length > 0) this.keepTrying(handFailed(failures));
    this.dismissal = undefined;
    const pause = RESTARTS[Math.min(this.deaths++, RESTARTS.length - 1)] ?? LIVED;
    this.next = this.clock.after(pause, () => this.launch());
  }

  private forgetGuard(): void {
    const { readySince } = this;
    if (readySince !== undefined && this.clock.monotonic() - readySince > LIVED) this.deaths = 0;
    this.guard = undefined;
    this.readySince = undefined;
    this.next();
    this.cancelPatience();
  }

  private keepTrying(trouble: DriverError): void {
    this.complain(trouble);
    const again = () => {
      if (this.offByHand().length > 0) this.cancelRetry = this.clock.after(RETRY, again);
    };
    this.cancelRetry = this.clock.after(RETRY, again);
  }

  private offByHand(): string[] {
    return this.theirs ? [] : switchOffDirectly(offWrites(this.plan)).map(({ message }) => message);
  }

  /** At the start, whoever starts it is told alone. */
  private complain(trouble: DriverError): void {
    if (this.starting) this.starting(trouble);
    else for (const complaint of this.complaints) complaint(trouble);
  }
}

const handFailed = (failures: readonly string[]): DriverError =>
  new DriverError("PIN_FAILED", `a relay could not be switched off (${failures.join("; ")})`);

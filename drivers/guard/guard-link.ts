import { DriverError } from "../errors.js";
import type { Cancel, Clock } from "../ports.js";
import { type Millis, millis, seconds } from "../units.js";
import { GuardProcess } from "./guard-process.js";
import { offWrites, switchOffDirectly } from "./off-list.js";
import { BEAT, type GuardPlan } from "./plan.js";
import type { Order, Report } from "./protocol.js";

/** A guard that leaves so many signs of life unanswered hangs. */
const MOST_UNANSWERED = 3;
/** Node on the slowest Pi, under load. */
const READY_WITHIN = seconds(15);
/** A guard that was let go has switched off long before. */
const GONE_WITHIN = seconds(1);
/** Between restarts: at once, then longer and longer, until one has lived for a minute. */
const RESTARTS: readonly Millis[] = [0, 1, 5, 20, 60].map(seconds);
const LIVED = seconds(60);

type Listener = (report: Report) => void;
type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;

/** The guard of a board, started again whenever it dies. Each time the relays are switched off first, twice over. */
export class GuardLink {
  private guard: GuardProcess | undefined;
  private ready = false;
  private closing = false;
  /** Another guard has the relays: they are none of our business. */
  private theirs = false;
  private deaths = 0;
  private readyAt = millis(0);
  private orders = 0;
  private unanswered = 0;
  private cancelBeat: Cancel = () => undefined;
  private cancelPatience: Cancel = () => undefined;
  private readonly listeners = new Set<Listener>();
  private readonly mourners = new Set<(trouble: DriverError) => void>();
  private goneNow: () => void = () => undefined;
  private starting: ((outcome: DriverError | undefined) => void) | undefined;

  constructor(
    private readonly plan: GuardPlan,
    private readonly clock: Clock,
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
    await this.stop();
    throw trouble;
  }

  /** Everything the guard reports. */
  onReport(listener: Listener): void {
    this.listeners.add(listener);
  }

  /** Called when the guard has died; everything is off again by then, as far as it can be. */
  onLost(mourner: (trouble: DriverError) => void): void {
    this.mourners.add(mourner);
  }

  /** Returns the order's number, which comes back in the answer. Throws GUARD_LOST while there is no guard: nothing is switched then. */
  send(order: WithoutId<Order>): number {
    if (!this.guard || !this.ready) throw new DriverError("GUARD_LOST", "there is no guard just now");
    const id = ++this.orders;
    this.guard.send({ ...order, id });
    return id;
  }

  /** Everything off by our own hand, while there is no guard. Throws PIN_FAILED. */
  switchOff(): void {
    const failures = this.offByHand();
    if (failures.length > 0) throw new DriverError("PIN_FAILED", failures.join(", "));
  }

  /** For a guard that does not do as it should: it dies, and everything goes off. */
  dismiss(): void {
    this.guard?.kill();
  }

  get pid(): number | undefined {
    return this.guard?.pid;
  }

  /** Everything off, and no guard any more. */
  async stop(): Promise<void> {
    this.closing = true;
    this.cancelBeat();
    if (!this.guard) return;
    const gone = new Promise<void>((resolve) => {
      this.goneNow = resolve;
    });
    const cancel = this.clock.after(GONE_WITHIN, () => this.guard?.kill());
    this.guard.release();
    await gone.finally(cancel);
  }

  private launch(): void {
    this.unanswered = 0;
    this.cancelPatience = this.clock.after(READY_WITHIN, () => this.dismiss());
    this.guard = new GuardProcess(this.plan, {
      report: (report) => this.heard(report),
      gone: (how) => this.lost(how),
    });
    this.beat();
  }

  private heard(report: Report): void {
    if (report.is === "beat") this.unanswered = 0;
    if (report.is === "trouble") this.trouble(report);
    if (report.is === "ready") this.begin();
    for (const listener of this.listeners) listener(report);
  }

  private trouble({ code, what }: Report & { is: "trouble" }): void {
    if (code === "GUARD_BUSY") this.theirs = true;
    this.starting?.(new DriverError(code, what));
  }

  private offByHand(): string[] {
    return this.theirs ? [] : switchOffDirectly(offWrites(this.plan)).map(({ message }) => message);
  }

  private begin(): void {
    this.cancelPatience();
    this.ready = true;
    this.readyAt = this.clock.monotonic();
    this.unanswered = 0;
    this.starting?.(undefined);
  }

  /** Counted in beats, not in time: a stall of our own must not look like one of the guard's. */
  private beat(): void {
    if (++this.unanswered > MOST_UNANSWERED && this.ready) this.dismiss();
    this.guard?.send({ do: "beat", id: ++this.orders });
    this.cancelBeat = this.clock.after(BEAT, () => this.beat());
  }

  private lost(how: string): void {
    if (this.ready && this.clock.monotonic() - this.readyAt > LIVED) this.deaths = 0;
    this.guard = undefined;
    this.ready = false;
    this.cancelBeat();
    this.cancelPatience();
    const failures = this.offByHand();
    this.goneNow();
    if (this.closing) return;
    this.mourn(new DriverError("GUARD_LOST", ["the guard died", how, ...failures].join(", ")));
    const pause = RESTARTS[Math.min(this.deaths++, RESTARTS.length - 1)] ?? LIVED;
    this.cancelBeat = this.clock.after(pause, () => this.launch());
  }

  private mourn(trouble: DriverError): void {
    this.starting?.(trouble);
    for (const mourner of this.mourners) mourner(trouble);
  }
}

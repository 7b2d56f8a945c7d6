import { DriverError } from "../errors.js";
import { assertPulse, type Cancel, type Clock, type PulsedOutput, type PulseReport } from "../ports.js";
import { type Millis, millis, plus, seconds } from "../units.js";
import type { GuardLink } from "./guard-link.js";
import type { EndedBy, Report } from "./protocol.js";

/** If the guard has not reported the end of a pulse this long after it was due, it gets an order to end it. */
const OVERDUE = seconds(1);
/** How long the guard may take to answer an order. */
const ANSWER_WITHIN = seconds(1);
/** When this process has stalled, its timer fires before the pipe is read: so long an answer may still be in the pipe. */
const SEEN_WITHIN = millis(50);

interface Pulse {
  readonly id: number;
  readonly onEdge: ((at: Millis) => void) | undefined;
  startedAt: Millis;
  readonly resolve: (report: PulseReport) => void;
  readonly reject: (error: unknown) => void;
}

/** What an output needs of its guard. */
export type Link = Pick<GuardLink, "send" | "onReport" | "onLost" | "kill" | "switchOff">;

/** The parent's side of a relay that the guard drives. */
export class GuardedOutput implements PulsedOutput {
  private running: Pulse | undefined;
  private lit = false;
  private readonly ends = new Map<number, (trouble?: DriverError) => void>();

  constructor(
    /** As in the guard's plan. */
    private readonly name: string,
    readonly ceiling: Millis,
    private readonly link: Link,
    private readonly clock: Clock,
    /** Of the line that the plan has for it. */
    readonly latestEnd: (duration: Millis) => Millis,
  ) {
    link.onReport((report) => this.heard(report));
    link.onLost((trouble) => this.lost(trouble));
  }

  async pulse(duration: Millis, onEdge?: (at: Millis) => void): Promise<PulseReport> {
    this.assertAccepts(duration);
    const startedAt = this.clock.monotonic();
    const id = this.link.send({ do: "on", output: this.name, for: duration, sent: startedAt });
    const cancel = this.clock.after(plus(duration, OVERDUE), () => this.endAnyway());
    const over = new Promise<PulseReport>((resolve, reject) => {
      this.running = { id, onEdge, startedAt, resolve, reject };
    });
    return over.finally(cancel);
  }

  /** Resolves when the guard says that it is off, or when the guard is gone and everything with it. Rejects with PIN_FAILED. */
  async end(): Promise<void> {
    const id = this.askToEnd();
    if (id === undefined) return this.link.switchOff();
    const cancel = this.dismissUnlessSeen();
    await new Promise<void>((resolve, reject) => {
      this.ends.set(id, (trouble) => (trouble ? reject(trouble) : resolve()));
    }).finally(cancel);
  }

  isOn(): boolean {
    return this.lit;
  }

  /** A guard that cannot end it reports that itself; one that does not answer is killed. */
  private endAnyway(): void {
    this.end().catch(() => undefined);
  }

  private dismissUnlessSeen(): Cancel {
    const kill = () => this.link.kill(`it did not switch ${this.name} off`);
    let cancel = this.clock.after(ANSWER_WITHIN, () => {
      cancel = this.clock.after(SEEN_WITHIN, kill);
    });
    return () => cancel();
  }

  private askToEnd(): number | undefined {
    try {
      return this.link.send({ do: "off", output: this.name });
    } catch (error) {
      if (error instanceof DriverError && error.code === "GUARD_LOST") return undefined;
      throw error;
    }
  }

  private heard(report: Report): void {
    if (report.is === "done") this.answer(report.id);
    else if (report.is === "refused") this.refused(report);
    else if (this.running && "id" in report && report.id === this.running.id) this.edge(this.running, report);
  }

  private edge(running: Pulse, report: Report): void {
    if (report.is === "on") this.begin(running, report.at);
    if (report.is === "off") this.finish({ ...report, startedAt: running.startedAt });
  }

  private begin(pulse: Pulse, at: Millis): void {
    this.lit = true;
    pulse.startedAt = at;
    pulse.onEdge?.(at);
  }

  private finish({ startedAt, onFor, by }: { startedAt: Millis; onFor: Millis; by: EndedBy }): void {
    const pulse = this.forget();
    pulse?.resolve({ startedAt, onFor, outcome: by === "elapsed" ? "elapsed" : "ended" });
  }

  private refused({ id, code, what }: Report & { is: "refused" }): void {
    const error = new DriverError(code, what);
    if (id === this.running?.id) this.forget()?.reject(error);
    this.answer(id, error);
  }

  private answer(id: number, trouble?: DriverError): void {
    const answer = this.ends.get(id);
    this.ends.delete(id);
    answer?.(trouble);
  }

  /** The pulse has ended with the guard; when is unknown. `trouble`: something could not be switched off. */
  private lost(trouble: DriverError | undefined): void {
    const pulse = this.forget();
    if (pulse) {
      const onFor = millis(this.clock.monotonic() - pulse.startedAt);
      pulse.resolve({ startedAt: pulse.startedAt, onFor, outcome: "unknown" });
    }
    for (const id of [...this.ends.keys()]) this.answer(id, trouble);
  }

  private forget(): Pulse | undefined {
    const { running } = this;
    this.running = undefined;
    this.lit = false;
    return running;
  }

  private assertAccepts(duration: Millis): void {
    assertPulse(this.name, duration, this.ceiling);
    if (this.running) throw new DriverError("PULSE_BUSY", `${this.name} is on already`);
  }
}

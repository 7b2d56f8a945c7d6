import { DriverError } from "../errors.js";
import { assertPulse, type Cancel, type Clock } from "../ports.js";
import { messageOf } from "../system-error.js";
import { type Millis, millis } from "../units.js";
import type { EndedBy, Report } from "./protocol.js";

/** How often a line that did not go off is retried. */
const RETRY = millis(50);

interface Pulse {
  readonly id: number;
  readonly startedAt: Millis;
  readonly duration: Millis;
}

/** A relay line, what the guard calls it, and the longest pulse that it takes. */
export interface GuardedLine {
  readonly name: string;
  readonly ceiling: Millis;
  readonly line: RelayLine;
}

/** One relay in the guard: every pulse has its end armed before its beginning. */
export class Relay {
  private pulse: Pulse | undefined;
  private disarm: Cancel = () => undefined;
  private stuck = false;
  private retry: Cancel | undefined;

  constructor(
    private readonly parts: GuardedLine & { readonly clock: Clock; readonly tell: (report: Report) => void },
  ) {}

  get name(): string {
    return this.parts.name;
  }

  /** Throws PULSE_TOO_LONG, PULSE_INVALID, PULSE_BUSY, or PIN_FAILED once it is off again. */
  switchOn(id: number, duration: Millis): void {
    this.assertAccepts(duration);
    const { clock, line, name, tell } = this.parts;
    this.arm(duration);
    try {
      line.switchOn(duration);
      if (!line.isOn()) throw new Error("the line stays off");
    } catch (cause) {
      this.switchOff("order");
      throw new DriverError("PIN_FAILED", `${name} could not be switched on (${messageOf(cause)})`, {
        cause,
      });
    }
    const startedAt = clock.monotonic();
    this.pulse = { id, startedAt, duration };
    tell({ is: "on", id, output: name, at: startedAt });
  }

  /** Switches off at once, also when it is off. Returns false for a line that fails: that is reported, and retried until it is off. */
  switchOff(by: EndedBy): boolean {
    if (!this.off()) return this.tryAgain(by);
    const { pulse } = this;
    this.pulse = undefined;
    this.disarm();
    this.endRetry();
    if (pulse) this.report(pulse, by);
    return true;
  }

  close(): void {
    this.disarm();
    this.endRetry();
    this.parts.line.close();
  }

  private arm(rest: Millis): void {
    this.disarm = this.parts.clock.after(rest, () => this.elapse());
  }

  /** Node counts a timer from the start of the event loop's turn, so it may fire early: then the rest is armed. */
  private elapse(): void {
    const { startedAt = millis(0), duration = millis(0) } = this.pulse ?? {};
    const rest = millis(startedAt + duration - this.parts.clock.monotonic());
    if (rest > 0) this.arm(rest);
    else this.switchOff("elapsed");
  }

  private tryAgain(by: EndedBy): false {
    this.retry ??= this.parts.clock.after(RETRY, () => {
      this.retry = undefined;
      this.switchOff(by);
    });
    return false;
  }

  private endRetry(): void {
    this.retry?.();
    this.retry = undefined;
  }

  private off(): boolean {
    const { line } = this.parts;
    try {
      line.switchOff();
      if (line.isOn()) throw new Error("the line stays on");
      this.stuck = false;
      return true;
    } catch (cause) {
      this.reportStuck(cause);
      return false;
    }
  }

  /** Reports a stuck line once, not at each retry. */
  private reportStuck(cause: unknown): void {
    if (this.stuck) return;
    this.stuck = true;
    const reason = messageOf(cause);
    const what = `${this.name} could not be switched off (${reason}); retrying`;
    const facts = { part: this.name, during: "switching_off", reasons: [reason] } as const;
    this.parts.tell({ is: "trouble", code: "PIN_FAILED", what, facts });
  }

  private report({ id, startedAt }: Pulse, by: EndedBy): void {
    const { clock, name, tell } = this.parts;
    const at = clock.monotonic();
    tell({ is: "off", id, output: name, at, onFor: millis(at - startedAt), by });
  }

  private assertAccepts(duration: Millis): void {
    const { name, ceiling } = this.parts;
    assertPulse(name, duration, ceiling);
    if (this.stuck) throw new DriverError("PIN_FAILED", `${name} could not be switched off and may be on`);
    if (this.pulse) throw new DriverError("PULSE_BUSY", `${name} is on already`);
  }
}

/**
 * The line of one relay, as the guard alone drives it. Synchronous throughout: between the deadline that the guard
 * has armed and the edge, nothing else may run. Each method throws what the system says.
 */
export interface RelayLine {
  /** What ends a pulse when the guard itself is gone. */
  readonly cutoff: "none" | "kernel timer" | "DMA";
  /** On. Where the line has a cut-off of its own, that is armed first, to end the pulse no sooner than after `duration`. */
  switchOn(duration: Millis): void;
  /** Off at once, also when it is off. */
  switchOff(): void;
  /** Whether the relay is on, as the line itself says. */
  isOn(): boolean;
  /** Off, then given back. */
  close(): void;
}

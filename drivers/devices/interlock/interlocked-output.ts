import { switchedNothing } from "../../errors.js";
import { assertPulse } from "../../guard/pulse-check.js";
import type { Clock, PulsedOutput, PulseReport } from "../../ports.js";
import { type Millis, millis, plus, seconds } from "../../units.js";
import type { InterlockChannel, Measured } from "./channel.js";
import type { Grant } from "./device.js";
import { MARGIN } from "./needs.js";

/**
 * What the interlock's time may lack of the guard's before the pulse counts as cut short. Choices: relays and optocouplers
 * take their time, and an ATmega's ceramic resonator may be half a percent off.
 */
const SHORT_BY = millis(100);
const SHORT_SHARE = 0.01;
/** Firmware steps at least so often (firmware/core/limits.h, MAX_GAP_MS): so late a pulse may end that it times alone. */
const LONGEST_GAP = seconds(1);

/** A relay of the guard's with the interlock's contact in series: on only where both say so. */
export class InterlockedOutput implements PulsedOutput {
  private stop: AbortController | undefined;

  constructor(
    /** For messages. */
    private readonly name: string,
    private readonly inner: PulsedOutput,
    private readonly channel: InterlockChannel,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  get ceiling(): Millis {
    return this.inner.ceiling;
  }

  /**
   * Rejects also with INTERLOCK_LOST, INTERLOCK_FAULT, INTERLOCK_LIMITS, INTERLOCK_BUDGET, INTERLOCK_REST and
   * INTERLOCK_REFUSED, before anything was switched, and with RELAY_WELDED. Reported is the longer of what the guard and the
   * interlock measured.
   */
  async pulse(duration: Millis, onEdge?: (at: Millis) => void): Promise<PulseReport> {
    assertPulse(this.name, duration, this.ceiling);
    const release = this.channel.claim(this.name);
    const stop = new AbortController();
    this.stop = stop;
    try {
      const grant = await this.open(duration, stop.signal);
      return grant ? await this.carryOut(grant, duration, onEdge) : this.nothing();
    } finally {
      this.stop = undefined;
      release();
    }
  }

  /** What the line lets through where every process is dead, or what the interlock does, whichever ends sooner. */
  latestEnd(duration: Millis): Millis {
    return millis(Math.min(this.inner.latestEnd(duration), plus(plus(duration, MARGIN), LONGEST_GAP)));
  }

  /** The guard's relay first; the interlock is told, and not waited for. */
  async end(): Promise<void> {
    const off = this.inner.end();
    if (this.stop) {
      this.stop.abort();
      this.channel.off();
    }
    await off;
  }

  /** Ends what is under way, if anything is. */
  interrupt(): void {
    if (this.stop) this.end().catch(() => undefined); // a relay that does not go off is the guard's to tell of
  }

  isOn(): boolean {
    return this.inner.isOn();
  }

  /** Undefined where somebody called `end()` on the way. */
  private async open(duration: Millis, signal: AbortSignal): Promise<Grant | undefined> {
    try {
      return await this.channel.open(duration, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  private async carryOut(
    grant: Grant,
    duration: Millis,
    onEdge?: (at: Millis) => void,
  ): Promise<PulseReport> {
    const begun = this.clock.monotonic();
    try {
      const report = await this.inner.pulse(duration, onEdge);
      return judged(report, await this.channel.shut(grant));
    } catch (error) {
      const live = (await this.channel.shut(grant))?.live ?? 0;
      if (live === 0 || !switchedNothing(error)) throw error;
      return { startedAt: begun, onFor: millis(live), outcome: "unknown" };
    }
  }

  private nothing(): PulseReport {
    return { startedAt: this.clock.monotonic(), onFor: millis(0), outcome: "ended" };
  }
}

/** Never less than either measured; a pulse that the interlock cut short, or is silent about, is not known to have been whole. */
function judged(report: PulseReport, measured: Measured | undefined): PulseReport {
  const onFor = millis(Math.max(report.onFor, measured?.live ?? 0));
  const whole = measured && (measured.live ?? measured.on) >= report.onFor * (1 - SHORT_SHARE) - SHORT_BY;
  return { ...report, onFor, outcome: report.outcome === "elapsed" && !whole ? "unknown" : report.outcome };
}

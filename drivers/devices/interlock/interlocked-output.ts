import { DriverError, switchedNothing } from "../../errors.js";
import { assertPulse, type Cancel, type Clock, type PulsedOutput, type PulseReport } from "../../ports.js";
import { type Millis, millis, plus, seconds } from "../../units.js";
import { type Channel, type Grant, type InterlockDevice, type InterlockStatus, MARGIN } from "./device.js";

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
  async pulse(
    duration: Millis,
    onEdge?: (at: Millis) => void,
    assertStill?: () => void,
  ): Promise<PulseReport> {
    assertPulse(this.name, duration, this.ceiling);
    const release = this.channel.claim(this.name);
    const stop = new AbortController();
    this.stop = stop;
    try {
      const grant = await this.open(duration, stop.signal, assertStill);
      // looked at once more: end() may have come while that resolved
      const mayBegin = grant && !stop.signal.aborted;
      return mayBegin ? await this.carryOut(grant, duration, onEdge) : this.endedBefore();
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
      this.channel.openAtOnce();
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
  private async open(
    duration: Millis,
    signal: AbortSignal,
    assertStill: (() => void) | undefined,
  ): Promise<Grant | undefined> {
    try {
      return await this.channel.closeContact(duration, signal, assertStill);
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
      return judged(report, await this.channel.openContact(grant));
    } catch (error) {
      const live = (await this.channel.openContact(grant))?.live ?? 0;
      if (live === 0 || !switchedNothing(error)) throw error;
      return { startedAt: begun, onFor: millis(live), outcome: "unknown" };
    }
  }

  private endedBefore(): PulseReport {
    return { startedAt: this.clock.monotonic(), onFor: millis(0), outcome: "ended" };
  }
}

/** Never less than either measured; a pulse that the interlock cut short, or is silent about, is not known to have been whole. */
function judged(report: PulseReport, measured: Measured | undefined): PulseReport {
  const onFor = millis(Math.max(report.onFor, measured?.live ?? 0));
  const whole = measured && (measured.live ?? measured.on) >= report.onFor * (1 - SHORT_SHARE) - SHORT_BY;
  return { ...report, onFor, outcome: report.outcome === "elapsed" && !whole ? "unknown" : report.outcome };
}

/**
 * From closing the interlock's contact to the look whether the node is dead. A choice: small relays bounce for some 10 ms
 * after theirs (operate time of a Songle SRD: 10 ms), the feedback's optocoupler and a step of the interlock come on top.
 */
const SETTLE = millis(60);
/** A pump's rest is waited out, a light's is a refusal. A choice: the pump's 10 s, and clocks that differ. */
const LONGEST_WAIT = seconds(15);
/** Asked for again this much after a rest should be over. */
const BEYOND_REST = millis(20);

/** What the interlock measured of a pulse. */
interface Measured {
  /** How long its contact was closed. */
  readonly on: Millis;
  /** How much of that there was voltage at the pump. Of a light it measures none. */
  readonly live: Millis | undefined;
}

/** What a channel needs of its surroundings. */
interface ChannelParts {
  readonly device: InterlockDevice;
  readonly clock: Pick<Clock, "sleep">;
  /** Throws what keeps the interlock from letting anything on. */
  assertReady(): void;
  /** Told of what a person has to see to. */
  reportTrouble(trouble: DriverError): void;
}

/** One of the interlock's two contacts. All pumps behind it share the first, one at a time. */
export class InterlockChannel {
  private holder: string | undefined;

  constructor(
    private readonly kind: Channel,
    private readonly parts: ChannelParts,
  ) {}

  /** Takes the contact until the returned function is called. Throws PULSE_BUSY. */
  claim(name: string): Cancel {
    if (this.holder !== undefined) {
      const what =
        this.holder === name
          ? `${name} is on already`
          : `${name} waits: ${this.holder} is on behind the same interlock`;
      throw new DriverError("PULSE_BUSY", what);
    }
    this.holder = name;
    return () => {
      this.holder = undefined;
    };
  }

  /**
   * Closes the contact for `duration` and a margin; resolves when nothing but the Pi's relay is in the way. Rejects, with the
   * contact open, with what the interlock says, with RELAY_WELDED, with the signal's reason, or with what `assertStill` throws
   * then.
   */
  async closeContact(duration: Millis, signal: AbortSignal, assertStill?: () => void): Promise<Grant> {
    await this.waitForRest(signal);
    this.parts.assertReady();
    const grant = await this.parts.device.request(this.kind, plus(duration, MARGIN));
    try {
      signal.throwIfAborted();
      await this.parts.clock.sleep(SETTLE, signal);
      await this.assertDead();
      signal.throwIfAborted();
      assertStill?.();
      return grant;
    } catch (error) {
      this.openAtOnce();
      throw error;
    }
  }

  /** Opens the contact; undefined where the interlock does not say what became of the grant. */
  async openContact({ order }: Grant): Promise<Measured | undefined> {
    const status = await this.parts.device.off(this.kind).catch(() => undefined);
    return status && status.order[this.kind] === order ? this.measured(status) : undefined;
  }

  /** Opens a contact that no output has claimed: the order to open it was lost on the line. */
  openIfForgotten({ closed }: InterlockStatus): void {
    if (closed[this.kind] && this.holder === undefined) this.openAtOnce();
  }

  /** Opens the contact, and waits for nothing. */
  openAtOnce(): void {
    this.parts.device.off(this.kind).catch(() => undefined); // one that is lost opens by itself
  }

  private measured({ on, pumpLive }: InterlockStatus): Measured {
    return { on: on[this.kind], live: this.kind === "pump" ? pumpLive : undefined };
  }

  private async waitForRest(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      this.parts.assertReady();
      const { rest } = await this.parts.device.status();
      const left = rest[this.kind];
      if (left === 0) return;
      if (left > LONGEST_WAIT)
        throw new DriverError(
          "INTERLOCK_REST",
          `the interlock lets the ${this.kind} rest for ${Math.ceil(left / 1000)} s more`,
        );
      await this.parts.clock.sleep(plus(left, BEYOND_REST), signal);
    }
  }

  /** The guard's relay is open: voltage behind the interlock's contact came through a relay that does not open any more. */
  private async assertDead(): Promise<void> {
    const { live } = await this.parts.device.status();
    if (!live[this.kind]) return;
    const trouble = new DriverError(
      "RELAY_WELDED",
      `the ${this.kind} is live behind the interlock although no relay of the Pi is switched on`,
      { facts: { part: this.kind } },
    );
    this.parts.reportTrouble(trouble);
    throw trouble;
  }
}

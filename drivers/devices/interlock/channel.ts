import { DriverError } from "../../errors.js";
import type { Cancel, Clock } from "../../ports.js";
import { type Millis, millis, plus, seconds } from "../../units.js";
import type { Channel, Grant, InterlockDevice, InterlockStatus } from "./device.js";
import { MARGIN } from "./needs.js";

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
export interface Measured {
  /** How long its contact was closed. */
  readonly on: Millis;
  /** How much of that there was voltage at the pump. Of a light it measures none. */
  readonly live: Millis | undefined;
}

/** What a channel needs of its surroundings. */
export interface ChannelParts {
  readonly device: InterlockDevice;
  readonly clock: Pick<Clock, "sleep">;
  /** Throws what keeps the interlock from letting anything on. */
  assertReady(): void;
  /** Told of what a person has to see to. */
  complain(trouble: DriverError): void;
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
   * contact open, with what the interlock says, with RELAY_WELDED, or with the signal's reason.
   */
  async open(duration: Millis, signal: AbortSignal): Promise<Grant> {
    await this.restOut(signal);
    this.parts.assertReady();
    const grant = await this.parts.device.request(this.kind, plus(duration, MARGIN));
    try {
      signal.throwIfAborted();
      await this.parts.clock.sleep(SETTLE, signal);
      await this.assertDead();
      signal.throwIfAborted();
      return grant;
    } catch (error) {
      this.off();
      throw error;
    }
  }

  /** Opens the contact; undefined where the interlock does not say what became of the grant. */
  async shut({ order }: Grant): Promise<Measured | undefined> {
    const status = await this.parts.device.off(this.kind).catch(() => undefined);
    return status && status.order[this.kind] === order ? this.measured(status) : undefined;
  }

  /** A contact that is closed for nobody: what should have opened it was lost on the line. */
  openIfForgotten({ closed }: InterlockStatus): void {
    if (closed[this.kind] && this.holder === undefined) this.off();
  }

  /** Opens the contact, and waits for nothing. */
  off(): void {
    this.parts.device.off(this.kind).catch(() => undefined); // one that is lost opens by itself
  }

  private measured({ on, pumpLive }: InterlockStatus): Measured {
    return { on: on[this.kind], live: this.kind === "pump" ? pumpLive : undefined };
  }

  private async restOut(signal: AbortSignal): Promise<void> {
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
    );
    this.parts.complain(trouble);
    throw trouble;
  }
}

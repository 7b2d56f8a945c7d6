import { DriverError } from "../errors.js";
import type { Cancel, Clock, InputPin } from "../ports.js";
import { type Millis, millis } from "../units.js";
import { type EndedBy, FRESH, LEASE, type Order, type Report } from "./protocol.js";
import { type GuardedLine, Relay } from "./relay.js";

interface GuardedInput {
  readonly name: string;
  readonly pin: InputPin;
  readonly inhibits: readonly string[];
}

export interface GuardParts {
  readonly outputs: readonly GuardedLine[];
  readonly inputs: readonly GuardedInput[];
  readonly clock: Clock;
  readonly tell: (report: Report) => void;
}

/**
 * The only owner of the relay lines. It starts pulses on order and ends them by its own clock. It switches everything off
 * when its parent falls silent, and obeys buttons and sensors by itself.
 */
export class Guard {
  private readonly relays: ReadonlyMap<string, Relay>;
  private readonly lease: Lease;
  /** Reports held back until the report of their cause is out. */
  private heldBack: Report[] | undefined;

  /** Switches everything off first. */
  constructor(private readonly parts: GuardParts) {
    const { outputs, clock } = parts;
    const tell = (report: Report) => this.tell(report);
    this.relays = new Map(outputs.map((each) => [each.name, new Relay({ ...each, clock, tell })]));
    this.allOff("order");
    this.lease = new Lease(LEASE, clock, () => this.allOff("lease"));
    for (const input of parts.inputs) input.pin.watch((active) => this.obey(input, active));
  }

  active(): string[] {
    return this.parts.inputs.filter(({ pin }) => pin.isActive()).map(({ name }) => name);
  }

  receive(order: Order): void {
    this.lease.renew();
    if (order.do === "beat") this.tell({ is: "beat", id: order.id });
    else if (order.do === "off") this.switchOff(order);
    else this.switchOn(order);
  }

  /** Switches every relay off, also where one of them fails. Returns whether all are off. */
  allOff(by: EndedBy): boolean {
    return this.off([...this.relays.values()], by);
  }

  close(): void {
    this.lease.close();
    this.allOff("order");
    for (const { pin } of this.parts.inputs) pin.close();
    for (const relay of this.relays.values()) relay.close();
  }

  private switchOff({ id, output }: Order & { do: "off" }): void {
    const relay = output === undefined ? undefined : this.relays.get(output);
    const off = relay ? relay.switchOff("order") : this.allOff("order");
    this.tell(off ? { is: "done", id } : { is: "refused", id, ...STUCK });
  }

  private switchOn({ id, output, for: duration, sent }: Order & { do: "on" }): void {
    try {
      this.assertFresh(output, sent);
      this.assertNotInhibited(output);
      this.relayOf(output).switchOn(id, duration);
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      this.tell({ is: "refused", id, code: error.code, what: error.what });
    }
  }

  private assertFresh(output: string, sent: Millis): void {
    const age = this.parts.clock.monotonic() - sent;
    if (age >= 0 && age <= FRESH) return;
    throw new DriverError("PULSE_STALE", `the order for ${output} is ${Math.round(age)} ms old`);
  }

  private assertNotInhibited(output: string): void {
    const input = this.parts.inputs.find(({ pin, inhibits }) => pin.isActive() && inhibits.includes(output));
    if (input) throw new DriverError("PULSE_INHIBITED", `${output} is kept off by the ${input.name}`);
  }

  private relayOf(output: string): Relay {
    const relay = this.relays.get(output);
    if (relay) return relay;
    throw new DriverError("PULSE_INVALID", `there is no output ${output}`);
  }

  /** Switches off first, but reports the input before the pulses that it ended. */
  private obey({ name, inhibits }: GuardedInput, active: boolean): void {
    const relays = inhibits.flatMap((output) => this.relays.get(output) ?? []);
    this.heldBack = [];
    if (active) this.off(relays, "input");
    const ends = this.heldBack;
    this.heldBack = undefined;
    for (const report of [{ is: "input", name, active } as const, ...ends]) this.tell(report);
  }

  private tell(report: Report): void {
    if (this.heldBack) this.heldBack.push(report);
    else this.parts.tell(report);
  }

  private off(relays: readonly Relay[], by: EndedBy): boolean {
    return relays.map((relay) => relay.switchOff(by)).every(Boolean);
  }
}

const STUCK = {
  code: "PIN_FAILED",
  what: "a line could not be switched off; the guard keeps trying",
} as const;

/** A dead man's switch: acts when no sign of life has come for some time. */
export class Lease {
  private heardAt: Millis;
  private cancel: Cancel;

  /** `lapse` is called each time that `length` passes without a sign of life. */
  constructor(
    private readonly length: Millis,
    private readonly clock: Clock,
    private readonly lapse: () => void,
  ) {
    this.heardAt = clock.monotonic();
    this.cancel = this.watch(length);
  }

  renew(): void {
    this.heardAt = this.clock.monotonic();
  }

  close(): void {
    this.cancel();
  }

  private watch(rest: Millis): Cancel {
    return this.clock.after(rest, () => {
      const left = this.length - (this.clock.monotonic() - this.heardAt);
      if (left <= 0) this.lapse();
      this.cancel = this.watch(left > 0 ? millis(left) : this.length);
    });
  }
}

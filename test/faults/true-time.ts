import type { Edge } from "../../drivers/bench/bench-relay.js";
import { hours, minutes, seconds } from "../../drivers/units.js";
import type { Rig } from "../rig.js";

/** A relay that was closed, in true time: milliseconds that no clock of the runtime shows. */
export interface Pulse {
  readonly from: number;
  readonly to: number;
}

const DAY = hours(24);
const LIMIT_ML = 500;
/** Of the bench's pump, by configuration. */
const ML_PER_MS = 1.5 / 1000;
/** Pulses are rounded up to whole milliseconds. */
const ROUNDING_ML = 0.1;

/**
 * Keeps true time beside a rig whose clock is lied to, and what the relays did in it. A clock that claims to be
 * synchronised is right; nobody has to be right about anything else.
 */
export class TrueTime {
  readonly pumped: Pulse[] = [];
  readonly lit: Pulse[] = [];
  /** True time at the start of this boot. */
  private booted = 0;
  /** How far the wall clock is ahead of the true one. */
  private error = 0;
  /** Once a clock that claimed to be right was set, later claims could contradict what was written meanwhile. */
  private credible = true;
  private synchronised = true;

  constructor(
    private readonly rig: Rig,
    private readonly plant: string,
  ) {}

  /** A person or a program sets the wall clock. */
  stepWall(by: number): void {
    this.rig.clock.stepWall(by as never);
    this.error += by;
    if (this.synchronised) this.credible = false;
  }

  /** The process is started anew; the machine runs on. */
  async restart(): Promise<void> {
    await this.halt(() => this.rig.stop());
    await this.rig.open();
  }

  /** The machine was off for `downtime`; a clock that nobody sets afterwards has moved by `claimed` instead. */
  async reboot({ downtime, claimed, synchronised }: Downtime): Promise<void> {
    await this.halt(() => this.rig.stop());
    this.booted += this.rig.clock.monotonic() + downtime;
    this.synchronised = synchronised && this.credible;
    const shown = this.synchronised ? downtime - this.error : claimed;
    this.error += shown - downtime;
    this.rig.clock.reboot({ downtime: shown as never, synchronised: this.synchronised });
    await this.rig.open();
  }

  /** Stops for good. */
  end(): Promise<void> {
    return this.halt(() => this.rig.end());
  }

  /** Notes what the relays did, up to their last edge. */
  private async halt(stop: () => Promise<void>): Promise<void> {
    const { bench } = this.rig;
    await stop();
    this.pumped.push(...this.pulses(bench.pumpEdges(this.plant)));
    this.lit.push(...this.pulses(bench.lightEdges(this.plant)));
  }

  private pulses(edges: readonly Edge[]): Pulse[] {
    const on = edges.filter(({ level }) => level === 1);
    const off = edges.filter(({ level }) => level === 0);
    if (on.length !== off.length) throw new Error("a relay was left on");
    return on.map(({ at }, n) => ({
      from: this.booted + at,
      to: this.booted + (off[n]?.at ?? Number.POSITIVE_INFINITY),
    }));
  }
}

export interface Downtime {
  readonly downtime: number;
  readonly claimed: number;
  readonly synchronised: boolean;
}

/** What the contract forbids and the relays did all the same, as sentences. */
export const broken = ({ pumped, lit }: TrueTime): string[] => [
  ...pumped
    .filter((pulse) => length(pulse) > seconds(26))
    .map(({ from }) => `the pump ran over 26 s at ${from}`),
  ...lit
    .filter((pulse) => length(pulse) > minutes(120))
    .map(({ from }) => `light for over 120 min at ${from}`),
  ...tooMuchWater(pumped),
  ...tooLittleRest(lit),
];

const length = ({ from, to }: Pulse): number => to - from;

/** The fullest window begins where a pulse begins. */
const tooMuchWater = (pumped: readonly Pulse[]): string[] =>
  pumped
    .map(({ from }) => ({ from, ml: mlWithin(pumped, from, from + DAY) }))
    .filter(({ ml }) => ml > LIMIT_ML + ROUNDING_ML)
    .map(({ from, ml }) => `${ml} ml in the 24 h from ${from}`);

const mlWithin = (pumped: readonly Pulse[], start: number, end: number): number =>
  pumped.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)), 0) *
  ML_PER_MS;

const tooLittleRest = (lit: readonly Pulse[]): string[] =>
  lit.flatMap(({ from }, n) => {
    const rest = from - (lit[n - 1]?.to ?? Number.NEGATIVE_INFINITY);
    return rest < minutes(30) ? [`light at ${from} after a rest of ${rest} ms`] : [];
  });

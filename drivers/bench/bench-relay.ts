import { DriverError } from "../errors.js";
import { assertPulse, type Cancel, type Clock, type PulsedOutput, type PulseReport } from "../ports.js";
import { type Millis, millis, plus } from "../units.js";

interface Pulse {
  readonly startedAt: Millis;
  readonly offAt: Millis;
  readonly report: (report: PulseReport) => void;
}

interface BenchRelay {
  /** For messages: "the pump of basil". */
  readonly name: string;
  readonly ceiling: Millis;
  /** Whether the hardware loses track of its pulses: they end in time, but are reported as `unknown`. */
  readonly losesTrack?: () => boolean;
  /** What keeps the relay off now, by name. */
  readonly inhibitor?: () => string | undefined;
  /** Called after every edge; a late caller sees it late, the edge has its own time. */
  readonly onEdge?: () => void;
}

/**
 * A relay with its own one-shot timer. The end of a pulse follows from its start and its duration alone and
 * is worked out whenever somebody looks: a stalled event loop cannot move it.
 */
export class BenchPulse implements PulsedOutput {
  readonly ceiling: Millis;
  private readonly history = new EdgeHistory();
  private running: Pulse | undefined;

  constructor(
    private readonly relay: BenchRelay,
    private readonly clock: Clock,
  ) {
    this.ceiling = relay.ceiling;
  }

  async pulse(duration: Millis, onEdge?: (at: Millis) => void): Promise<PulseReport> {
    this.assertAccepts(duration);
    const startedAt = this.clock.monotonic();
    const over = new Promise<PulseReport>((report) => {
      this.running = { startedAt, offAt: plus(startedAt, duration), report };
    });
    this.record({ level: 1, at: startedAt });
    const cancel = this.settleAfter(duration);
    onEdge?.(startedAt);
    return over.finally(cancel);
  }

  latestEnd(duration: Millis): Millis {
    return duration;
  }

  async end(): Promise<void> {
    this.settle();
    if (this.running) this.switchOff(this.running, this.clock.monotonic(), "ended");
  }

  /** Off at once where an input says so. */
  obeyInputs(): void {
    if (this.relay.inhibitor?.() !== undefined) void this.end();
  }

  isOn(): boolean {
    this.settle();
    return this.running !== undefined;
  }

  /** What an oscilloscope on the relay's contact would have shown, oldest first. */
  get edges(): readonly Edge[] {
    return this.settled.edges;
  }

  /** Every edge up to now. */
  get settled(): EdgeHistory {
    this.settle();
    return this.history;
  }

  /** Every edge that was worked out so far: complete up to the last look at {@link settled}. */
  get known(): EdgeHistory {
    return this.history;
  }

  private assertAccepts(duration: Millis): void {
    const { name, ceiling } = this.relay;
    assertPulse(name, duration, ceiling);
    const inhibitor = this.relay.inhibitor?.();
    if (inhibitor !== undefined)
      throw new DriverError("PULSE_INHIBITED", `${name} is kept off by the ${inhibitor}`);
    if (this.isOn()) throw new DriverError("PULSE_BUSY", `${name} is on already`);
  }

  /** A timer of Node's may fire a little before its time: it is set again then. */
  private settleAfter(duration: Millis): Cancel {
    let cancel: Cancel;
    const wait = (rest: Millis) => {
      cancel = this.clock.after(rest, () => {
        this.settle();
        if (this.running) wait(millis(this.running.offAt - this.clock.monotonic()));
      });
    };
    wait(duration);
    return () => cancel();
  }

  /** Makes up for an end that has passed meanwhile. */
  private settle(): void {
    const { running } = this;
    if (running && this.clock.monotonic() >= running.offAt) this.switchOff(running, running.offAt, "elapsed");
  }

  private switchOff({ startedAt, report }: Pulse, at: Millis, why: "elapsed" | "ended"): void {
    this.running = undefined;
    this.record({ level: 0, at });
    report({
      startedAt,
      onFor: millis(at - startedAt),
      outcome: this.relay.losesTrack?.() ? "unknown" : why,
    });
  }

  private record(edge: Edge): void {
    this.history.record(edge);
    this.relay.onEdge?.();
  }
}

/** A change of a contact, at a monotonic instant. */
export interface Edge {
  readonly level: 0 | 1;
  readonly at: Millis;
}

/** Edges kept; older ones are forgotten. */
export const EDGES_KEPT = 1000;

/** What an oscilloscope on a contact would have shown, as far back as edges are kept. */
export class EdgeHistory {
  private readonly kept: Edge[] = [];

  /** Oldest first; the last {@link EDGES_KEPT}. */
  get edges(): readonly Edge[] {
    return this.kept;
  }

  record(edge: Edge): void {
    this.kept.push(edge);
    if (this.kept.length > EDGES_KEPT) this.kept.shift();
  }

  levelAt(instant: Millis): 0 | 1 {
    for (let i = this.kept.length - 1; i >= 0; i--) {
      const edge = this.kept[i];
      if (edge && edge.at <= instant) return edge.level;
    }
    return 0;
  }

  /** How long the contact was closed between two instants. */
  onTime(from: Millis, to: Millis): Millis {
    let total = 0;
    let until: number = to;
    for (let i = this.kept.length - 1; i >= 0 && until > from; i--) {
      const edge = this.kept[i];
      if (!edge) break;
      if (edge.level === 1) total += Math.max(0, until - Math.max(edge.at, from));
      until = Math.min(until, edge.at);
    }
    return millis(total);
  }

  edgeAfter(instant: Millis): Millis | undefined {
    let found: Millis | undefined;
    for (let i = this.kept.length - 1; i >= 0; i--) {
      const at = this.kept[i]?.at;
      if (at === undefined || at <= instant) break;
      found = at;
    }
    return found;
  }
}

/** The first of some instants, where there is one. */
export function earliest(instants: readonly (Millis | undefined)[]): Millis | undefined {
  const known = instants.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : millis(Math.min(...known));
}

import type { Channel } from "../devices/interlock/device.js";
import type { Clock, SerialLine } from "../ports.js";
import { type Millis, millis } from "../units.js";
import { type Edge, EdgeHistory } from "./edge-history.js";
import { InterlockCore, LEVEL } from "./interlock-core.js";
import type { InterlockMemory } from "./interlock-memory.js";

const CHANNELS = ["pump", "light"] as const satisfies readonly Channel[];
/** As the firmware's ports step, while something is on. */
const STEP = 10;
/** While nothing is: the longest gap that the firmware believes (firmware/core/limits.h, MAX_GAP_MS). */
const IDLE_STEP = 1000;

/** The Pi's relays, which the interlock's contacts are in series with. */
export interface Relays {
  /** Works out every edge up to now. */
  settle(): void;
  /** Whether a relay of this kind was closed; as far as was settled. */
  conducted(channel: Channel, at: Millis): boolean;
  /** The first edge of any of them after an instant; as far as was settled. */
  edgeAfter(instant: Millis): Millis | undefined;
}

/** What can go wrong with it. Nothing set, nothing wrong. */
export interface InterlockFaults {
  /** Of its serial line. The interlock itself lives on. */
  unplugged?: boolean;
  /** Contacts that do not open any more. */
  welded?: Channel | undefined;
  stopPressed?: boolean;
}

/**
 * The firmware on the bench: the same core, in WebAssembly, with two contacts, their feedback, and a serial line. What it
 * did is worked out whenever somebody looks, in its own steps; no timer of this process moves it.
 */
export class BenchInterlock {
  /** The other end is the genuine driver's. */
  readonly line: SerialLine;
  private readonly core = new InterlockCore();
  private readonly contacts = { pump: new EdgeHistory(), light: new EdgeHistory() };
  private readonly trouble: InterlockFaults = {};
  private closed = { pump: false, light: false };
  /** Whole milliseconds of the bench's clock: the last step. */
  private at: number;
  private stepping = false;
  private listener: (bytes: Uint8Array) => void = () => undefined;

  constructor(
    private readonly clock: Pick<Clock, "monotonic">,
    private readonly relays: Relays,
    private readonly memory: InterlockMemory,
  ) {
    this.at = Math.floor(clock.monotonic());
    this.core.start(this.at, memory.load());
    this.step(this.at); // its first words, the status after a start, go out before anybody listens
    this.line = {
      name: "the bench's serial line",
      write: (bytes) => this.hear(bytes),
      onData: (listener) => {
        this.listener = listener;
      },
      close: async () => undefined,
    };
  }

  /** To be set through this, each time: what was before is worked out first. */
  get faults(): InterlockFaults {
    this.catchUp();
    return this.trouble;
  }

  /** What the contact did; one that is welded is closed besides. */
  edges(channel: Channel): readonly Edge[] {
    this.catchUp();
    return this.contacts[channel].edges;
  }

  /** How long the contact was closed between two instants; as far as was caught up with. */
  onTime(channel: Channel, from: Millis, to: Millis): Millis {
    return this.trouble.welded === channel ? millis(to - from) : this.contacts[channel].onTime(from, to);
  }

  isClosed(channel: Channel): boolean {
    this.catchUp();
    return this.closed[channel] || this.trouble.welded === channel;
  }

  edgeAfter(channel: Channel, instant: Millis): Millis | undefined {
    return this.contacts[channel].edgeAfter(instant);
  }

  /** Lives until now. */
  catchUp(): void {
    if (this.stepping) return;
    this.relays.settle();
    this.stepping = true;
    const now = Math.floor(this.clock.monotonic());
    while (this.at < now) this.step(Math.min(now, this.nextStep()));
    this.stepping = false;
  }

  private hear(bytes: Uint8Array): void {
    if (this.trouble.unplugged) return;
    this.catchUp();
    for (const byte of bytes) if (this.core.receive(byte)) this.obey();
  }

  /** The step that carries a line, and one without, as there are many between two lines of a real one. */
  private obey(): void {
    this.step(this.at);
    const { answer } = this.core;
    this.step(this.at);
    // not amid the driver's own words
    void Promise.resolve().then(() => {
      if (!this.trouble.unplugged) this.listener(answer);
    });
  }

  private nextStep(): number {
    const here = millis(this.at);
    const busy = CHANNELS.some((channel) => this.closed[channel] || this.relays.conducted(channel, here));
    if (busy) return this.at + STEP;
    const edge = this.relays.edgeAfter(here) ?? Number.POSITIVE_INFINITY;
    return Math.min(this.at + IDLE_STEP, Math.max(this.at + 1, Math.ceil(edge)));
  }

  private step(at: number): void {
    const out = this.core.step(at, this.levels(millis(at)));
    this.at = at;
    if (out.save) this.memory.save(this.core.image);
    for (const channel of CHANNELS) this.move(channel, out[channel]);
  }

  private move(channel: Channel, closed: boolean): void {
    if (this.closed[channel] === closed) return;
    this.closed = { ...this.closed, [channel]: closed };
    this.contacts[channel].record({ level: closed ? 1 : 0, at: millis(this.at) });
  }

  private levels(at: Millis): number {
    const live = (channel: Channel) =>
      (this.closed[channel] || this.trouble.welded === channel) && this.relays.conducted(channel, at);
    return (
      (live("pump") ? LEVEL.pumpLive : 0) |
      (live("light") ? LEVEL.lightLive : 0) |
      (this.trouble.stopPressed ? LEVEL.stopPressed : 0)
    );
  }
}

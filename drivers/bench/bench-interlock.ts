import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Channel } from "../devices/interlock/device.js";
import { crc16 } from "../devices/interlock/protocol.js";
import type { Clock, SerialLine } from "../ports.js";
import { type Millis, millis } from "../units.js";
import { type Edge, EdgeHistory } from "./bench-relay.js";

const CHANNELS = ["pump", "light"] as const satisfies readonly Channel[];
/** As the firmware's ports step, while something is on. */
const STEP = 10;
/** While nothing is: the longest gap that the firmware believes (firmware/core/limits.h, MAX_GAP_MS). */
const IDLE_STEP = 1000;

/** The Pi's relays, which the interlock's contacts are in series with. */
interface Relays {
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
      write: (bytes) => this.receive(bytes),
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

  private receive(bytes: Uint8Array): void {
    if (this.trouble.unplugged) return;
    this.catchUp();
    for (const byte of bytes) if (this.core.receive(byte)) this.obey();
  }

  /** The step that carries a line, and one without, as there are many between two lines of a real one. */
  private obey(): void {
    this.step(this.at);
    const { answer } = this.core;
    this.step(this.at);
    // not while the driver is still writing
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

/** The firmware's own C, compiled for WebAssembly (firmware/ports/wasm). */
const PROGRAM = new URL("../../../firmware/build/interlock.wasm", import.meta.url);

/** Bits of `levels`, and of what a step returns (firmware/ports/wasm/interlock-wasm.c). */
const LEVEL = { pumpLive: 1, lightLive: 2, stopPressed: 4 } as const;
const OUTPUT = { pump: 1, light: 2, save: 4 } as const;

/** Not asked of the compiler: numbers in, numbers out. */
interface Program {
  readonly memory: { readonly buffer: ArrayBuffer };
  saved(): number;
  saved_size(): number;
  start(now: number, hasSaved: number, faults: number): void;
  receive(byte: number): number;
  step(now: number, levels: number): number;
  answer(): number;
  answer_length(): number;
}

interface StepOutputs {
  readonly pump: boolean;
  readonly light: boolean;
  /** The image has to reach the memory that outlives a power cut. */
  readonly save: boolean;
}

/** The interlock's decisions and its side of the line, stepped by its caller. One controller an instance. */
export class InterlockCore {
  private readonly program = instantiate();

  /** `image`: as it was saved last; undefined where nothing was, which counts as a spent budget. */
  start(now: number, image: Uint8Array | undefined): void {
    if (image) this.bytes(this.program.saved(), this.program.saved_size()).set(image);
    this.program.start(now >>> 0, image ? 1 : 0, 0);
  }

  /** Whether the byte ended a line: step, and read the answer, before the next. */
  receive(byte: number): boolean {
    return this.program.receive(byte) === 1;
  }

  /** `now` in whole milliseconds, any number of them: the controller's clock wraps at 2³². */
  step(now: number, levels: number): StepOutputs {
    const out = this.program.step(now >>> 0, levels);
    return { pump: (out & OUTPUT.pump) > 0, light: (out & OUTPUT.light) > 0, save: (out & OUTPUT.save) > 0 };
  }

  /** What the last step answered; empty where it did not. */
  get answer(): Uint8Array {
    return this.bytes(this.program.answer(), this.program.answer_length()).slice();
  }

  get image(): Uint8Array {
    return this.bytes(this.program.saved(), this.program.saved_size()).slice();
  }

  private bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.program.memory.buffer, at, length);
  }
}

function instantiate(): Program {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(PROGRAM)));
  return exports as unknown as Program;
}

/** Words of the saved image before its CRC: serial, boots, 26 slots, the current one (firmware/core/interlock.h). */
const WORDS = 29;
const WORD = 4;

/** What the bench's interlock keeps over a power cut. */
interface InterlockMemory {
  load(): Uint8Array;
  /** Before the contact closes, so at once. */
  save(image: Uint8Array): void;
}

/** In `interlock.eeprom` of the state folder. A file that was damaged counts as a spent budget, as the firmware has it. */
export function fileMemory(folder: string): InterlockMemory {
  const file = join(folder, "interlock.eeprom");
  return {
    load: () => read(file) ?? unspent(),
    save: (image) => {
      try {
        writeFileSync(`${file}.new`, image, { mode: 0o600 });
        renameSync(`${file}.new`, file);
      } catch {
        // a full disk loses a simulated charge; it must not keep a relay's end from being reported
      }
    },
  };
}

/** Ends with the process. */
export function passingMemory(): InterlockMemory {
  let kept = unspent();
  return {
    load: () => kept,
    save: (image) => {
      kept = image;
    },
  };
}

/** A new bench's interlock has been in service for long, and its pump at rest: one with nothing saved lets no pump on for a day. */
function unspent(): Uint8Array {
  const image = Buffer.alloc((WORDS + 1) * WORD);
  const words = image.subarray(0, WORDS * WORD).toString("latin1");
  image.writeUInt32LE(crc16(words), WORDS * WORD);
  return image;
}

function read(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

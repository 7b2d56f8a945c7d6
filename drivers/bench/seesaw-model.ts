import type { Clock } from "../ports.js";
import { type Counts, type Millis, millis } from "../units.js";
import type { BenchChip } from "./bench-bus.js";

/**
 * The chip of Adafruit's soil sensor, by its guides and libraries, written from there and not from the driver: two bytes
 * name module and function, the answer is there a little later. Hardware ID and touch channel 0; all else answers zeros.
 */

/** The firmware's own time for a touch measurement [Adafruit_seesaw.cpp, touchRead: the first try waits 3,000 µs]. */
const MEASURING = millis(3);
/** A SAMD09. */
const ID = 0x55;
/** What it sends before it is ready: 65535 and nothing else. */
const NOT_READY = 0xff;

interface SeesawParts {
  /** The count at the pad now; undefined where the sensor is unplugged. */
  readonly touch: () => Counts | undefined;
  /** Whether it repeats its last touch reply, whatever it is asked. */
  readonly frozen?: () => boolean;
}

export class SeesawModel implements BenchChip {
  private register = "";
  private readyAt: Millis = millis(0);
  private lastTouch = [0, 0];

  constructor(
    private readonly parts: SeesawParts,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  answers(): boolean {
    return this.parts.touch() !== undefined;
  }

  write(bytes: readonly number[]): void {
    this.register = bytes.slice(0, 2).join("/");
    this.readyAt = millis(this.clock.monotonic() + MEASURING);
  }

  read(length: number): number[] {
    const reply = this.reply();
    return Array.from({ length }, (_, index) => reply[index] ?? 0);
  }

  private reply(): readonly number[] {
    if (this.parts.frozen?.()) return this.lastTouch;
    if (this.register === "0/1") return [ID];
    if (this.register !== "15/16") return [];
    if (this.clock.monotonic() < this.readyAt) return [NOT_READY, NOT_READY];
    const count = this.parts.touch() ?? 0;
    this.lastTouch = [count >> 8, count & 0xff];
    return this.lastTouch;
  }
}

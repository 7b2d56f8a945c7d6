import { accessSync, constants, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RelayLine } from "../guard/relay.js";
import type { Clock } from "../ports.js";
import { type Millis, millis } from "../units.js";
import { retryUntilPermitted } from "./sysfs-lines.js";

/** The trigger that switches a LED on for a time that the kernel keeps [Documentation/leds/ledtrig-transient.rst]. */
const TRIGGER = "transient";
/** Choosing a trigger makes its files anew, for root alone at first. */
const MADE_ANEW = ["ENOENT", "EACCES"];

/**
 * A relay that an overlay has made a LED-class device of, its pulses timed by the kernel: they end although every
 * process of ours is dead. The kernel's timer is coarse (kernel-timer.ts), so it is armed a little beyond the end
 * that the guard itself keeps. The overlay handles active-low relays: here, 1 is always on.
 */
export class LedLine implements RelayLine {
  readonly cutoff = "kernel timer";

  private constructor(private readonly path: string) {}

  /** `path`: /sys/class/leds/NAME. Rejects with what the system says, or with EACCES where udev's rule is missing. */
  static async open(path: string, clock: Pick<Clock, "sleep">): Promise<LedLine> {
    const line = new LedLine(path);
    // takes the trigger away, and with it a timer that may run [led-class.c, brightness_store]
    await retryUntilPermitted(() => line.write("brightness", "0"), clock);
    await retryUntilPermitted(() => line.write("trigger", TRIGGER), clock);
    await retryUntilPermitted(() => accessSync(join(path, "activate"), constants.W_OK), clock, MADE_ANEW);
    return line;
  }

  /** `state` each time: a trigger that was set anew has 0, and would switch the relay on at its end. */
  switchOn(duration: Millis): void {
    if (!existsSync(join(this.path, "activate"))) this.write("trigger", TRIGGER);
    this.write("state", "1");
    this.write("duration", String(Math.ceil(duration + BACKSTOP_MARGIN)));
    this.write("activate", "1");
  }

  /** The trigger stays where it can; where that does not help, brightness 0 is always obeyed. */
  switchOff(): void {
    if (this.isGone()) return;
    this.endTransient();
    if (this.isOn()) this.write("brightness", "0");
  }

  isOn(): boolean {
    return !this.isGone() && readFileSync(join(this.path, "brightness"), "latin1").trim() !== "0";
  }

  close(): void {
    this.switchOff();
  }

  private endTransient(): void {
    try {
      this.write("activate", "0");
    } catch {
      // the trigger is gone, or its files are not ours: what counts is whether the relay is off now
    }
  }

  /** A LED that is taken away is switched off by the kernel [led-class.c, led_classdev_unregister]. */
  private isGone(): boolean {
    return !existsSync(this.path);
  }

  private write(file: string, value: string): void {
    writeFileSync(join(this.path, file), value, { flag: "r+" });
  }
}

/**
 * How long the kernel's timer is armed beyond the end that the guard keeps: more than the guard is ever late, so that
 * the exact end is the guard's.
 */
export const BACKSTOP_MARGIN: Millis = millis(250);
/**
 * The timer wheel groups distant timers: level n begins at 63 · 8ⁿ⁻¹ ticks and rounds up to the next 8ⁿ
 * [kernel/time/timer.c, LVL_START and LVL_GRAN], up to 12.7 % late.
 */
const LATENESS = 8 / 63;

/** The latest time at which the kernel's timer has ended a pulse of `duration`, even when every process is dead. */
export const latestEnd = (duration: Millis): Millis =>
  millis(Math.ceil((duration + BACKSTOP_MARGIN) * (1 + LATENESS)));

/** What the device tree says of a LED-class device: its line on the header's chip, and its polarity. */
export interface LedNode {
  readonly gpio: number;
  readonly activeLow: boolean;
}

/** Third cell of a GPIO specifier: bit 0 says active low [include/dt-bindings/gpio/gpio.h]. */
const GPIO_ACTIVE_LOW = 1;
/** Cells of `gpios`: the chip, the line, the flags; 4 bytes each, big-endian [Devicetree specification 2.2.4]. */
const CELLS = { line: 4, flags: 8, end: 12 } as const;

/** Undefined where the device tree does not tell (a LED that no `gpio-leds` node made). */
export function ledNode(path: string): LedNode | undefined {
  const parent = join(path, "device", "of_node");
  for (const child of childrenOf(parent)) {
    const found = readNode(join(parent, child), path.split("/").at(-1));
    if (found) return found;
  }
  return undefined;
}

function readNode(folder: string, name: string | undefined): LedNode | undefined {
  try {
    if (readFileSync(join(folder, "label"), "latin1").replace(/\0$/, "") !== name) return undefined;
    const cells = readFileSync(join(folder, "gpios"));
    if (cells.length < CELLS.end) return undefined;
    const activeLow = (cells.readUInt32BE(CELLS.flags) & GPIO_ACTIVE_LOW) !== 0;
    return { gpio: cells.readUInt32BE(CELLS.line), activeLow };
  } catch {
    return undefined; // a property of the parent, not a child
  }
}

function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

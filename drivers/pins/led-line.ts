import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RelayLine } from "../guard/relay-line.js";
import { type Millis, millis } from "../units.js";
import { BACKSTOP_MARGIN } from "./kernel-timer.js";

/** The trigger that switches a LED on for a time that the kernel keeps [Documentation/leds/ledtrig-transient.rst]. */
const TRIGGER = "transient";

/**
 * A relay that an overlay has made a LED-class device of, its pulses timed by the kernel: they end although every
 * process of ours is dead. The kernel's timer is coarse (kernel-timer.ts), so it is armed a little beyond the end
 * that the guard itself keeps. Active-low relays are the overlay's business: here, on is on.
 */
export class LedLine implements RelayLine {
  readonly cutoff = "kernel timer";

  /** `path`: /sys/class/leds/NAME. */
  constructor(private readonly path: string) {
    this.write("brightness", "0");
  }

  /** The trigger is chosen anew each time: switching off takes it away. */
  switchOn(duration: Millis): void {
    this.write("trigger", TRIGGER);
    this.write("state", "1");
    this.write("duration", String(millis(Math.ceil(duration + BACKSTOP_MARGIN))));
    this.write("activate", "1");
  }

  /** Writing 0 also removes the trigger, and with it the kernel's timer [drivers/leds/led-class.c, brightness_store]. */
  switchOff(): void {
    if (!this.isGone()) this.write("brightness", "0");
  }

  isOn(): boolean {
    return !this.isGone() && readFileSync(join(this.path, "brightness"), "latin1").trim() !== "0";
  }

  close(): void {
    this.switchOff();
  }

  /** A LED that is taken away is switched off by the kernel [led-class.c, led_classdev_unregister]. */
  private isGone(): boolean {
    return !existsSync(this.path);
  }

  private write(file: string, value: string): void {
    writeFileSync(join(this.path, file), value, { flag: "r+" });
  }
}

import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RelayLine } from "../guard/relay-line.js";
import type { Clock } from "../ports.js";
import type { Millis } from "../units.js";
import { BACKSTOP_MARGIN } from "./kernel-timer.js";
import { onceHandedOver } from "./udev.js";

/** The trigger that switches a LED on for a time that the kernel keeps [Documentation/leds/ledtrig-transient.rst]. */
const TRIGGER = "transient";
/** Choosing a trigger makes its files anew, for root alone at first. */
const MADE_ANEW = ["ENOENT", "EACCES"];

/**
 * A relay that an overlay has made a LED-class device of, its pulses timed by the kernel: they end although every
 * process of ours is dead. The kernel's timer is coarse (kernel-timer.ts), so it is armed a little beyond the end
 * that the guard itself keeps. Active-low relays are the overlay's business: here, on is on.
 */
export class LedLine implements RelayLine {
  readonly cutoff = "kernel timer";

  private constructor(private readonly path: string) {}

  /** `path`: /sys/class/leds/NAME. Rejects with what the system says, or with EACCES where udev's rule is missing. */
  static async open(path: string, clock: Pick<Clock, "sleep">): Promise<LedLine> {
    const line = new LedLine(path);
    // takes the trigger away, and with it a timer that may run [led-class.c, brightness_store]
    await onceHandedOver(() => line.write("brightness", "0"), clock);
    await onceHandedOver(() => line.write("trigger", TRIGGER), clock);
    await onceHandedOver(() => accessSync(join(path, "activate"), constants.W_OK), clock, MADE_ANEW);
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

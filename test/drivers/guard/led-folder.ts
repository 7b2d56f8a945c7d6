import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { type Millis, millis } from "../../../drivers/units.js";

/** A look takes a millisecond, and a timer that is late by little is no busy machine. */
const USUAL = 20;

/**
 * Files that stand for a LED-class device where there is no such kernel: what is written to `activate` can be read as
 * `brightness`. No kernel timer is behind them; test/kernel has the real thing.
 */
export class LedFolder {
  readonly path: string;
  /** How much time the last {@link until} had no turn in: the machine was too busy, or stood still. */
  lost = millis(0);
  private readonly clock = new SystemClock();

  constructor(leds: string, name: string) {
    this.path = join(leds, name);
    if (existsSync(this.path)) return;
    mkdirSync(this.path, { recursive: true });
    writeFileSync(join(this.path, "trigger"), "none timer [transient]");
    writeFileSync(join(this.path, "activate"), "0");
    for (const file of ["state", "duration"]) writeFileSync(join(this.path, file), "");
    symlinkSync("activate", join(this.path, "brightness"));
  }

  isOn(): boolean {
    return readFileSync(join(this.path, "activate"), "latin1").trim() === "1";
  }

  /** How long the kernel's timer was told to wait at the last pulse. */
  get armedFor(): number {
    return Number(readFileSync(join(this.path, "duration"), "latin1"));
  }

  /**
   * Resolves with the monotonic instant at which the relay was made so, by the time of its file: on a busy machine this process may
   * see it much later. Looks every millisecond.
   */
  async until(on: boolean, within: Millis): Promise<Millis> {
    this.lost = millis(0);
    const began = this.clock.monotonic();
    for (let looked = began; this.isOn() !== on; ) {
      if (looked - began > within + this.lost)
        throw new Error(`not ${on ? "on" : "off"} within ${within} ms, and ${this.lost} ms without a turn`);
      await this.clock.sleep(millis(1));
      const now = this.clock.monotonic();
      this.lost = millis(this.lost + Math.max(0, now - looked - USUAL));
      looked = now;
    }
    const written = statSync(join(this.path, "activate")).mtimeMs;
    return millis(this.clock.monotonic() - (this.clock.now() - written));
  }
}

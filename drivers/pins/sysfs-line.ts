import type { Gpio } from "onoff";
import type { RelayLine } from "../guard/relay-line.js";

/**
 * A relay on a plain GPIO line, by sysfs. Nothing ends its pulses but the guard: a line stays as it is when every
 * process is dead, until the service manager's stop step switches it off.
 */
export class SysfsLine implements RelayLine {
  readonly cutoff = "none";
  private readonly pin: Gpio;

  /** `number`: the kernel's own. Opens the line as an output at the level that keeps the relay off. */
  constructor(
    onoff: typeof Gpio,
    private readonly number: number,
    private readonly activeLow: boolean,
  ) {
    // "high" and "low" are levels of the pin, set in one step with the direction [Documentation/admin-guide/gpio/sysfs.rst]
    this.pin = new onoff(number, activeLow ? "high" : "low", "none", { activeLow: false });
    this.assertOpened();
  }

  switchOn(): void {
    this.pin.writeSync(this.level(true));
  }

  switchOff(): void {
    this.pin.writeSync(this.level(false));
  }

  isOn(): boolean {
    return this.pin.readSync() === this.level(true);
  }

  /** The line stays ours and driven: given back, it would float. */
  close(): void {
    this.switchOff();
  }

  private level(on: boolean): 0 | 1 {
    return on === this.activeLow ? 0 : 1;
  }

  /** onoff keeps quiet about a line that it could not set up because it was exported before. */
  private assertOpened(): void {
    this.switchOff();
    if (this.pin.direction() === "out" && !this.pin.activeLow() && !this.isOn()) return;
    throw new Error(`GPIO line ${this.number} could not be set up as an output that is off`);
  }
}

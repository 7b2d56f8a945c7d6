import type { Gpio } from "onoff";
import type { Cancel, Clock, InputPin } from "../ports.js";
import { Debounce, type DebounceTimes } from "./debounce.js";

/** A button or sensor on a plain GPIO line, by sysfs; its edges wake the process. Pull-ups are config.txt's business. */
export class SysfsInput implements InputPin {
  private readonly pin: Gpio;
  private readonly debounce: Debounce;
  private readonly listeners = new Set<(active: boolean) => void>();

  /** `number`: the kernel's own. Active at once if it is found so. */
  constructor(
    onoff: typeof Gpio,
    number: number,
    private readonly activeLow: boolean,
    times: DebounceTimes,
    clock: Clock,
  ) {
    this.pin = new onoff(number, "in", "both", { activeLow: false });
    this.assertOpened(number);
    this.debounce = new Debounce(this.look(), times, clock, this.look.bind(this), (active) => {
      for (const listener of this.listeners) listener(active);
    });
    this.pin.watch(() => this.debounce.edge());
  }

  isActive(): boolean {
    return this.debounce.active;
  }

  watch(listener: (active: boolean) => void): Cancel {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.debounce.cancel();
    this.pin.unexport();
  }

  /** onoff keeps quiet about a line that it could not set up because it was exported before. */
  private assertOpened(number: number): void {
    if (this.pin.direction() === "in" && this.pin.edge() === "both" && !this.pin.activeLow()) return;
    throw new Error(`GPIO line ${number} could not be set up as an input`);
  }

  private look(): boolean {
    return (this.pin.readSync() === 1) !== this.activeLow;
  }
}

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { type Millis, millis } from "../../../drivers/units.js";

/** The label of the Pi 4's own chip, and how many lines of it are on the header (bench.dts has both). */
export const PI_CHIP = "pinctrl-bcm2711";
/** The other chip of bench.dts, to be mistaken for the Pi's. */
export const OTHER_CHIP = "expander";

const GPIO_CLASS = "/sys/class/gpio";
const SIMULATED = "/sys/devices/platform/gpio-sim";
/** How often a level is looked at while waiting. A choice: the kernel inside has one processor, and ticks at 100 Hz. */
const LOOK = millis(2);

export const clock = new SystemClock();

/** Number of a chip's first line in sysfs, by its label. Throws if there is no such chip. */
export function baseOf(label: string): number {
  const chips = readdirSync(GPIO_CLASS).filter((name) => name.startsWith("gpiochip"));
  const chip = chips.find((name) => readFileSync(join(GPIO_CLASS, name, "label"), "utf8").trim() === label);
  if (!chip) throw new Error(`no GPIO chip "${label}" in ${GPIO_CLASS}`);
  return Number(readFileSync(join(GPIO_CLASS, chip, "base"), "utf8"));
}

/** A line as its metal is, whoever drives it and whatever it is called: gpio-sim's own files beside the GPIO interface. */
export class SimLine {
  private readonly folder: string;

  /** `pin`: 0 to 27 of the Pi's chip. */
  constructor(readonly pin: number) {
    this.folder = join(chipFolder(PI_CHIP), `sim_gpio${pin}`);
  }

  /** 1 is high. Of an output what it is driven to, of an input its pull. */
  level(): 0 | 1 {
    return readFileSync(join(this.folder, "value"), "utf8").startsWith("1") ? 1 : 0;
  }

  /** What an input sees from now on; a change is an edge. */
  pull(level: 0 | 1): void {
    writeFileSync(join(this.folder, "pull"), level === 1 ? "pull-up" : "pull-down");
  }

  /** Waits until the line has `level`: the monotonic instant, late by two milliseconds at most. Rejects after `within`. */
  async until(level: 0 | 1, within: Millis): Promise<Millis> {
    const deadline = clock.monotonic() + within;
    while (this.level() !== level) {
      if (clock.monotonic() > deadline)
        throw new Error(`GPIO${this.pin} is ${this.level()} still after ${within} ms`);
      await clock.sleep(LOOK);
    }
    return clock.monotonic();
  }
}

/** The label is in the device tree's node of the chip, ended by a NUL. */
function chipFolder(label: string): string {
  const chips = readdirSync(SIMULATED).filter((name) => name.startsWith("gpiochip"));
  const labelOf = (name: string) =>
    readFileSync(join(SIMULATED, name, "of_node/gpio-sim,label"), "latin1").replace("\0", "");
  const chip = chips.find((name) => labelOf(name) === label);
  if (!chip) throw new Error(`no simulated chip "${label}"`);
  return join(SIMULATED, chip);
}

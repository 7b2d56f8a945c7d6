import type { Gpio } from "onoff";
import { DriverError } from "../errors.js";
import type { Clock, OutputPin } from "../ports.js";
import { exportLine } from "./exported-line.js";
import { loadOnoff } from "./load-onoff.js";
import { pinReason } from "./pin-reason.js";

/** An output of the kernel's sysfs interface, driven low when it is opened. */
export class SysfsOutput implements OutputPin {
  private constructor(
    private readonly gpio: Gpio,
    private readonly name: string,
  ) {}

  /**
   * @param globalNumber as sysfs counts pins, which is not the BCM number @param name for messages: "GPIO 22"
   * @param load in place of the package `onoff` @param root in place of /sys/class/gpio
   * Rejects with PACKAGE_UNAVAILABLE or PIN_FAILED.
   */
  static async open(
    globalNumber: number,
    name: string,
    clock: Pick<Clock, "sleep">,
    load = () => loadOnoff(),
    root?: string,
  ): Promise<SysfsOutput> {
    const onoff = await load();
    try {
      await exportLine(globalNumber, clock, root);
      const gpio = new onoff(globalNumber, "low", "none", { activeLow: false });
      assertOpened(gpio, globalNumber);
      return new SysfsOutput(gpio, name);
    } catch (cause) {
      throw failed(name, "cannot be taken as an output", cause);
    }
  }

  async set(on: boolean): Promise<void> {
    await this.gpio.write(on ? 1 : 0).catch((cause: unknown) => {
      throw failed(this.name, `cannot be switched ${on ? "on" : "off"}`, cause);
    });
  }

  async close(): Promise<void> {
    try {
      await this.set(false);
    } finally {
      this.gpio.unexport();
    }
  }
}

/** onoff keeps quiet about a line that it could not set up because it was exported before. */
function assertOpened(gpio: Gpio, number: number): void {
  gpio.writeSync(0);
  if (gpio.direction() === "out" && !gpio.activeLow() && gpio.readSync() === 0) return;
  throw new Error(`line ${number} could not be set up as an output that is low`);
}

const failed = (name: string, what: string, cause: unknown): DriverError =>
  new DriverError("PIN_FAILED", `${name} ${what} (${pinReason(cause)})`, { cause });

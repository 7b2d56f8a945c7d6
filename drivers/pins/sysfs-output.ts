import type { Gpio } from "onoff";
import { DriverError } from "../errors.js";
import type { OutputPin } from "../ports.js";

/** What of the package `onoff` is used. */
export type LoadOnoff = () => Promise<{
  readonly Gpio: new (gpio: number, direction: "low") => Pick<Gpio, "write" | "unexport">;
}>;

/** An output of the kernel's sysfs interface, driven low when it is opened. */
export class SysfsOutput implements OutputPin {
  private constructor(
    private readonly gpio: Pick<Gpio, "write" | "unexport">,
    private readonly name: string,
  ) {}

  /**
   * @param globalNumber as sysfs counts pins, which is not the BCM number @param name for messages: "GPIO 22"
   * @param load in place of the package `onoff`
   * Rejects with PACKAGE_UNAVAILABLE or PIN_FAILED.
   */
  static async open(
    globalNumber: number,
    name: string,
    load: LoadOnoff = () => import("onoff"),
  ): Promise<SysfsOutput> {
    const { Gpio } = await load().catch((cause: unknown) => {
      const what =
        "the optional package onoff is not installed, or the native part of its epoll was not built";
      throw new DriverError("PACKAGE_UNAVAILABLE", what, { cause });
    });
    try {
      return new SysfsOutput(new Gpio(globalNumber, "low"), name);
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

function failed(name: string, what: string, cause: unknown): DriverError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DriverError("PIN_FAILED", `${name} ${what} (${reason})`, { cause });
}

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Gpio } from "onoff";
import { DriverError } from "../errors.js";
import type { RelayLine } from "../guard/relay.js";
import type { Cancel, Clock, InputPin, OutputPin } from "../ports.js";
import { hasCode, messageOf } from "../system-error.js";
import { millis, seconds } from "../units.js";
import { Debounce, type DebounceTimes } from "./debounce.js";

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

  /** For a line that may float from now on. */
  giveBack(): void {
    this.pin.unexport();
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

/** A button or sensor on a plain GPIO line, by sysfs; its edges wake the process. Pull-ups are set in config.txt. */
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

/** An output of the kernel's sysfs interface, driven low when it is opened. */
export class SysfsOutput implements OutputPin {
  private constructor(
    private readonly line: SysfsLine,
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
      return new SysfsOutput(new SysfsLine(onoff, globalNumber, false), name);
    } catch (cause) {
      throw failed(name, "cannot be taken as an output", cause);
    }
  }

  async set(on: boolean): Promise<void> {
    try {
      if (on) this.line.switchOn();
      else this.line.switchOff();
    } catch (cause) {
      throw failed(this.name, `cannot be switched ${on ? "on" : "off"}`, cause);
    }
  }

  async close(): Promise<void> {
    try {
      await this.set(false);
    } finally {
      this.line.giveBack();
    }
  }
}

const failed = (name: string, what: string, cause: unknown): DriverError =>
  new DriverError("PIN_FAILED", `${name} ${what} (${pinReason(cause)})`, { cause });

const SYSFS_GPIO = "/sys/class/gpio";
/** What onoff writes to [Documentation/admin-guide/gpio/sysfs.rst]. */
const FILES = ["direction", "active_low", "value", "edge"];

/**
 * Exports a line, and waits until its files are ours. onoff does both, but waits without a pause, in which udev can do nothing
 * where there is one processor, and gives up after ten thousand looks, half a second. `number`: the kernel's own. Rejects with
 * what the system says: EBUSY where the line is taken, EACCES where udev's rule is missing.
 */
export async function exportLine(
  number: number,
  clock: Pick<Clock, "sleep">,
  root = SYSFS_GPIO,
): Promise<void> {
  const folder = join(root, `gpio${number}`);
  if (!existsSync(folder)) await retryUntilPermitted(() => tell(join(root, "export"), String(number)), clock);
  // a line without interrupts has no edge
  for (const file of FILES.map((name) => join(folder, name)).filter((path) => existsSync(path)))
    await retryUntilPermitted(() => accessSync(file, constants.W_OK), clock);
}

/** `export` may be written alone, so "r+" is refused, and "w" would make a file where there is none. */
function tell(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

/**
 * The package `onoff`, loaded only where a pin needs it: its addon is native. Rejects with PACKAGE_UNAVAILABLE.
 * @param load in place of the import, which takes the default: the names of CommonJS get lost in a bundle
 */
export async function loadOnoff(
  load: () => Promise<{ readonly Gpio: typeof Gpio }> = async () => (await import("onoff")).default,
): Promise<typeof Gpio> {
  try {
    return (await load()).Gpio;
  } catch (cause) {
    const what = "the optional package onoff is not installed, or the native part of its epoll was not built";
    throw new DriverError("PACKAGE_UNAVAILABLE", what, { cause, facts: { part: "onoff" } });
  }
}

/**
 * The chips that the header's pins belong to: of Pi 0 to 3, of Pi 4, of Pi 5 [raspberrypi/linux, drivers/pinctrl/bcm/
 * pinctrl-bcm2835.c and drivers/pinctrl/pinctrl-rp1.c].
 */
export const HEADER_CHIPS = ["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"];
/** BCM numbers of the 40-pin header. */
export const HEADER_LINES = 28;

/**
 * The kernel's own number of a BCM number. Kernels from 6.6 on no longer count from 0 (512 on most, 569 or 571 on a
 * Pi 5): whoever exports the BCM number itself gets EINVAL. Throws PIN_UNKNOWN or GPIO_MISSING.
 */
export function globalNumber(bcm: number, root = SYSFS_GPIO): number {
  if (!Number.isInteger(bcm) || bcm < 0 || bcm >= HEADER_LINES)
    throw new DriverError("PIN_UNKNOWN", `there is no GPIO ${bcm} on the header`);
  return headerBase(root) + bcm;
}

function headerBase(root: string): number {
  const chips = chipsIn(root);
  const chip = chips.find(({ label }) => HEADER_CHIPS.includes(label));
  if (chip) return chip.base;
  const found = chips.map(({ label }) => label).join(", ") || "no GPIO chip at all";
  throw new DriverError("GPIO_MISSING", `${root} shows no chip of a Raspberry Pi's header (${found})`);
}

function chipsIn(root: string) {
  const read = (chip: string, file: string) => readFileSync(join(root, chip, file), "latin1").trim();
  return namesIn(root)
    .filter((name) => name.startsWith("gpiochip"))
    .map((chip) => ({ label: read(chip, "label"), base: Number(read(chip, "base")) }));
}

function namesIn(root: string): string[] {
  try {
    return readdirSync(root);
  } catch (cause) {
    throw new DriverError("GPIO_MISSING", `${root} cannot be read`, { cause });
  }
}

/**
 * Files that the kernel has just made belong to root until udev hands them to our group: some milliseconds,
 * seconds while a small board boots. A choice: as long as the service waits before its next start.
 */
const TIMEOUT = seconds(5);
const INTERVAL = millis(20);

/**
 * Does `act` as soon as the system lets us: again for five seconds where it says EACCES, or another of `late`. Asleep in between,
 * since on a board with one processor udev has to have its turn. Rejects with what was said last.
 */
export async function retryUntilPermitted<T>(
  act: () => T,
  clock: Pick<Clock, "sleep">,
  late: readonly string[] = ["EACCES"],
): Promise<T> {
  for (let waited = 0; waited < TIMEOUT; waited += INTERVAL) {
    try {
      return act();
    } catch (error) {
      if (!late.some((code) => hasCode(error, code))) throw error;
    }
    await clock.sleep(INTERVAL);
  }
  return act();
}

/** Why a pin could not be opened: the two usual causes in plain words, any other as the system reports it. */
export function pinReason(cause: unknown): string {
  if (hasCode(cause, "EBUSY")) return "EBUSY: its pin is taken, by an overlay or another program";
  if (hasCode(cause, "EACCES"))
    return `${messageOf(cause)}; docs/hardware.md has the groups and the udev rule`;
  return messageOf(cause);
}

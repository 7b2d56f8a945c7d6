import { join } from "node:path";
import { type LedNode, ledNode } from "../../pins/led-line.js";
import { HEADER_CHIPS, HEADER_LINES } from "../../pins/sysfs-lines.js";
import type { Machine } from "./machine.js";

/** Pins of the header that are in use, with their user: "the LED basil-pump". */
export type PinTakers = ReadonlyMap<number, string>;

/** Whether a text has the label of a chip that the header's pins belong to. */
const isHeader = (text = ""): boolean => HEADER_CHIPS.some((label) => text.includes(label));
/** GPIO 10, 9, 11 and the two chip selects [Raspberry Pi documentation, "GPIO": SPI0]. */
const SPI0_PINS = [7, 8, 9, 10, 11];
/** PCM_CLK, PCM_FS, PCM_DIN, PCM_DOUT [as above]. */
const I2S_PINS = [18, 19, 20, 21];

/**
 * What is known of taken pins. The kernel's own list (/sys/kernel/debug/gpio) is root's; the rest anybody may read, and it
 * leaves out programs that use the character device.
 */
export function pinTakers(machine: Machine): PinTakers {
  return new Map([
    ...byBuses(machine),
    ...byDebugList(machine.text("/sys/kernel/debug/gpio") ?? ""),
    ...bySysfs(machine),
    ...byLeds(machine),
  ]);
}

type Taken = [gpio: number, taker: string];

function byBuses(machine: Machine): Taken[] {
  const all = (pins: readonly number[], taker: string): Taken[] => pins.map((pin) => [pin, taker]);
  const has = (folder: string, name: RegExp) => machine.names(folder).some((each) => name.test(each));
  return [
    ...(has("/sys/bus/spi/devices", /^spi0\./) ? all(SPI0_PINS, "SPI (dtparam=spi=on)") : []),
    ...(has("/sys/bus/w1/devices", /^w1_bus_master/) ? all([4], "1-Wire (dtoverlay=w1-gpio)") : []),
    ...(isOn(machine, "i2s") ? all(I2S_PINS, "I²S sound (dtparam=i2s=on)") : []),
  ];
}

/** By the name that the firmware's own device tree gives a part; "okay" is on [Devicetree specification 2.3.4]. */
function isOn(machine: Machine, part: string): boolean {
  const node = machine.text(`/proc/device-tree/aliases/${part}`);
  return node !== undefined && machine.text(`/proc/device-tree${node}/status`) === "okay";
}

/**
 * `gpiochip0: GPIOs 512-569, parent: …, pinctrl-bcm2711:` and ` gpio-529 (GPIO17 |basil-pump ) out lo` [gpiolib.c,
 * gpiolib_dbg_show]. Later kernels say `gpiochip0: 58 GPIOs` and count each chip from 0.
 */
function byDebugList(list: string): Taken[] {
  const chips = list.split(/^(?=gpiochip)/m).filter((chip) => isHeader(chip.split("\n")[0]));
  return chips.flatMap((chip) => {
    const base = Number(/GPIOs (\d+)-/.exec(chip)?.[1] ?? 0);
    const lines = [...chip.matchAll(/^ gpio-(\d+)\s*\([^|)]*\|([^)]+)\)/gm)];
    const taken = lines.map(([, number, user = ""]): Taken => [Number(number) - base, user.trim()]);
    return taken.filter(([gpio, user]) => gpio < HEADER_LINES && user !== "");
  });
}

const SYSFS = "/sys/class/gpio";

function bySysfs(machine: Machine): Taken[] {
  const chips = machine.names(SYSFS).filter((name) => name.startsWith("gpiochip"));
  const header = chips.find((chip) => isHeader(machine.text(join(SYSFS, chip, "label"))));
  if (header === undefined) return [];
  const base = Number(machine.text(join(SYSFS, header, "base")));
  const exported = machine.names(SYSFS).flatMap((name) => /^gpio(\d+)$/.exec(name)?.[1] ?? []);
  const pins = exported.map((number) => Number(number) - base);
  return pins.filter((pin) => pin >= 0 && pin < HEADER_LINES).map((pin) => [pin, "a program, by sysfs"]);
}

const LEDS = "/sys/class/leds";

/** Every LED whose line is of the header: those on the board itself are lines of other chips, or above 27. */
function byLeds(machine: Machine): Taken[] {
  return machine.names(LEDS).flatMap((name): Taken[] => {
    const node = ledNode(machine.path(join(LEDS, name)));
    return node && node.gpio < HEADER_LINES && !isOnBoard(name) ? [[node.gpio, `the LED ${name}`]] : [];
  });
}

/** The board's own: "ACT", "PWR", and "default-on", "mmc0" as older kernels call them. On a Pi 5 their chip counts anew from 0. */
const isOnBoard = (name: string): boolean => /^(ACT|PWR|led[01]|default-on|mmc\d+(::)?)$/.test(name);

/** Pins with another purpose (docs/hardware.md, "Which pins", has the sources). */
const NEVER: ReadonlyMap<number, string> = new Map([
  [0, "it reads a HAT's memory"],
  [1, "it reads a HAT's memory"],
  [2, "it is the I²C bus, with a pull-up on the board"],
  [3, "it is the I²C bus, with a pull-up on the board"],
  [14, "it is the serial port, and goes high while the Pi boots"],
  [15, "it is the serial port, and is high while nothing is sent"],
]);
/** At power-on GPIO 0 to 8 are pulled up, 9 to 27 down [BCM2835 ARM Peripherals, table 6-31; docs/hardware.md]. */
const PULLED_UP_TO = 8;
/** Nothing else uses these (docs/hardware.md, "Which pins"). */
const BEST = { high: [17, 22, 23, 24, 25, 27], low: [5, 6] } as const;

export type Level = "high" | "low";

const levelAtPowerOn = (gpio: number): Level => (gpio <= PULLED_UP_TO ? "high" : "low");

/** Why this pin cannot be used; undefined where it can. `mine`: the LED that belongs to this relay. */
export function pinRefusal(gpio: number, takers: PinTakers, mine?: string): string | undefined {
  if (!Number.isInteger(gpio) || gpio < 0 || gpio >= HEADER_LINES)
    return `there is no GPIO ${gpio} on the header: give the BCM number, 4 to 27, not the number of the pin`;
  const purpose = NEVER.get(gpio);
  if (purpose !== undefined) return `GPIO ${gpio} cannot be used: ${purpose}`;
  const taker = takers.get(gpio);
  if (taker === undefined || (mine !== undefined && [mine, `the LED ${mine}`].includes(taker)))
    return undefined;
  return `GPIO ${gpio} is taken by ${taker}`;
}

/**
 * Why a relay that is on while its pin is `onWhen` must not be at this pin: from power-on until the firmware has read
 * config.txt, some seconds, the pin is at the level of its pull.
 */
export function relayRefusal(
  gpio: number,
  onWhen: Level,
  takers: PinTakers,
  mine?: string,
): string | undefined {
  const refusal = pinRefusal(gpio, takers, mine);
  if (refusal !== undefined || levelAtPowerOn(gpio) !== onWhen) return refusal;
  const better = suitablePins(onWhen, takers).join(", ");
  return `GPIO ${gpio} is pulled ${onWhen} from power-on until the Pi has read config.txt, so this relay would be on meanwhile: take ${better || "a relay of the other kind"}`;
}

/** Pins for a relay that is on while its pin is `onWhen`, the best first; off from power-on, free as far as is known. */
export const suitablePins = (onWhen: Level, takers: PinTakers): readonly number[] =>
  BEST[onWhen].filter((gpio) => pinRefusal(gpio, takers) === undefined);

/** A relay that an overlay has made a LED-class device of. */
export interface RelayLed {
  /** "basil-pump". */
  readonly name: string;
  /** What the device tree says; undefined where it does not tell. */
  readonly node?: LedNode;
}

/** The names that Tendril looks for unless told otherwise (systemd/udev/60-tendril.rules). */
const RELAY = /-(pump|light)$/;

export function relayLeds(machine: Machine): readonly RelayLed[] {
  return machine
    .names(LEDS)
    .filter((name) => RELAY.test(name))
    .map((name) => {
      const node = ledNode(machine.path(join(LEDS, name)));
      return { name, ...(node && { node }) };
    });
}

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputWiring } from "../board.js";
import { LONGEST_PULSE } from "../devices/pump.js";
import { DriverError } from "../errors.js";
import type { LinePlan, OutputPlan } from "../guard/protocol.js";
import type { Load } from "../inputs.js";
import { latestEnd, ledNode } from "../pins/led-line.js";
import { DMA_MARGIN } from "../pins/pigpio-line.js";
import { globalNumber } from "../pins/sysfs-lines.js";
import { type Millis, millis, minutes, plus } from "../units.js";
import { overlayLine } from "./inspect/config-txt.js";

/** Where the kernel shows its LEDs and GPIO lines. */
export interface KernelFolders {
  readonly leds: string;
  readonly gpio: string;
}
export const KERNEL: KernelFolders = { leds: "/sys/class/leds", gpio: "/sys/class/gpio" };

export interface ChosenOutput {
  readonly plan: OutputPlan;
  /** One sentence: how it is driven, and what ends it. */
  readonly explanation: string;
}

/**
 * Picks the way to drive a relay. Throws OUTPUT_UNSAFE where nothing but a process would end a pulse and the owner has
 * not accepted that, OUTPUT_MISMATCH where overlay and configuration disagree, PIN_UNKNOWN, GPIO_MISSING.
 */
export function chooseOutput(
  plant: string,
  load: Load,
  wiring: OutputWiring,
  kernel: KernelFolders = KERNEL,
): ChosenOutput {
  const name = `${plant}-${load}`;
  const { line, how } = choose(name, load, wiring, kernel);
  const plan = { name, ceiling: LONGEST_PULSE[load], line };
  return { plan, explanation: `${name}: ${pinOf(wiring)} ${how}` };
}

/** How long after its beginning the line itself has ended a pulse at the latest; infinite where only a process does. */
export function latestEndBy({ via }: LinePlan): (duration: Millis) => Millis {
  if (via === "led") return latestEnd;
  if (via === "pigpio") return (duration) => plus(duration, DMA_MARGIN);
  return () => millis(Number.POSITIVE_INFINITY);
}

interface Choice {
  readonly line: LinePlan;
  readonly how: string;
}

function choose(name: string, load: Load, wiring: OutputWiring, kernel: KernelFolders): Choice {
  const path = join(kernel.leds, wiring.led);
  if (wiring.via === "pigpio") return byPigpio(name, load, wiring);
  if (wiring.via === "led" || (wiring.via === "auto" && existsSync(path)))
    return byLed(name, load, wiring, path);
  return bySysfs(name, wiring, kernel);
}

function byLed(name: string, load: Load, wiring: OutputWiring, path: string): Choice {
  assertTimed(name, wiring, path);
  assertSame(name, wiring, path);
  const how = `as LED ${wiring.led}; the guard ends each pulse, and where it cannot, the kernel's timer ${atMost(latestEnd(LONGEST_PULSE[load]))}`;
  return { line: { via: "led", path }, how };
}

function assertTimed(name: string, wiring: OutputWiring, path: string): void {
  if (!existsSync(path)) {
    const overlay = overlayLine(wiring);
    throw new DriverError(
      "OUTPUT_UNSAFE",
      `${name}: there is no LED ${wiring.led}; its overlay is ${overlay}`,
    );
  }
  const triggers = readFileSync(join(path, "trigger"), "latin1");
  if (/\btransient\b/.test(triggers)) return;
  const load = "modprobe ledtrig-transient, and name it in /etc/modules-load.d";
  throw new DriverError("OUTPUT_UNSAFE", `${name}: the kernel has no transient trigger (${load})`);
}

/** Polarity matters most: with a wrong one a relay is on while it counts as off, for ever. */
function assertSame(name: string, { led, gpio, activeLow }: OutputWiring, path: string): void {
  const node = ledNode(path);
  if (!node || (node.gpio === gpio && node.activeLow === activeLow)) return;
  const say = (line: number, low: boolean) => `GPIO ${line}, active ${low ? "low" : "high"}`;
  throw new DriverError(
    "OUTPUT_MISMATCH",
    `${name}: LED ${led} is ${say(node.gpio, node.activeLow)}, the configuration says ${say(gpio, activeLow)}`,
  );
}

function byPigpio(name: string, load: Load, { gpio, activeLow }: OutputWiring): Choice {
  if (load === "light")
    throw new DriverError("OUTPUT_UNSAFE", `${name}: pigpio cannot time a pulse of two hours; use via: led`);
  const how = "by pigpio; its DMA ends each pulse in time, even when every process is dead";
  return { line: { via: "pigpio", gpio, activeLow }, how };
}

function bySysfs(name: string, wiring: OutputWiring, { gpio: root }: KernelFolders): Choice {
  const { gpio, activeLow, acceptSoftwareCutoff } = wiring;
  if (!acceptSoftwareCutoff) {
    const overlay = overlayLine(wiring);
    throw new DriverError(
      "OUTPUT_UNSAFE",
      `${name}: on a plain pin only a process ends a pulse; with ${overlay} the kernel ends it`,
    );
  }
  const number = globalNumber(gpio, root);
  const how = `as line ${number} of sysfs; only the guard and the service manager's stop step end a pulse`;
  return { line: { via: "sysfs", number, activeLow }, how };
}

const pinOf = ({ gpio, activeLow }: OutputWiring): string =>
  `GPIO ${gpio}${activeLow ? " (on while low)" : ""}`;

/** In minutes from two minutes on. */
const atMost = (time: Millis): string =>
  time < minutes(2)
    ? `after ${Math.ceil(time / 1000)} s at most`
    : `after ${Math.ceil(time / 60_000)} min at most`;

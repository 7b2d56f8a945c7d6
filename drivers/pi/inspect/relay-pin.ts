import type { PinTakers } from "./pin-takers.js";

/** What a pin is for beside plain switching, which docs/hardware.md, "Which pins", has with its sources. */
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
const LAST = 27;
/** docs/hardware.md, "Which pins": nothing else wants them. */
const BEST = { high: [17, 22, 23, 24, 25, 27], low: [5, 6] } as const;

export type Level = "high" | "low";

export const levelAtPowerOn = (gpio: number): Level => (gpio <= PULLED_UP_TO ? "high" : "low");

/** Why nothing of ours may have this pin; undefined where it may. `mine`: the name of the LED that is this very relay. */
export function pinRefusal(gpio: number, takers: PinTakers, mine?: string): string | undefined {
  if (!Number.isInteger(gpio) || gpio < 0 || gpio > LAST)
    return `there is no GPIO ${gpio} on the header: give the BCM number, 4 to 27, not the number of the pin`;
  const purpose = NEVER.get(gpio);
  if (purpose !== undefined) return `GPIO ${gpio} cannot be had: ${purpose}`;
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
  const better = fitPins(onWhen, takers).join(", ");
  return `GPIO ${gpio} is pulled ${onWhen} from power-on until the Pi has read config.txt, so this relay would be on meanwhile: take ${better || "a relay of the other kind"}`;
}

/** Pins for a relay that is on while its pin is `onWhen`, the best first; off from power-on, free as far as is known. */
export const fitPins = (onWhen: Level, takers: PinTakers): readonly number[] =>
  BEST[onWhen].filter((gpio) => pinRefusal(gpio, takers) === undefined);

import { type Millis, millis } from "../../../drivers/units.js";
import { clock, SimLine } from "./gpio-sim.js";
import { i2c, StubChip, stubBus } from "./stub-chip.js";

/** What the chip is told by its parent. */
export interface Scene {
  /** At input 0, while the probe is fed; the others are at 0 V. */
  readonly volts: number;
  /** The chip still answers, and goes on giving what it would in the range of ±4.096 V. */
  readonly frozen?: boolean;
}

/**
 * Puts life into i2c-stub's ADS1115: as long as it runs, the conversion register follows the config register. A process
 * of its own, for which the driver's waits are the only chance. `node live-chip.js ADDRESS POWER-PIN [VOLTS [PIN...]]`; a parent may change the
 * scene. Each change of a PIN is a line of its own: "GPIO17 1".
 */
const [address, powerPin, volts = 0, ...pins] = process.argv.slice(2).map(Number) as [
  number,
  number,
  ...number[],
];
const chip = new StubChip(i2c.openSync(stubBus()), address);
const power = new SimLine(powerPin);
/** By PGA[2:0], in volts [SBAS444D 9.6.3]. */
const FULL_SCALE = [6.144, 4.096, 2.048, 1.024, 0.512, 0.256, 0.256, 0.256] as const;
/** A conversion takes the driver 9 ms, of which this is a third: more looks would keep all others waiting. */
const LOOK: Millis = millis(3);
/** Pins are looked at each tenth time. */
const WATCH = 10;

let scene: Scene = { volts };
process.on("message", (told: Scene) => {
  scene = told;
  if (scene.frozen) chip.set(0, bytesOf(scene.volts, 4.096));
  process.send?.("done");
});
process.once("disconnect", () => process.exit());
process.send?.("ready");
const watched = pins.map((pin) => ({ line: new SimLine(pin), level: 0 }));
for (let look = 0; ; look++) {
  if (!scene.frozen) chip.set(0, converted(chip.get(1)));
  if (look % WATCH === 0) for (const each of watched) tellChange(each);
  await clock.sleep(LOOK);
}

function tellChange(watched: { readonly line: SimLine; level: number }): void {
  const level = watched.line.level();
  if (level !== watched.level) process.stdout.write(`GPIO${watched.line.pin} ${level}\n`);
  watched.level = level;
}

/** Of one input against GND, in the range that is asked for. */
function converted([config]: readonly [number, number]): [number, number] {
  const channel = ((config >> 4) & 0b111) - 0b100;
  const fullScale = FULL_SCALE[(config >> 1) & 0b111] ?? Number.NaN;
  return bytesOf(channel === 0 && power.level() === 1 ? scene.volts : 0, fullScale);
}

/** The high one first. */
function bytesOf(volts: number, fullScale: number): [number, number] {
  const counts = Math.min(0x7fff, Math.round((volts / fullScale) * 0x8000));
  return [counts >> 8, counts & 0xff];
}

import {
  type Celsius,
  celsius,
  type Hectopascals,
  hectopascals,
  type Percent,
  percent,
} from "../../units.js";
import type { Calibration, RawFigures } from "./registers.js";

/** The formulas in double precision [BST-BME280-DS002, 8.1], with the datasheet's own names and constants. */

export interface Compensated {
  readonly temperature: Celsius;
  /** Relative humidity, 0 to 100. */
  readonly humidity: Percent;
  readonly pressure: Hectopascals;
}

export function compensated(raw: RawFigures, calibration: Calibration): Compensated {
  const fine = fineTemperature(raw.temperature, calibration);
  return {
    temperature: celsius(fine / 5120),
    humidity: percent(humidity(raw.humidity, fine, calibration)),
    pressure: hectopascals(pascals(raw.pressure, fine, calibration) / 100),
  };
}

/** The temperature in 1/5120 °C, by which the two others are corrected: t_fine. */
function fineTemperature(adc: number, { t: [t1, t2, t3] }: Calibration): number {
  const var1 = (adc / 16384 - t1 / 1024) * t2;
  const var2 = (adc / 131072 - t1 / 8192) ** 2 * t3;
  return var1 + var2;
}

/** Not a number where the calibration would divide by zero. */
function pascals(adc: number, fine: number, { p }: Calibration): number {
  const [p1, p2, p3, p4, p5, p6, p7, p8, p9] = p;
  const from = fine / 2 - 64000;
  const offset = ((from * from * p6) / 32768 + from * p5 * 2) / 4 + p4 * 65536;
  const slope = (1 + ((p3 * from * from) / 524288 + p2 * from) / 524288 / 32768) * p1;
  if (slope === 0) return Number.NaN;
  const linear = ((1048576 - adc - offset / 4096) * 6250) / slope;
  return linear + ((p9 * linear * linear) / 2147483648 + (linear * p8) / 32768 + p7) / 16;
}

/** Held within 0 and 100, as the datasheet does: the chip is allowed to be some percent wrong at either end. */
function humidity(adc: number, fine: number, { h: [h1, h2, h3, h4, h5, h6] }: Calibration): number {
  const from = fine - 76800;
  const offset = h4 * 64 + (h5 / 16384) * from;
  const slope = (h2 / 65536) * (1 + (h6 / 67108864) * from * (1 + (h3 / 67108864) * from));
  const linear = (adc - offset) * slope;
  return Math.max(0, Math.min(100, linear * (1 - (h1 * linear) / 524288)));
}

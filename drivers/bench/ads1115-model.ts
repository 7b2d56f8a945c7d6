import type { Clock } from "../ports.js";
import { type Millis, millis, type Volts } from "../units.js";
import type { BenchChip } from "./bench-bus.js";

/**
 * The ADS1115 as its datasheet (TI SBAS444D) describes it, written from there and not from the driver, so that a
 * mistake of one is not a mistake of both. Single-shot mode with all inputs, ranges and rates; continuous mode and
 * the comparator, which nothing here uses, are left out.
 */

/** Voltage at a pin against GND. */
export type Pins = (pin: 0 | 1 | 2 | 3) => Volts;

const [CONVERSION, CONFIG] = [0, 1];
/** Conversion, Config, Lo_thresh, Hi_thresh after power-up [9.6, table 6]. */
const AT_POWER_UP = [0x0000, 0x8583, 0x8000, 0x7fff];
/** AINP and AINN by MUX[2:0] [9.6.3, table 8]. */
const INPUTS = [[0, 1], [0, 3], [1, 3], [2, 3], [0], [1], [2], [3]] as const;
/** Full scale by PGA[2:0], volts [9.6.3, table 8]. */
const FULL_SCALE = [6.144, 4.096, 2.048, 1.024, 0.512, 0.256, 0.256, 0.256];
/** Samples a second by DR[2:0] [9.6.3, table 8]. */
const RATE = [8, 16, 32, 64, 128, 250, 475, 860];
/** The slowest oscillator that the datasheet allows [7.5]. */
const SLOWEST = 0.9;

export class Ads1115Model implements BenchChip {
  private readonly registers = [...AT_POWER_UP];
  private conversion: { readonly config: number; readonly doneAt: Millis } | undefined;

  constructor(
    private readonly pins: Pins,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  write([pointer, high = 0, low = 0]: readonly [number, ...number[]]): void {
    this.finish();
    const register = pointer & 0b11;
    if (register === CONVERSION) return;
    this.registers[register] = (high << 8) | low;
    if (register === CONFIG) this.start((high << 8) | low);
  }

  read(pointer: number): readonly [number, number] {
    this.finish();
    const word = (pointer & 0b11) === CONFIG ? this.status() : (this.registers[pointer & 0b11] ?? 0);
    return [word >> 8, word & 0xff];
  }

  /** Bit 15 starts a conversion, unless one is running [9.6.3]; bit 8 is single-shot mode. */
  private start(config: number): void {
    if (this.conversion || !(config & 0x8000) || !(config & 0x0100)) return;
    const rate = (RATE[(config >> 5) & 0b111] ?? Number.NaN) * SLOWEST;
    this.conversion = { config, doneAt: millis(this.clock.monotonic() + 1000 / rate) };
  }

  private finish(): void {
    if (!this.conversion || this.clock.monotonic() < this.conversion.doneAt) return;
    this.registers[CONVERSION] = this.convert(this.conversion.config) & 0xffff;
    this.conversion = undefined;
  }

  /** Bit 15 reads 0 while converting. */
  private status(): number {
    return ((this.registers[CONFIG] ?? 0) & 0x7fff) | (this.conversion ? 0 : 0x8000);
  }

  /** Beyond full scale the result stays at its end [9.5.4]. */
  private convert(config: number): number {
    const [positive, negative] = INPUTS[(config >> 12) & 0b111] ?? [0];
    const difference = this.pins(positive) - (negative === undefined ? 0 : this.pins(negative));
    const counts = Math.round((difference / (FULL_SCALE[(config >> 9) & 0b111] ?? Number.NaN)) * 0x8000);
    return Math.max(-0x8000, Math.min(0x7fff, counts));
  }
}

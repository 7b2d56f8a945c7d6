import type { Clock } from "../ports.js";
import { type Millis, millis, type Volts } from "../units.js";
import type { BenchChip } from "./bench-bus.js";

/**
 * The ADS1115 and the ADS1015 as their datasheets (TI SBAS444D, SBAS473E) describe them, written from there and not from
 * the driver, so that a mistake of one is not a mistake of both. Single-shot mode with all inputs, ranges and rates;
 * continuous mode and the comparator, which nothing here uses, are left out.
 */

/** Voltage at a pin against GND. */
type Pins = (pin: 0 | 1 | 2 | 3) => Volts;

const [CONVERSION, CONFIG] = [0, 1];
/** Conversion, Config, Lo_thresh, Hi_thresh after power-up [9.6, table 6], the same in both. */
const AT_POWER_UP = [0x0000, 0x8583, 0x8000, 0x7fff];
/** AINP and AINN by MUX[2:0] [9.6.3, table 8]. */
const INPUTS = [[0, 1], [0, 3], [1, 3], [2, 3], [0], [1], [2], [3]] as const;
/** Full scale by PGA[2:0], volts [9.6.3, table 8]. */
const FULL_SCALE = [6.144, 4.096, 2.048, 1.024, 0.512, 0.256, 0.256, 0.256];
/** Bits of a result, and samples a second by DR[2:0] [9.6.3, table 8; SBAS473E 8.6.3]. */
const MODELS = {
  ads1115: { bits: 16, rates: [8, 16, 32, 64, 128, 250, 475, 860] },
  ads1015: { bits: 12, rates: [128, 250, 490, 920, 1600, 2400, 3300, 3300] },
} as const;
/** The slowest oscillator that the datasheet allows [7.5]. */
const SLOWEST = 0.9;

interface AdsModelOptions {
  readonly model?: keyof typeof MODELS;
  /** Whether its converter stands still: it takes orders and answers, and the result stays as it is. */
  readonly frozen?: () => boolean;
}

export class Ads1115Model implements BenchChip {
  private readonly registers = [...AT_POWER_UP];
  private readonly model: (typeof MODELS)[keyof typeof MODELS];
  private readonly frozen: () => boolean;
  private pointer = CONVERSION;
  private conversion: { readonly config: number; readonly doneAt: Millis } | undefined;

  constructor(
    private readonly pins: Pins,
    private readonly clock: Pick<Clock, "monotonic">,
    { model = "ads1115", frozen = () => false }: AdsModelOptions = {},
  ) {
    this.model = MODELS[model];
    this.frozen = frozen;
  }

  /** The first byte is the pointer, the two that may follow are the register's, high byte first [9.5.3]. */
  write([pointer = 0, high, low = 0]: readonly number[]): void {
    this.finish();
    this.pointer = pointer & 0b11;
    if (high === undefined || this.pointer === CONVERSION) return;
    this.registers[this.pointer] = (high << 8) | low;
    if (this.pointer === CONFIG) this.start((high << 8) | low);
  }

  /** The register at the pointer, high byte first; over again where more is asked for, of which the datasheet says nothing. */
  read(length: number): number[] {
    this.finish();
    const word = this.pointer === CONFIG ? this.status() : (this.registers[this.pointer] ?? 0);
    return Array.from({ length }, (_, index) => (index % 2 === 0 ? word >> 8 : word & 0xff));
  }

  /** Bit 15 starts a conversion, unless one is running [9.6.3]; bit 8 is single-shot mode. */
  private start(config: number): void {
    if (this.conversion || !(config & 0x8000) || !(config & 0x0100)) return;
    const rate = (this.model.rates[(config >> 5) & 0b111] ?? Number.NaN) * SLOWEST;
    this.conversion = { config, doneAt: millis(this.clock.monotonic() + 1000 / rate) };
  }

  private finish(): void {
    if (!this.conversion || this.clock.monotonic() < this.conversion.doneAt) return;
    if (!this.frozen()) this.registers[CONVERSION] = this.convert(this.conversion.config) & 0xffff;
    this.conversion = undefined;
  }

  /** Bit 15 reads 0 while converting. */
  private status(): number {
    return ((this.registers[CONFIG] ?? 0) & 0x7fff) | (this.conversion ? 0 : 0x8000);
  }

  /** Beyond full scale the result stays at its end [9.5.4]. Fewer than 16 bits are left-justified [SBAS473E 8.5.4]. */
  private convert(config: number): number {
    const [positive, negative] = INPUTS[(config >> 12) & 0b111] ?? [0];
    const difference = this.pins(positive) - (negative === undefined ? 0 : this.pins(negative));
    const full = 2 ** (this.model.bits - 1);
    const result = Math.round((difference / (FULL_SCALE[(config >> 9) & 0b111] ?? Number.NaN)) * full);
    return Math.max(-full, Math.min(full - 1, result)) << (16 - this.model.bits);
  }
}

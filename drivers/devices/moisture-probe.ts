import type { Ads1115 } from "../chips/ads1115/ads1115.js";
import type { Channel } from "../chips/ads1115/registers.js";
import { DriverError } from "../errors.js";
import { type Counts, counts, type Percent, type Volts, volts } from "../units.js";

/** What the probe reads at the ends of its span. Their order is the polarity: a capacitive probe reads higher when drier. */
export interface Calibration {
  readonly dry: Volts;
  readonly wet: Volts;
}

export interface ProbeWiring {
  readonly channel: Channel;
  readonly calibration: Calibration;
}

export interface MoistureReading {
  /** Median of the conversions. */
  readonly raw: Counts;
  readonly volts: Volts;
  /** 0 = as dry as calibrated, 100 = as wet; one decimal, not clipped. */
  readonly percent: Percent;
  /** Three robust standard deviations of the conversions (median absolute deviation), at least 1. */
  readonly noise: Counts;
}

/** An odd number, so that the median is a value the ADC gave. */
const CONVERSIONS = 5;
/** A voltage may leave the calibrated span by a quarter of it: a probe drifts, and calibrations are made by eye. */
const MARGIN = 0.25;
/** The sampling capacitors of the ADS1115 rest at about 0.7 V [SBAS444D 9.3.2]: an input with nothing on it reads that, or less. */
const OPEN_INPUT = volts(0.8);
/** A probe on 3.3 V cannot give its own supply: its output is shorted to it, or its ground is missing. */
const SUPPLY_RAIL = volts(3.2);
/** Conversions milliseconds apart differ by millivolts in soil; a tenth of the span is hum on a loose wire. */
const ABSURD_SPREAD = 0.1;

/** A soil probe on one input of an ADS1115, its supply 3.3 V. */
export class MoistureProbe {
  constructor(
    private readonly adc: Ads1115,
    private readonly wiring: ProbeWiring,
  ) {}

  /**
   * Takes about 50 ms. Rejects with what the ADC says (BUS_NACK and others), with PROBE_DISCONNECTED for a voltage
   * outside the calibrated span that an open input or a rail gives, with PROBE_IMPLAUSIBLE for any other outside it
   * or for conversions that disagree. An open input can be told only where the span keeps clear of 0.8 V.
   */
  async read(): Promise<MoistureReading> {
    const values: Counts[] = [];
    while (values.length < CONVERSIONS) values.push(await this.adc.readCounts(this.wiring.channel));
    const raw = median(values);
    const level = this.adc.toVolts(raw);
    this.assertInSpan(level);
    this.assertAgree(this.adc.toVolts(counts(Math.max(...values) - Math.min(...values))));
    return { raw, volts: level, percent: percentOf(level, this.wiring.calibration), noise: spread(values) };
  }

  private assertInSpan(level: Volts): void {
    const { dry, wet } = this.wiring.calibration;
    const margin = this.span * MARGIN;
    if (level >= Math.min(dry, wet) - margin && level <= Math.max(dry, wet) + margin) return;
    const reads = `the ${this} reads ${level.toFixed(3)} V where ${wet} V is wet and ${dry} V dry`;
    if (level <= OPEN_INPUT) throw new DriverError("PROBE_DISCONNECTED", `${reads}, as an open input does`);
    if (level >= SUPPLY_RAIL)
      throw new DriverError("PROBE_DISCONNECTED", `${reads}, as the bare supply does`);
    throw new DriverError("PROBE_IMPLAUSIBLE", reads);
  }

  private assertAgree(range: Volts): void {
    if (range <= this.span * ABSURD_SPREAD) return;
    throw new DriverError(
      "PROBE_IMPLAUSIBLE",
      `conversions of the ${this} taken at once differ by ${range.toFixed(3)} V`,
    );
  }

  private get span(): number {
    return Math.abs(this.wiring.calibration.dry - this.wiring.calibration.wet);
  }

  /** Where it is, for messages. */
  toString(): string {
    return `probe on AIN${this.wiring.channel} of the ${this.adc}`;
  }
}

/** Where a voltage lies in the calibrated span: 0 = dry, 100 = wet; one decimal, not clipped. */
export const percentOf = (level: Volts, { dry, wet }: Calibration): Percent =>
  (Math.round((1000 * (level - dry)) / (wet - dry)) / 10) as Percent;

/** Of an odd number of values. */
function median(values: readonly Counts[]): Counts {
  const [middle] = values.toSorted((a, b) => a - b).slice(values.length >> 1);
  return middle ?? counts(Number.NaN);
}

/**
 * 1.4826 × the median absolute deviation estimates the standard deviation of normal noise and ignores outliers
 * (Rousseeuw and Croux 1993); three of them hold 99.7 %.
 */
function spread(values: readonly Counts[]): Counts {
  const centre = median(values);
  const deviation = median(values.map((value) => counts(Math.abs(value - centre))));
  return counts(Math.max(1, Math.ceil(3 * 1.4826 * deviation)));
}

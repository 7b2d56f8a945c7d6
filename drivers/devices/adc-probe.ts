import { type Ads1115, type Channel, type Range, scaleBetween, toVolts } from "../chips/ads1115.js";
import { DriverError } from "../errors.js";
import { type Counts, seconds, type Volts, volts } from "../units.js";
import { fed, type ProbePower } from "./probe-supply.js";
import {
  type Calibration,
  isAbsurd,
  isInSpan,
  levelOf,
  type MoistureReading,
  type ProbeLevel,
  readingOf,
  type SoilProbe,
  takeConversions,
} from "./soil-probe.js";

export interface ProbeWiring {
  readonly channel: Channel;
  readonly calibration: Calibration<Volts>;
}

/** The sampling capacitors of the ADS1115 rest at about 0.7 V [SBAS444D 9.3.2]: an input with nothing on it reads that, or less. */
const OPEN_INPUT = volts(0.8);
/** A probe on 3.3 V cannot give its own supply: its output is shorted to it, or its ground is missing. */
const SUPPLY_RAIL = volts(3.2);

/** Covers a probe on 3.3 V. */
const RANGE: Range = "±4.096 V";
/** The same voltage gives two thirds of the counts here; the two ranges' gains match within 0.1 % [SBAS444D 7.5]. */
const OTHER_RANGE: Range = "±6.144 V";
const LIVE_RATIO = scaleBetween(RANGE, OTHER_RANGE);
/** A frozen chip repeats its counts, a ratio of 1: the line is drawn half-way between, which leaves noise a quarter of the level. */
const RATIO_MARGIN = (1 - LIVE_RATIO) / 2;
/** Below it, offsets and hum would decide (a choice; an ADS1015 has 33 steps there, three of which are its offset). */
const LEAST_PROOF = volts(0.1);

/**
 * The output of a capacitive probe is a rectified oscillation on a capacitor. Without supply it falls to what an open input
 * reads, by way of some megohm: about a second with 1 µF. Thirty times that (a choice); a probe that still holds its level
 * then could not follow its soil either.
 */
const DISCHARGE = seconds(30);

/** A soil probe on one input of an ADS1115 or ADS1015, its supply 3.3 V. */
export class AdcProbe implements SoilProbe {
  /** `power`: without it, the probe is fed all the time. */
  constructor(
    private readonly adc: Ads1115,
    private readonly wiring: ProbeWiring,
    private readonly power?: ProbePower,
  ) {}

  /**
   * Takes about 60 ms, and the supply's settling time. Rejects with what the ADC says (BUS_NACK and others), with PIN_FAILED,
   * with PROBE_DISCONNECTED for a voltage outside the calibrated span that an open input or a rail gives, with
   * PROBE_IMPLAUSIBLE for any other outside it or for conversions that disagree, with PROBE_STUCK for a chip that does not
   * measure and a probe that does not need its supply. An open input can be told only where the span keeps clear of 0.8 V.
   */
  async read(): Promise<MoistureReading> {
    if (!this.power) return this.reading();
    const { supply, settle } = this.power;
    const idle = await supply.whileOff(DISCHARGE, () => this.adc.readCounts(this.wiring.channel, RANGE));
    const reading = await supply.powered(settle, () => this.reading());
    if (idle !== undefined) this.assertNeedsSupply(idle, reading.raw);
    return reading;
  }

  async measure(): Promise<ProbeLevel> {
    const { values, other } = await fed(this.power, () => this.convert());
    const measured = levelOf(values, "V", inVolts);
    this.assertMeasures(measured.raw, other);
    const { level } = measured;
    const resembles = level <= OPEN_INPUT ? "open input" : level >= SUPPLY_RAIL ? "supply" : undefined;
    return { ...measured, ...(resembles && { resembles }) };
  }

  private async reading(): Promise<MoistureReading> {
    const { values, other } = await this.convert();
    const measured = levelOf(values, "V", inVolts);
    this.assertInSpan(measured.level);
    const { calibration } = this.wiring;
    const reading = readingOf(values, measured, { calibration, step: this.adc.step, name: `${this}` });
    this.assertMeasures(measured.raw, other);
    return reading;
  }

  /** `other`: the same input in the other range. */
  private async convert(): Promise<{ readonly values: Counts[]; readonly other: Counts }> {
    const { channel } = this.wiring;
    const values = await takeConversions(() => this.adc.readCounts(channel, RANGE));
    return { values, other: await this.adc.readCounts(channel, OTHER_RANGE) };
  }

  private assertInSpan(level: Volts): void {
    const { calibration } = this.wiring;
    if (isInSpan(level, calibration)) return;
    const reads = `the ${this} reads ${level.toFixed(3)} V where ${calibration.wet} V is wet and ${calibration.dry} V dry`;
    if (level <= OPEN_INPUT) throw new DriverError("PROBE_DISCONNECTED", `${reads}, as an open input does`);
    if (level >= SUPPLY_RAIL)
      throw new DriverError("PROBE_DISCONNECTED", `${reads}, as the bare supply does`);
    throw new DriverError("PROBE_IMPLAUSIBLE", reads);
  }

  /**
   * A frozen chip, or a bus that repeats its bytes, gives the same counts in either range. Soil may be steady for days, so
   * that an unchanged value proves nothing. Looked at with every reading: water hangs on it, and it costs 9 ms.
   */
  private assertMeasures(raw: Counts, other: Counts): void {
    if (inVolts(raw) < LEAST_PROOF) return;
    if (Math.abs(other / raw - LIVE_RATIO) < RATIO_MARGIN) return;
    const what = `the ${this.adc} gives ${raw} counts at ${RANGE} and ${other} at ${OTHER_RANGE} for the same input`;
    throw new DriverError("PROBE_STUCK", `${what}: it does not measure`);
  }

  /** A level that an open input may have as well proves nothing. */
  private assertNeedsSupply(idle: Counts, raw: Counts): void {
    const [without, with_] = [inVolts(idle), inVolts(raw)];
    const isApart = isAbsurd(Math.abs(with_ - without), this.wiring.calibration);
    if (isApart || with_ <= OPEN_INPUT) return;
    const what = `the ${this} reads ${with_.toFixed(3)} V with its supply and ${without.toFixed(3)} V without`;
    throw new DriverError("PROBE_STUCK", what);
  }

  toString(): string {
    return `probe on AIN${this.wiring.channel} of the ${this.adc}`;
  }
}

const inVolts = (raw: Counts): Volts => toVolts(raw, RANGE);

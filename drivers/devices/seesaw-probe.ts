import type { Seesaw } from "../chips/seesaw.js";
import { DriverError } from "../errors.js";
import { type Counts, counts } from "../units.js";
import { fed, type ProbePower } from "./probe-supply.js";
import {
  type Calibration,
  isInSpan,
  levelOf,
  type MoistureReading,
  type ProbeLevel,
  readingOf,
  type SoilProbe,
  takeConversions,
} from "./soil-probe.js";

/** The sensor gives whole counts. */
const STEP = counts(1);

/** Adafruit's STEMMA soil sensor. Its level is its count. */
export class SeesawProbe implements SoilProbe {
  /** `power`: without it, the sensor is fed all the time. */
  constructor(
    private readonly chip: Seesaw,
    private readonly calibration: Calibration<Counts>,
    private readonly power?: ProbePower,
  ) {}

  /**
   * Takes about 40 ms, and the supply's settling time. Rejects with what the chip says (BUS_NACK where it is unplugged, and
   * others), with PIN_FAILED, with PROBE_IMPLAUSIBLE for a count outside the calibrated span or for counts that disagree, with
   * PROBE_STUCK for a chip that does not know its own kind. A pad whose count stands still while its chip answers cannot be
   * told from steady soil.
   */
  async read(): Promise<MoistureReading> {
    const values = await fed(this.power, () => this.count());
    const measured = countOf(values);
    this.assertInSpan(measured.raw);
    return readingOf(values, measured, { calibration: this.calibration, step: STEP, name: `${this}` });
  }

  async measure(): Promise<ProbeLevel> {
    return countOf(await fed(this.power, () => this.count()));
  }

  private async count(): Promise<Counts[]> {
    const values = await takeConversions(() => this.chip.readCount());
    await this.assertAnswers();
    return values;
  }

  /** A bus that repeats its bytes gives the count's for the ID's. Asked with every reading: water hangs on it, and it costs 5 ms. */
  private async assertAnswers(): Promise<void> {
    if (await this.chip.isSeesaw()) return;
    throw new DriverError(
      "PROBE_STUCK",
      `the ${this.chip} does not answer as a seesaw does when asked what it is`,
    );
  }

  private assertInSpan(raw: Counts): void {
    if (isInSpan(raw, this.calibration)) return;
    const { dry, wet } = this.calibration;
    throw new DriverError("PROBE_IMPLAUSIBLE", `the ${this} reads ${raw} where ${wet} is wet and ${dry} dry`);
  }

  toString(): string {
    return `probe in the ${this.chip}`;
  }
}

/** Its level is its count. */
const countOf = (values: readonly Counts[]): ProbeLevel => levelOf(values, "counts", (raw) => raw);

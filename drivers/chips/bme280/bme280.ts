import { DriverError } from "../../errors.js";
import type { Clock, I2cBus } from "../../ports.js";
import { Turns } from "../../turns.js";
import { millis } from "../../units.js";
import { type Compensated, compensated } from "./compensation.js";
import {
  CALIBRATION_LENGTH,
  type Calibration,
  COPYING_CALIBRATION,
  calibrationOf,
  FORCED,
  HUMIDITY_CALIBRATION_LENGTH,
  HUMIDITY_ONCE,
  ID,
  isBlank,
  LONGEST_MEASUREMENT,
  MEASURING,
  MODE,
  NOT_MEASURED,
  type RawFigures,
  REGISTER,
  RELATIVES,
  REST_ONCE,
  RESULT_LENGTH,
  resultOf,
  SOFT_RESET,
  START_UP,
} from "./registers.js";

/** A chip that is not ready in its longest time is asked this often before it counts as stuck. */
const POLLS = 10;
const POLL_INTERVAL = millis(1);

/**
 * A BME280, one measurement at a time. Each measurement asks the chip who it is, resets it and reads its calibration: a minute
 * is long, and so a chip that was exchanged, or lost its supply, is as good as a new one. The reset also empties the
 * registers, so a figure is never that of an earlier measurement.
 */
export class Bme280 {
  /** [1.1 to 1.4: operating ranges] */
  readonly range = { temperature: [-40, 85], humidity: [0, 100], pressure: [300, 1100] } as const;
  private readonly turns = new Turns();
  /** Whether it has said its id: a chip that then says another repeats its last bytes. */
  private wasKnown = false;

  /** `address`: 0x76 or 0x77. */
  constructor(
    private readonly bus: I2cBus,
    readonly address: number,
    private readonly clock: Pick<Clock, "sleep">,
  ) {}

  /**
   * Takes about 15 ms. Rejects with BUS_NACK, BUS_TIMEOUT or BUS_FAILED; with SENSOR_UNKNOWN for a chip of another kind, with
   * SENSOR_STUCK for one that has stopped measuring, with SENSOR_IMPLAUSIBLE for a calibration that no factory has written.
   */
  measure(): Promise<Compensated> {
    return this.turns.run(async () => {
      await this.assertKind();
      await this.reset();
      const calibration = await this.calibration();
      return compensated(await this.convert(), calibration);
    });
  }

  /** What the register `id` says. */
  async id(): Promise<number> {
    return (await this.read(REGISTER.id, 1))[0] ?? 0;
  }

  /** Where it is, for messages. */
  toString(): string {
    return `BME280 at ${hex(this.address)} on ${this.bus.name}`;
  }

  private async assertKind(): Promise<void> {
    const id = await this.id();
    if (id === ID) {
      this.wasKnown = true;
      return;
    }
    if (this.wasKnown) throw this.stuck("does not know its own kind any more");
    const name = RELATIVES[id];
    const what = name ? `is a ${name} (id ${hex(id)})` : `says id ${hex(id)}`;
    throw new DriverError("SENSOR_UNKNOWN", `the ${this} ${what}, a BME280 says ${hex(ID)}`);
  }

  private async reset(): Promise<void> {
    await this.bus.write(this.address, [REGISTER.reset, SOFT_RESET]);
    await this.clock.sleep(START_UP);
    await this.poll("was still reading its calibration", async () => {
      const [status = 0] = await this.read(REGISTER.status, 1);
      return (status & COPYING_CALIBRATION) === 0 || undefined;
    });
  }

  private async calibration(): Promise<Calibration> {
    const main = await this.read(REGISTER.calibration, CALIBRATION_LENGTH);
    const humidity = await this.read(REGISTER.humidityCalibration, HUMIDITY_CALIBRATION_LENGTH);
    if (!isBlank(main) && !isBlank(humidity)) return calibrationOf(main, humidity);
    throw new DriverError("SENSOR_IMPLAUSIBLE", `the calibration in the ${this} is blank`);
  }

  private async convert(): Promise<RawFigures> {
    const start = [REGISTER.ctrlHum, HUMIDITY_ONCE, REGISTER.ctrlMeas, REST_ONCE | FORCED];
    await this.bus.write(this.address, start);
    await this.clock.sleep(LONGEST_MEASUREMENT);
    return this.poll("was still measuring", async () => {
      const result = resultOf(await this.read(REGISTER.ctrlHum, RESULT_LENGTH));
      if ((result.status & MEASURING) !== 0 || (result.ctrlMeas & MODE) !== 0) return undefined;
      this.assertMeasured(result);
      return result.raw;
    });
  }

  /** A dip of the supply resets the chip: it would measure nothing, or without humidity. */
  private assertMeasured({ ctrlHum, ctrlMeas, raw }: ReturnType<typeof resultOf>): void {
    const isKept = ctrlHum === HUMIDITY_ONCE && ctrlMeas === REST_ONCE;
    const isNew = (Object.keys(raw) as (keyof RawFigures)[]).every(
      (each) => raw[each] !== NOT_MEASURED[each],
    );
    if (isKept && isNew) return;
    throw this.stuck("has not measured what it was told to");
  }

  private async poll<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    for (let poll = 0; poll < POLLS; poll += 1) {
      const seen = await look();
      if (seen !== undefined) return seen;
      await this.clock.sleep(POLL_INTERVAL);
    }
    throw this.stuck(`${what} when it had to be ready`);
  }

  private stuck(how: string): DriverError {
    return new DriverError("SENSOR_STUCK", `the ${this} ${how}`);
  }

  /** The chip goes on to the next register by itself [6.2.2]. */
  private async read(register: number, length: number): Promise<number[]> {
    await this.bus.write(this.address, [register]);
    return this.bus.read(this.address, length);
  }
}

const hex = (value: number): string => `0x${value.toString(16).padStart(2, "0")}`;

import { DriverError } from "../errors.js";
import { assertTransferable, type I2cBus } from "../ports.js";
import { hex } from "../units.js";

/** A chip as the bus sees it: bytes in the order in which they travel. */
export interface BenchChip {
  /** False where it is unplugged: nobody acknowledges. */
  answers?(): boolean;
  /** What follows the address in a write: pointer or command, then data. */
  write(bytes: readonly number[]): void;
  /** What it sends when it is addressed for reading. */
  read(length: number): number[];
}

/** What can go wrong with a sensor of a room. Nothing set, nothing wrong. */
export interface RoomSensorFaults {
  /**
   * `unplugged`: gone from the bus and without supply, so a state that the driver relies on is as at power-on; `stuck`: each read
   * gives the bytes of the last good one, whatever it is asked; `bad calibration`: its factory figures are gone, all bytes 0xff (a
   * chip without such figures ignores it).
   */
  sensor?: "unplugged" | "stuck" | "bad calibration";
}

/** An I²C bus with chips on it; nobody acknowledges an address without one. */
export class BenchBus implements I2cBus {
  readonly name = "bench";

  constructor(private readonly chips: ReadonlyMap<number, BenchChip>) {}

  /** SMBus "read word": the register, a repeated start, two bytes, the first of which is the low one (SMBus 3.1, 6.5.5). */
  async readWord(address: number, register: number): Promise<number> {
    const chip = this.at(address);
    chip.write([register]);
    const [low = 0, high = 0] = chip.read(2);
    return low | (high << 8);
  }

  async writeWord(address: number, register: number, word: number): Promise<void> {
    this.at(address).write([register, word & 0xff, word >> 8]);
  }

  async write(address: number, bytes: readonly number[]): Promise<void> {
    assertTransferable(bytes.length);
    this.at(address).write(bytes);
  }

  async read(address: number, length: number): Promise<number[]> {
    assertTransferable(length);
    return this.at(address).read(length);
  }

  private at(address: number): BenchChip {
    const chip = this.chips.get(address);
    if (chip && (chip.answers?.() ?? true)) return chip;
    throw new DriverError("BUS_NACK", `nothing answers at ${hex(address)} on ${this.name}`);
  }
}

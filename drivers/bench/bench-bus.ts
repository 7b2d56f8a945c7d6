import { DriverError } from "../errors.js";
import type { I2cBus } from "../ports.js";

/** A chip as the bus sees it: bytes in the order in which they travel. */
export interface BenchChip {
  /** What follows the address in a write: pointer, then data. */
  write(bytes: readonly [pointer: number, ...data: number[]]): void;
  /** Two bytes from the register that `pointer` selects. */
  read(pointer: number): readonly [first: number, second: number];
}

/** An I²C bus with chips on it; nobody acknowledges an address without one. */
export class BenchBus implements I2cBus {
  readonly name = "bench";

  constructor(private readonly chips: ReadonlyMap<number, BenchChip>) {}

  /** SMBus "read word": the first byte is the low one (SMBus 3.1, 6.5.5). */
  async readWord(address: number, register: number): Promise<number> {
    const [low, high] = this.at(address).read(register);
    return low | (high << 8);
  }

  async writeWord(address: number, register: number, word: number): Promise<void> {
    this.at(address).write([register, word & 0xff, word >> 8]);
  }

  private at(address: number): BenchChip {
    const chip = this.chips.get(address);
    if (chip) return chip;
    throw new DriverError("BUS_NACK", `nothing answers at 0x${address.toString(16)} on ${this.name}`);
  }
}

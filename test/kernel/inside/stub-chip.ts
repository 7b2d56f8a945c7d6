import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** What is used here of i2c-bus 5.2.3, which has no types of its own. */
interface I2cBusModule {
  openSync(bus: number): SyncBus;
  openPromisified(bus: number): Promise<PromisifiedBus>;
}
export interface SyncBus {
  readWordSync(address: number, register: number): number;
  writeWordSync(address: number, register: number, word: number): void;
  closeSync(): void;
}
export interface PromisifiedBus {
  readWord(address: number, register: number): Promise<number>;
  writeWord(address: number, register: number, word: number): Promise<void>;
  scan(): Promise<number[]>;
  close(): Promise<void>;
}
export const i2c = createRequire(import.meta.url)("i2c-bus") as I2cBusModule;

const BUSES = "/sys/class/i2c-dev";

/** Number of the bus that i2c-stub makes: of /dev/i2c-N. */
export function stubBus(): number {
  const name = readdirSync(BUSES).find((each) =>
    readFileSync(join(BUSES, each, "name"), "utf8").startsWith("SMBus stub"),
  );
  if (!name) throw new Error("i2c-stub is not loaded");
  return Number(name.replace("i2c-", ""));
}

/** Bytes of a chip in the order in which they go over the wire. The stub only keeps them: it converts and clears nothing. */
export class StubChip {
  constructor(
    private readonly bus: SyncBus,
    readonly address: number,
  ) {}

  set(register: number, [first, second]: readonly [number, number]): void {
    this.bus.writeWordSync(this.address, register, first | (second << 8));
  }

  get(register: number): [number, number] {
    const word = this.bus.readWordSync(this.address, register);
    return [word & 0xff, word >> 8];
  }
}

import type { Bh1750 } from "../chips/bh1750.js";
import type { Clock } from "../ports.js";
import { type Millis, millis } from "../units.js";
import type { BenchChip, RoomSensorFaults } from "./bench-bus.js";

/** The BH1750FVI in its bytes, by its datasheet (ROHM 11046EDT01) and not by the driver: the mode H, once or for ever. */

interface Bh1750Parts {
  readonly values: () => Readonly<Record<keyof Bh1750["range"], number>>;
  readonly faults?: RoomSensorFaults;
}

/** tHR, typical, with the measurement time 69 [Electrical Characteristics]. */
const TYPICAL_AT_69 = 120;

export class Bh1750Model implements BenchChip {
  private isOn = false;
  private time = 69;
  private data = 0;
  private lastBytes: readonly number[] = [0, 0];
  /** When the measurement under way is over, and what it will have measured. */
  private measurement:
    | { readonly endsAt: Millis; readonly data: number; readonly isOnce: boolean }
    | undefined;

  constructor(
    private readonly parts: Bh1750Parts,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  answers(): boolean {
    return this.parts.faults?.sensor !== "unplugged";
  }

  /** One command, a byte. */
  write([command = 0]: readonly number[]): void {
    this.finish();
    if (command === 0x00) this.powerDown();
    if (command === 0x01) this.isOn = true;
    if (command === 0x07 && this.isOn) this.data = 0;
    if (command === 0x10 || command === 0x20) this.begin(command === 0x20);
    if (command >> 3 === 0b01000) this.time = ((command & 0b111) << 5) | (this.time & 0b11111);
    if (command >> 5 === 0b011) this.time = (this.time & 0b11100000) | (command & 0b11111);
  }

  read(length: number): number[] {
    if (this.parts.faults?.sensor !== "stuck") {
      this.finish();
      this.lastBytes = [this.data >> 8, this.data & 0xff];
    }
    return Array.from({ length }, (_, at) => this.lastBytes[at % 2] ?? 0);
  }

  private powerDown(): void {
    this.isOn = false;
    this.measurement = undefined;
  }

  private begin(isOnce: boolean): void {
    this.isOn = true;
    const data = Math.min(0xffff, Math.floor((this.parts.values().brightness * 1.2 * this.time) / 69));
    const endsAt = millis(this.clock.monotonic() + (TYPICAL_AT_69 * this.time) / 69);
    this.measurement = { endsAt, data, isOnce };
  }

  private finish(): void {
    if (!this.measurement || this.clock.monotonic() < this.measurement.endsAt) return;
    const { data, isOnce } = this.measurement;
    this.data = data;
    if (isOnce) this.powerDown();
    else this.begin(false);
  }
}

import { readFileSync } from "node:fs";
import {
  type Cause,
  CYCLES_PER_MS,
  type Device,
  type Input,
  type Kept,
  type Output,
  type Wiring,
} from "../avr/device.js";
import { readElf } from "./elf.js";
import { basics, Nvs, Pins, Timers, Uart, Watchdog, writeEntry } from "./esp-idf.js";
import { Machine } from "./machine.js";

const PROGRAM = "firmware/build/interlock-esp32c3-short.elf";
const FRESH = "firmware/ports/esp32/fresh.csv";
/** Of the C3 (firmware/ports/esp32/main/pins.h). */
const OUTPUTS = { pump: 4, light: 5 } as const;
const INPUTS = { pump: 6, light: 7, stop: 10 } as const;
/** esp_reset_reason_t; the reset pin reads as power-on. */
const REASONS = { power: 1, pin: 1, "brown-out": 9, watchdog: 6 } as const;
/** `j .` */
const JUMP_TO_ITSELF = 0x0000006f;
const US_PER_MS = 1000n;

/** As nvs_partition_gen.py makes it of fresh.csv. */
export function freshEntries(kept: Kept): Kept {
  const hex = /^a,data,hex2bin,([0-9a-f]+)$/m.exec(readFileSync(FRESH, "latin1"))?.[1] ?? "";
  writeEntry(kept, "a", Buffer.from(hex, "hex"));
  return kept;
}

/**
 * The firmware's port for the ESP32-C3, in that chip's instruction set, with stand-ins for ESP-IDF. What this shows is that the
 * port's own code, its second cut included, does what it should. It says nothing of Espressif's compiler, FreeRTOS, the drivers,
 * the flash or the silicon.
 */
export class Esp32Chip implements Device {
  bitten = false;
  private readonly machine: Machine;
  private readonly pins: Pins;
  private readonly uart: Uart;
  private readonly watchdog: Watchdog;
  private readonly begun: number;
  private startMs = 0;

  constructor(kept: Kept, cause: Cause, wiring: Wiring, before?: Esp32Chip) {
    const machine = new Machine(readElf(readFileSync(PROGRAM)), before?.cycles ?? 0);
    this.machine = machine;
    this.begun = machine.cycles;
    this.pins = new Pins(machine, wiring);
    this.uart = new Uart(machine, wiring);
    this.watchdog = new Watchdog(machine, () => {
      this.bitten = true;
      machine.stopped = true;
    });
    const parts = [this.pins, this.uart, this.watchdog, new Timers(machine), new Nvs(machine, kept)];
    for (const { calls } of parts) machine.offer(calls);
    machine.offer(basics(machine));
    machine.offer({
      esp_reset_reason: () => REASONS[cause],
      esp_timer_get_time: () => machine.long(this.microseconds()),
    });
  }

  get cycles(): number {
    return this.machine.cycles;
  }

  isHigh(output: Output): boolean {
    return this.pins.isHigh(OUTPUTS[output]);
  }

  setInput(input: Input, high: boolean): void {
    this.pins.set(INPUTS[input], high);
  }

  receive(byte: number): void {
    this.uart.receive(byte);
  }

  run(end: number, until: () => boolean): void {
    this.machine.run(end, until);
  }

  state(): DataView {
    return new DataView(this.machine.memory.buffer, this.machine.symbol("interlock"));
  }

  hang(): void {
    this.machine.setInstruction(this.machine.symbol("interlock_step"), JUMP_TO_ITSELF);
  }

  /** It no longer bites, so that what else opens a contact shows. */
  breakWatchdog(): void {
    this.watchdog.broken = true;
  }

  setTicks(ticks: number): void {
    this.startMs = ticks;
  }

  get spareMemory(): number {
    return this.machine.spare;
  }

  private microseconds(): bigint {
    const ran = (BigInt(Math.floor(this.cycles - this.begun)) * US_PER_MS) / BigInt(CYCLES_PER_MS);
    return BigInt(this.startMs) * US_PER_MS + ran;
  }
}

import type { EEPROMMemoryBackend } from "avr8js";
import type { Chip } from "./chip.js";

/** Cycles of the emulated chips' common clock in a millisecond: the AVR's 16 MHz. */
export const CYCLES_PER_MS = 16_000;

export type Output = "pump" | "light";
export type Input = Output | "stop";
export type Cause = "power" | "pin" | "brown-out" | "watchdog";

export interface Wiring {
  /** A byte left the UART. */
  sent(byte: number): void;
  /** An output may have changed. */
  moved(): void;
}

/** One emulated chip between two resets, with the interlock's firmware on it, as the rig sees it from outside. */
export interface Device {
  /** Since the first power-on, over all resets. */
  readonly cycles: number;
  /** The watchdog bit. */
  readonly bitten: boolean;
  isHigh(output: Output): boolean;
  /** The feedback of an output's node, or the emergency stop. */
  setInput(input: Input, high: boolean): void;
  /** Gives the UART a byte as soon as it has taken those before. */
  receive(byte: number): void;
  /** Runs until the cycle `end`, the watchdog's bite, or `until` is true, which is looked at now and then. */
  run(end: number, until: () => boolean): void;
  /** Its memory from the variable `interlock` on. */
  state(): DataView;
  /** The main loop hangs at its next step, with interrupts on; back as it was after a reset. */
  hang(): void;
  /** What its count of milliseconds begins with. */
  setTicks(ticks: number): void;
  /** Bytes that neither variables nor the stack have used since the last power cut. */
  readonly spareMemory: number;
}

/** What outlives a power cut. */
export type Kept = EEPROMMemoryBackend;

/** Pins as firmware/ports/avr/board.h has them. */
const OUTPUTS = { pump: 0, light: 1 } as const;
const INPUTS = { stop: 2, pump: 3, light: 4 } as const;
/** r24 and r25 hold a function's first argument (avr-gcc's ABI). */
const FIRST_ARGUMENT = 24;
/** `rjmp .-2`. */
const JUMP_TO_ITSELF = 0xcfff;

export class AvrDevice implements Device {
  constructor(
    readonly chip: Chip,
    private readonly addressOf: (symbol: string) => number,
  ) {}

  get cycles(): number {
    return this.chip.cycles;
  }

  get bitten(): boolean {
    return this.chip.bitten;
  }

  isHigh(output: Output): boolean {
    return this.chip.isHigh(OUTPUTS[output]);
  }

  setInput(input: Input, high: boolean): void {
    this.chip.ports.D.setPin(INPUTS[input], high);
  }

  receive(byte: number): void {
    this.chip.receive(byte);
  }

  run(end: number, until: () => boolean): void {
    this.chip.run(end, until);
  }

  state(): DataView {
    const { buffer, byteOffset } = this.chip.cpu.data;
    return new DataView(buffer, byteOffset + this.addressOf("interlock"));
  }

  hang(): void {
    this.chip.program[this.addressOf("interlock_step") / 2] = JUMP_TO_ITSELF;
  }

  /** Before the firmware reads it for the first time. */
  setTicks(ticks: number): void {
    this.chip.runTo(this.addressOf("board_now") / 2);
    this.chip.cpu.dataView.setUint32(this.addressOf("ticks"), ticks, true);
  }

  /** Its count of milliseconds. */
  get ticks(): number {
    return this.chip.cpu.dataView.getUint32(this.addressOf("ticks"), true);
  }

  /**
   * Runs to where the port asks for the words that were saved, and lets the place for them hold `words` already, as memory
   * that outlived a reset may.
   */
  leaveInMemory(words: Uint8Array): void {
    this.chip.runTo(this.addressOf("memory_load") / 2);
    this.chip.cpu.data.set(words, this.chip.cpu.dataView.getUint16(FIRST_ARGUMENT, true));
  }

  /** From here on, reads of its count of milliseconds are watched. */
  watchTicks(): void {
    this.chip.watchReadsOf(this.addressOf("ticks"), 4);
  }

  /** Whether a broken wire of this input reads high. */
  hasPullUp(input: Input): boolean {
    return this.chip.hasPullUp(INPUTS[input]);
  }

  get spareMemory(): number {
    return this.chip.untouchedAbove(this.addressOf("_end"));
  }
}

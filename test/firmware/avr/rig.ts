import type { EEPROMMemoryBackend } from "avr8js";
import type { SerialLine } from "../../../drivers/ports.js";
import { addressOf, type Build, freshEeprom, programOf } from "./binaries.js";
import { type Cause, Chip, HZ } from "./chip.js";
import { EmulatedClock } from "./emulated-clock.js";

const PER_MS = HZ / 1000;
/** Pins as firmware/ports/avr/board.h has them. */
const OUTPUTS = { pump: 0, light: 1 } as const;
const INPUTS = { stop: 2, pump: 3, light: 4 } as const;
export type Output = keyof typeof OUTPUTS;

/** What the emulator saw at a pin: the judge of every test. Milliseconds since the first power-on. */
export interface Edge {
  readonly output: Output;
  readonly on: boolean;
  readonly at: number;
}

/** Passes on what the line carries, or something else, or nothing. */
export type Meddle = (bytes: Uint8Array) => readonly Uint8Array[];
const honest: Meddle = (bytes) => [bytes];

export interface RigOptions {
  readonly build?: Build;
  readonly eeprom?: EEPROMMemoryBackend;
  /** What the chip's millisecond counter begins with. */
  readonly ticks?: number;
}

/**
 * The compiled firmware in an emulated chip, wired as docs/interlock.md has it, with a serial line to a host whose clock is
 * the chip's. Nothing here knows what the firmware should do.
 */
export class Rig {
  readonly clock = new EmulatedClock(() => this.cycles, PER_MS);
  readonly edges: Edge[] = [];
  readonly eeprom: EEPROMMemoryBackend;
  /** The Pi's own relays, ahead of the interlock's. */
  readonly piRelay = { pump: true, light: true };
  /** Contacts of the interlock that no longer open. */
  readonly welded = { pump: false, light: false };
  toChip: Meddle = honest;
  toHost: Meddle = honest;
  chip: Chip;
  private readonly build: Build;
  private stopPressed = false;
  private readonly on = { pump: false, light: false };
  private said: number[] = [];
  private listener: (bytes: Uint8Array) => void = () => undefined;

  constructor({ build = "interlock-avr", eeprom = freshEeprom(), ticks }: RigOptions = {}) {
    this.build = build;
    this.eeprom = eeprom;
    this.chip = this.start("power");
    if (ticks !== undefined) this.setTicks(ticks);
  }

  /** Milliseconds since the first power-on. */
  get now(): number {
    return this.cycles / PER_MS;
  }

  private get cycles(): number {
    // While the first chip is made there is none yet
    return this.chip?.cycles ?? 0;
  }

  /** The host's end of the line. */
  readonly line: SerialLine = {
    name: "emulated",
    write: (bytes) => {
      for (const piece of this.toChip(bytes)) this.send(piece);
    },
    onData: (listener) => {
      this.listener = listener;
    },
    close: () => Promise.resolve(),
  };

  /** Past the host and whoever meddles. */
  send(bytes: Uint8Array | string): void {
    for (const byte of Buffer.from(bytes)) this.chip.receive(byte);
  }

  /** Time passes, for the chip and for the host in step. */
  async run(ms: number): Promise<void> {
    const end = this.cycles + Math.round(ms * PER_MS);
    do {
      this.chip.run(Math.min(end, this.clock.nextDue()), () => this.said.at(-1) === NEWLINE);
      if (this.chip.bitten) this.reset("watchdog");
      this.hear();
      this.clock.fire();
      await settled();
    } while (this.cycles < end || this.clock.nextDue() <= end);
  }

  /** Time passes until `work` is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const settle = () => {
      done = true;
    };
    work.then(settle, settle);
    for (await settled(); !done; ) await this.run(1);
    return work;
  }

  reset(cause: Cause): void {
    this.chip = this.start(cause, this.chip);
    this.moved();
  }

  pressStop(pressed: boolean): void {
    this.stopPressed = pressed;
    this.wire();
  }

  setWelded(output: Output, welded: boolean): void {
    this.welded[output] = welded;
    this.wire();
  }

  setPiRelay(output: Output, closed: boolean): void {
    this.piRelay[output] = closed;
    this.wire();
  }

  /** The main loop hangs at its next step, with interrupts on; back as it was after the reset that this leads to. */
  hang(): void {
    const at = addressOf(this.build, "interlock_step") / 2;
    this.chip.program[at] = JUMP_TO_ITSELF;
  }

  /** The host is gone: no timer of it, no byte any more. */
  killHost(): void {
    this.clock.stop();
    this.toChip = () => [];
    this.toHost = () => [];
  }

  /** Another host takes its place. */
  reviveHost(): void {
    this.clock.stop();
    this.toChip = honest;
    this.toHost = honest;
  }

  /** The words of `struct interlock_saved` (firmware/core/interlock.h), as the chip's memory holds them. */
  get saved(): DataView {
    const { buffer, byteOffset } = this.chip.cpu.data;
    return new DataView(
      buffer,
      byteOffset + addressOf(this.build, "interlock") + COUNTERS_BYTES,
      SAVED_BYTES,
    );
  }

  /** Clears the highest set bit of the fullest slot, as a disturbance might. */
  damageSaved(): void {
    const words = this.saved;
    const fullest = SLOT_OFFSETS.reduce((best, at) =>
      words.getUint32(at, true) > words.getUint32(best, true) ? at : best,
    );
    const charge = words.getUint32(fullest, true);
    words.setUint32(fullest, charge - 2 ** Math.floor(Math.log2(charge)), true);
  }

  /** Bytes of memory that neither variables nor the stack have used since the last power cut. */
  get spareMemory(): number {
    return this.chip.untouchedAbove(addressOf(this.build, "_end"));
  }

  isOn(output: Output): boolean {
    return this.on[output];
  }

  private start(cause: Cause, before?: Chip): Chip {
    const wiring = { sent: (byte: number) => this.said.push(byte), moved: () => this.moved() };
    const chip = new Chip(programOf(this.build), this.eeprom, cause, wiring, before);
    this.wire(chip);
    return chip;
  }

  /** Before the firmware reads it for the first time. */
  private setTicks(ticks: number): void {
    this.chip.runTo(addressOf(this.build, "board_now") / 2);
    this.chip.cpu.dataView.setUint32(addressOf(this.build, "ticks"), ticks, true);
  }

  /** Whole lines, so that who meddles has one at a time. */
  private hear(): void {
    if (this.said.at(-1) !== NEWLINE) return;
    const bytes = Uint8Array.from(this.said);
    this.said = [];
    for (const piece of this.toHost(bytes)) this.listener(piece);
  }

  private moved(): void {
    for (const output of ["pump", "light"] as const) {
      const on = this.chip.isHigh(OUTPUTS[output]);
      if (on === this.on[output]) continue;
      this.on[output] = on;
      this.edges.push({ output, on, at: this.now });
    }
    this.wire();
  }

  /** Levels as the optocouplers and the stop contact give them: low is live, open is pressed. */
  private wire(chip = this.chip): void {
    for (const output of ["pump", "light"] as const) {
      const live = this.piRelay[output] && (this.on[output] || this.welded[output]);
      chip.ports.D.setPin(INPUTS[output], !live);
    }
    chip.ports.D.setPin(INPUTS.stop, this.stopPressed);
  }
}

const NEWLINE = 0x0a;
/** firmware/core/interlock-state.h: the counters and their complements, 22 words each, lie before what is saved. */
const COUNTERS_BYTES = 2 * 22 * 4;
/** Serial, boots, 26 slots, current, CRC. */
const SAVED_BYTES = 30 * 4;
const SLOT_OFFSETS = Array.from({ length: 26 }, (_, slot) => (2 + slot) * 4);
/** `rjmp .-2`. */
const JUMP_TO_ITSELF = 0xcfff;

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

import type { SerialLine } from "../../../drivers/ports.js";
import { type Build, freshMemory, started } from "./binaries.js";
import { type Cause, CYCLES_PER_MS, type Device, type Kept, type Output } from "./device.js";
import { EmulatedClock } from "./emulated-clock.js";

export type { Output } from "./device.js";

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
  readonly eeprom?: Kept;
  /** What the chip's millisecond counter begins with. */
  readonly ticks?: number;
}

/**
 * The compiled firmware in an emulated chip, wired as docs/interlock.md has it, with a serial line to a host whose clock is
 * the chip's. Nothing here knows what the firmware should do.
 */
export class Rig {
  readonly clock = new EmulatedClock(() => this.cycles, CYCLES_PER_MS);
  readonly edges: Edge[] = [];
  readonly eeprom: Kept;
  /** The Pi's own relays, ahead of the interlock's. */
  readonly piRelay = { pump: true, light: true };
  /** Contacts of the interlock that no longer open. */
  readonly welded = { pump: false, light: false };
  toChip: Meddle = honest;
  toHost: Meddle = honest;
  chip: Device;
  private readonly build: Build;
  private stopPressed = false;
  private readonly on = { pump: false, light: false };
  private said: number[] = [];
  private listener: (bytes: Uint8Array) => void = () => undefined;

  constructor({ build = "interlock-avr", eeprom = freshMemory(build), ticks }: RigOptions = {}) {
    this.build = build;
    this.eeprom = eeprom;
    this.chip = this.start("power");
    if (ticks !== undefined) this.chip.setTicks(ticks);
  }

  /** Milliseconds since the first power-on. */
  get now(): number {
    return this.cycles / CYCLES_PER_MS;
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
    const end = this.cycles + Math.round(ms * CYCLES_PER_MS);
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
    this.chip.hang();
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
    const state = this.chip.state();
    return new DataView(state.buffer, state.byteOffset + COUNTERS_BYTES, SAVED_BYTES);
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
    return this.chip.spareMemory;
  }

  isOn(output: Output): boolean {
    return this.on[output];
  }

  private start(cause: Cause, before?: Device): Device {
    const wiring = { sent: (byte: number) => this.said.push(byte), moved: () => this.moved() };
    const chip = started(this.build, this.eeprom, cause, wiring, before);
    this.wire(chip);
    return chip;
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
      const on = this.chip.isHigh(output);
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
      chip.setInput(output, !live);
    }
    chip.setInput("stop", this.stopPressed);
  }
}

const NEWLINE = 0x0a;
/** firmware/core/interlock-state.h: the counters and their complements, 22 words each, lie before what is saved. */
const COUNTERS_BYTES = 2 * 22 * 4;
/** Serial, boots, 26 slots, current, CRC. */
const SAVED_BYTES = 30 * 4;
const SLOT_OFFSETS = Array.from({ length: 26 }, (_, slot) => (2 + slot) * 4);

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

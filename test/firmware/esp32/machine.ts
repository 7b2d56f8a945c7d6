import { CYCLES_PER_MS } from "../avr/device.js";
import type { Program } from "./elf.js";
import { Rv32 } from "./rv32.js";

const MEMORY_BYTES = 0x40000;
/** ESP-IDF's default, CONFIG_ESP_MAIN_TASK_STACK_SIZE. */
const STACK_BYTES = 3584;
/** What memory holds after a power cut, so that a stack leaves traces. */
const PAINT = 0xa5;
/** Where a call from an interrupt returns to. No code is there. */
const BACK = 0xfe;
const RA = 1;
const SP = 2;
const A0 = 10;

/** What a call gives back: a result, or that it has to wait. */
export type Answer = number | undefined;
export type Calls = Readonly<Record<string, () => Answer>>;

interface Event {
  readonly at: number;
  readonly what: () => void;
}

/** A program's memory, processor and time. A function that the program calls and does not have is one of `calls`. */
export class Machine {
  stopped = false;
  private readonly cpu: Rv32;
  /** By address. The linker has given them the lowest. */
  private readonly calls: (() => Answer)[] = [];
  private events: Event[] = [];
  private waitsUntil: number | undefined;

  constructor(
    private readonly program: Program,
    public cycles: number,
  ) {
    const memory = new Uint8Array(MEMORY_BYTES).fill(PAINT);
    for (const { at, bytes, size } of program.segments) memory.fill(0, at, at + size).set(bytes, at);
    this.cpu = new Rv32(new DataView(memory.buffer));
    this.cpu.pc = program.entry;
    this.cpu.write(SP, (program.end + STACK_BYTES) & ~15);
  }

  get memory(): DataView {
    return this.cpu.memory;
  }

  /** Each function that the program was linked with an address for must be among them. */
  offer(calls: Calls): void {
    for (const [name, call] of Object.entries(calls)) {
      const address = this.program.symbols.get(name);
      if (address !== undefined) this.calls[address] = call;
    }
  }

  symbol(name: string): number {
    const address = this.program.symbols.get(name);
    if (address === undefined) throw new Error(`the program has no symbol ${name}`);
    return address;
  }

  /** Bytes between the variables and the stack that neither has ever reached. */
  get spare(): number {
    const stack = new Uint8Array(this.memory.buffer, this.program.end, STACK_BYTES);
    return stack.findIndex((byte) => byte !== PAINT);
  }

  /* ---- for the calls ---- */

  arg(n: number): number {
    return this.cpu.get(A0 + n);
  }

  /** The upper half of a result of 64 bits; the lower one is given back. */
  long(value: bigint): number {
    this.cpu.write(A0 + 1, Number(BigInt.asIntN(32, value >> 32n)));
    return Number(BigInt.asIntN(32, value));
  }

  word(at: number): number {
    return this.memory.getUint32(at, true);
  }

  setWord(at: number, value: number): void {
    this.memory.setUint32(at, value, true);
  }

  /** A word of its code. */
  setInstruction(at: number, word: number): void {
    this.setWord(at, word);
    this.cpu.forget(at);
  }

  bytes(at: number, count: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, count);
  }

  /** True when a call that waits has waited for so long. */
  waited(ms: number): boolean {
    this.waitsUntil ??= this.cycles + ms * CYCLES_PER_MS;
    return this.cycles >= this.waitsUntil;
  }

  at(cycle: number, what: () => void): void {
    this.events.push({ at: cycle, what });
    this.events.sort((a, b) => a.at - b.at);
  }

  forget(what: () => void): void {
    this.events = this.events.filter((event) => event.what !== what);
  }

  /** Calls a function of the program as an interrupt does: all registers are as they were afterwards. */
  interrupt(address: number, ...args: number[]): void {
    const registers = Int32Array.from(this.cpu.x);
    const { pc } = this.cpu;
    const waits = this.waitsUntil;
    args.forEach((value, n) => {
      this.cpu.write(A0 + n, value);
    });
    this.cpu.write(RA, BACK);
    this.cpu.pc = address;
    while (this.cpu.pc !== BACK) this.instruct();
    this.cpu.x.set(registers);
    this.cpu.pc = pc;
    this.waitsUntil = waits;
  }

  /* ---- time ---- */

  run(end: number, until: () => boolean): void {
    while (this.cycles < end && !this.stopped) {
      this.happen();
      if (until()) return;
      const next = Math.min(end, this.events[0]?.at ?? end);
      if (this.waitsUntil === undefined) this.execute(next);
      else this.wait(this.waitsUntil, next);
    }
  }

  private happen(): void {
    while ((this.events[0]?.at ?? Number.POSITIVE_INFINITY) <= this.cycles) this.events.shift()?.what();
  }

  /** The call that waits is made again, and sees whether what it waits for has come. */
  private wait(due: number, next: number): void {
    this.cycles = Math.max(this.cycles, Math.min(due, next));
    this.call();
  }

  private execute(next: number): void {
    while (this.cycles < next && this.waitsUntil === undefined && !this.stopped) {
      const { pc } = this.cpu;
      this.instruct();
      // A jump to itself does nothing until something happens
      if (this.cpu.pc === pc && !this.calls[pc]) this.cycles += Math.ceil(Math.max(0, next - this.cycles));
    }
  }

  /** A cycle each: slower than an ESP32-C3 by ten. */
  private instruct(): void {
    if (this.calls[this.cpu.pc]) {
      this.call();
      return;
    }
    this.cpu.step();
    this.cycles++;
  }

  private call(): void {
    const answer = this.calls[this.cpu.pc]?.();
    this.cycles++;
    if (answer === undefined) return;
    this.waitsUntil = undefined;
    this.cpu.write(A0, answer);
    this.cpu.pc = this.cpu.get(RA);
  }
}

import { readFileSync } from "node:fs";

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  saved(): number;
  saved_size(): number;
  start(now: number, hasSaved: number, faults: number): void;
  receive(byte: number): number;
  step(now: number, levels: number): number;
  answer(): number;
  answer_length(): number;
}

/** The core and its link as firmware/ports/wasm has them, stepped every 10 ms as on a device. */
export class WasmInterlock {
  private readonly exports: Exports;
  private now: number;

  /** Started on an image of zeros but for its CRC, which is a device that has never pumped. */
  constructor(now = 0, build = "interlock") {
    const module = new WebAssembly.Module(readFileSync(`firmware/build/${build}.wasm`));
    this.exports = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.now = now;
    const image = Buffer.from(this.exports.memory.buffer, this.exports.saved(), this.exports.saved_size());
    image.fill(0).writeUInt32LE(0x04bf, image.length - 4);
    this.exports.start(now, 1, 0);
  }

  /** What it says by itself up to `at`. */
  runTo(at: number, levels: number): string {
    let said = "";
    for (; this.now < at; this.now += 10) said += this.step(levels);
    return said;
  }

  /** What it answers to these bytes. */
  hear(bytes: Uint8Array, levels: number): string {
    let said = "";
    for (const byte of bytes) if (this.exports.receive(byte)) said += this.step(levels);
    return said;
  }

  private step(levels: number): string {
    const { exports } = this;
    exports.step(this.now >>> 0, levels);
    return Buffer.from(exports.memory.buffer, exports.answer(), exports.answer_length()).toString("latin1");
  }
}

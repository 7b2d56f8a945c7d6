import { InterlockCore } from "../../drivers/bench/bench-interlock.js";

/** The core and its link as firmware/ports/wasm has them, stepped every 10 ms as on a device. */
export class WasmInterlock {
  private readonly core = new InterlockCore();
  private now = 0;

  /** Started on an image of zeros but for its CRC, which is a device that has never pumped. */
  constructor() {
    const image = Buffer.alloc(this.core.image.length);
    image.writeUInt32LE(0x04bf, image.length - 4);
    this.core.start(this.now, image);
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
    for (const byte of bytes) if (this.core.receive(byte)) said += this.step(levels);
    return said;
  }

  private step(levels: number): string {
    this.core.step(this.now, levels);
    return Buffer.from(this.core.answer).toString("latin1");
  }
}

import { readFileSync } from "node:fs";

/** The firmware's own C, compiled for WebAssembly (firmware/ports/wasm). */
const PROGRAM = new URL("../../../firmware/build/interlock.wasm", import.meta.url);

/** Bits of `levels`, and of what a step returns (firmware/ports/wasm/interlock-wasm.c). */
export const LEVEL = { pumpLive: 1, lightLive: 2, stopPressed: 4 } as const;
const OUTPUT = { pump: 1, light: 2, save: 4 } as const;

/** Not asked of the compiler: numbers in, numbers out. */
interface Program {
  readonly memory: { readonly buffer: ArrayBuffer };
  saved(): number;
  saved_size(): number;
  start(now: number, hasSaved: number, faults: number): void;
  receive(byte: number): number;
  step(now: number, levels: number): number;
  answer(): number;
  answer_length(): number;
}

export interface StepOutputs {
  readonly pump: boolean;
  readonly light: boolean;
  /** The image has to reach the memory that outlives a power cut. */
  readonly save: boolean;
}

/** The interlock's decisions and its side of the line, stepped by whoever has the time. One controller an instance. */
export class InterlockCore {
  private readonly program = instantiate();

  /** `image`: as it was saved last; undefined where nothing was, which counts as a spent budget. */
  start(now: number, image: Uint8Array | undefined): void {
    if (image) this.bytes(this.program.saved(), this.program.saved_size()).set(image);
    this.program.start(now >>> 0, image ? 1 : 0, 0);
  }

  /** Whether the byte ended a line: step, and read the answer, before the next. */
  receive(byte: number): boolean {
    return this.program.receive(byte) === 1;
  }

  /** `now` in whole milliseconds, any number of them: the controller's clock wraps at 2³². */
  step(now: number, levels: number): StepOutputs {
    const out = this.program.step(now >>> 0, levels);
    return { pump: (out & OUTPUT.pump) > 0, light: (out & OUTPUT.light) > 0, save: (out & OUTPUT.save) > 0 };
  }

  /** What the last step answered; empty where it did not. */
  get answer(): Uint8Array {
    return this.bytes(this.program.answer(), this.program.answer_length()).slice();
  }

  get image(): Uint8Array {
    return this.bytes(this.program.saved(), this.program.saved_size()).slice();
  }

  private bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.program.memory.buffer, at, length);
  }
}

function instantiate(): Program {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(PROGRAM)));
  return exports as unknown as Program;
}

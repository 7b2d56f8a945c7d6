import type { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import type { I2cBus } from "../../../drivers/ports.js";

/** A bus of plain transfers that notes what goes over it, with the time. `reply`: what comes, by what was written last. */
export function scriptedBus(
  clock: LeadingClock,
  reply: (written: readonly number[], length: number) => readonly number[],
) {
  const seen: unknown[] = [];
  let written: readonly number[] = [];
  const noWords = () => Promise.reject(new Error("a word transfer"));
  const bus: I2cBus = {
    name: "i2c-1",
    readWord: noWords,
    writeWord: noWords,
    write: async (address, bytes) => {
      seen.push([clock.monotonic(), address, ...bytes]);
      written = bytes;
    },
    read: async (_address, length) => {
      seen.push([clock.monotonic(), "read", length]);
      return [...reply(written, length)];
    },
  };
  return { bus, seen };
}

/** The same, with these replies one after the other. */
export function repliesOf(clock: LeadingClock, replies: readonly (readonly number[])[]) {
  const left = [...replies];
  return scriptedBus(clock, () => left.shift() ?? []);
}

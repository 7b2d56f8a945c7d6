import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc16 } from "../devices/interlock/crc16.js";

/** Words of the saved image before its CRC: serial, boots, 26 slots, the current one (firmware/core/interlock.h). */
const WORDS = 29;
const WORD = 4;

/** What the bench's interlock keeps over a power cut. */
export interface InterlockMemory {
  load(): Uint8Array;
  /** Before the contact closes, so at once. */
  save(image: Uint8Array): void;
}

/** In `interlock.eeprom` of the state folder. A file that was damaged counts as a spent budget, as the firmware has it. */
export function fileMemory(folder: string): InterlockMemory {
  const file = join(folder, "interlock.eeprom");
  return {
    load: () => read(file) ?? unspent(),
    save: (image) => {
      try {
        writeFileSync(`${file}.new`, image, { mode: 0o600 });
        renameSync(`${file}.new`, file);
      } catch {
        // a full disk loses a simulated charge; it must not keep a relay's end from being reported
      }
    },
  };
}

/** Ends with the process. */
export function passingMemory(): InterlockMemory {
  let kept = unspent();
  return {
    load: () => kept,
    save: (image) => {
      kept = image;
    },
  };
}

/** A new bench's interlock has been in service for long, and its pump at rest: one with nothing saved lets no pump on for a day. */
function unspent(): Uint8Array {
  const image = Buffer.alloc((WORDS + 1) * WORD);
  const words = image.subarray(0, WORDS * WORD).toString("latin1");
  image.writeUInt32LE(crc16(words), WORDS * WORD);
  return image;
}

function read(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

import { readFileSync } from "node:fs";
import { EEPROMMemoryBackend } from "avr8js";
import { Esp32Chip, freshEntries } from "../esp32/chip.js";
import { Chip } from "./chip.js";
import { AvrDevice, type Cause, type Device, type Kept, type Wiring } from "./device.js";
import { readIntelHex } from "./intel-hex.js";

/** The ATmega328P's (datasheet, section 8). */
const FLASH_BYTES = 32_768;
const EEPROM_BYTES = 1024;
const BUILD = "firmware/build";

type AvrBuild = "interlock-avr" | "interlock-avr-short";
/** The device's own firmware, and the same with short limits (firmware/core/limits-short.h). */
export type Build = AvrBuild | "interlock-esp32c3-short";

/** A chip that begins; `before` is what it was until its reset. */
export function started(build: Build, kept: Kept, cause: Cause, wiring: Wiring, before?: Device): Device {
  if (build === "interlock-esp32c3-short")
    return new Esp32Chip(kept, cause, wiring, before instanceof Esp32Chip ? before : undefined);
  const chip = new Chip(
    programOf(build),
    kept,
    cause,
    wiring,
    before instanceof AvrDevice ? before.chip : undefined,
  );
  return new AvrDevice(chip, (symbol) => addressOf(build, symbol));
}

/** A memory of a device that has never pumped. */
export const freshMemory = (build: Build): Kept =>
  build === "interlock-esp32c3-short" ? freshEntries(blankEeprom()) : freshEeprom();

function programOf(build: AvrBuild): Uint16Array {
  const bytes = readIntelHex(readFileSync(`${BUILD}/${build}.hex`, "utf8"), FLASH_BYTES);
  return new Uint16Array(bytes.buffer);
}

/** An EEPROM as `make fresh` leaves it. */
export function freshEeprom(): EEPROMMemoryBackend {
  const eeprom = blankEeprom();
  eeprom.memory.set(readIntelHex(readFileSync(`${BUILD}/interlock-avr-fresh.eep`, "utf8"), EEPROM_BYTES));
  return eeprom;
}

export const blankEeprom = (): EEPROMMemoryBackend => new EEPROMMemoryBackend(EEPROM_BYTES);

/** Where the build has `ticks` (in its memory), or a function (in bytes of its flash). */
function addressOf(build: AvrBuild, symbol: string): number {
  const line = readFileSync(`${BUILD}/interlock-avr.symbols`, "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${build} ${symbol} `));
  if (!line) throw new Error(`${build} has no symbol ${symbol}`);
  // The compiler's tools number data from 0x800000 on
  return Number.parseInt(line.split(" ")[2] ?? "", 16) % 0x800000;
}

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Relays of bench.dts, by the LED's label. */
export const RELAYS = {
  basilPump: { label: "basil-pump", pin: 17, activeLow: false },
  fernPump: { label: "fern-pump", pin: 27, activeLow: true },
  basilLight: { label: "basil-light", pin: 22, activeLow: false },
} as const;

/** Path of an LED's file: brightness, trigger, and with the trigger `transient` duration, state, activate. */
export const ledFile = (label: string, name: string): string => join("/sys/class/leds", label, name);
export const readLed = (label: string, name: string): string =>
  readFileSync(ledFile(label, name), "utf8").trim();
export const writeLed = (label: string, name: string, value: number | string): void =>
  writeFileSync(ledFile(label, name), String(value));

import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { loadPigpio, type Pigpio } from "../../../drivers/pins/pigpio-line.js";
import type { Pigpiolib } from "./pi-model.js";

const require = createRequire(import.meta.url);
const script = realpathSync(require.resolve("pigpio"));
const addon = script.replace("pigpio.js", "build/Release/pigpio.node");

/** Why the genuine package cannot be put over the model here, if it cannot. */
export const noPigpio = existsSync(addon) ? false : "npm did not run pigpio's install script";

/** The genuine JavaScript of the package `pigpio`, as in a process of its own, with the model in the place of its addon. */
export function pigpioOver(library: Pigpiolib): Pigpio {
  delete require.cache[script];
  const { Module } = require("node:module");
  const module = Object.assign(new Module(addon), { exports: library, loaded: true });
  require.cache[addon] = module;
  try {
    return loadPigpio("raspberrypi,4-model-b\0brcm,bcm2711\0");
  } finally {
    delete require.cache[addon];
  }
}

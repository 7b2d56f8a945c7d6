import { Interlock } from "../../../drivers/devices/interlock/interlock.js";
import { hours } from "../../../drivers/units.js";
import { type Output, Rig, type RigOptions } from "./rig.js";

/** The short build's rest of the pump, with some time to spare (firmware/core/limits-short.h). */
export const REST = 1100;

/** Which chip the tests run: the AVR, or what esp32.test.ts asks for. */
export const CHIP = process.env.INTERLOCK_CHIP === "esp32c3" ? "esp32c3" : "avr";
export const SHORT = CHIP === "esp32c3" ? "interlock-esp32c3-short" : "interlock-avr-short";
/** Of a test that holds for the AVR alone. */
export const avrOnly = (why: string) => ({ skip: CHIP === "avr" ? false : why });

/** The compiled firmware, by default with short limits, and the real driver at the other end of its line, rested. */
export async function connected(
  options: RigOptions = {},
): Promise<{ readonly rig: Rig; readonly interlock: Interlock }> {
  const rig = new Rig({ build: SHORT, ...options });
  // A memory that is new takes half a second to fill
  await rig.run(500);
  const interlock = await rig.until(Interlock.open(rig.line, rig.clock));
  await rig.run(REST - 400);
  return { rig, interlock };
}

/** A driver that comes after one that is gone. */
export function reconnect(rig: Rig): Promise<Interlock> {
  rig.reviveHost();
  return rig.until(Interlock.open(rig.line, rig.clock));
}

/** How long an output was on, each time; what is still on counts as an hour. */
export function timesOn(rig: Rig, output: Output): number[] {
  const edges = rig.edges.filter((edge) => edge.output === output);
  return edges.flatMap((edge, n) => (edge.on ? [(edges[n + 1]?.at ?? edge.at + hours(1)) - edge.at] : []));
}

/** The code that a call was refused with, or what else became of it. */
export const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "taken",
    (error: { readonly code?: string }) => error.code ?? String(error),
  );

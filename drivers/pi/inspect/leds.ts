import { join } from "node:path";
import { type LedNode, ledNode } from "../../pins/led-node.js";
import type { Machine } from "./machine.js";

/** A relay that an overlay has made a LED-class device of. */
export interface RelayLed {
  /** "basil-pump". */
  readonly name: string;
  /** What the device tree says; undefined where it does not tell. */
  readonly node?: LedNode;
  /** Whether the kernel can end its pulses. */
  readonly hasTransient: boolean;
}

const LEDS = "/sys/class/leds";
/** The names that Tendril looks for unless told otherwise (systemd/udev/60-tendril.rules). */
const RELAY = /-(pump|light)$/;

export function relayLeds(machine: Machine): readonly RelayLed[] {
  return machine
    .names(LEDS)
    .filter((name) => RELAY.test(name))
    .map((name) => ledOf(machine, name));
}

function ledOf(machine: Machine, name: string): RelayLed {
  const node = ledNode(machine.path(join(LEDS, name)));
  const triggers = machine.text(join(LEDS, name, "trigger")) ?? "";
  return { name, ...(node && { node }), hasTransient: /\btransient\b/.test(triggers) };
}

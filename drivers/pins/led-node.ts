import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What the device tree says of a LED-class device: its line on the header's chip, and its polarity. */
export interface LedNode {
  readonly gpio: number;
  readonly activeLow: boolean;
}

/** Third cell of a GPIO specifier: bit 0 says active low [include/dt-bindings/gpio/gpio.h]. */
const GPIO_ACTIVE_LOW = 1;
/** Cells of `gpios`: the chip, the line, the flags; 4 bytes each, big-endian [Devicetree specification 2.2.4]. */
const CELLS = { line: 4, flags: 8, end: 12 } as const;

/** Undefined where the device tree does not tell (a LED that no `gpio-leds` node made). */
export function ledNode(path: string): LedNode | undefined {
  const parent = join(path, "device", "of_node");
  for (const child of childrenOf(parent)) {
    const found = readNode(join(parent, child), path.split("/").at(-1));
    if (found) return found;
  }
  return undefined;
}

function readNode(folder: string, name: string | undefined): LedNode | undefined {
  try {
    if (readFileSync(join(folder, "label"), "latin1").replace(/\0$/, "") !== name) return undefined;
    const cells = readFileSync(join(folder, "gpios"));
    if (cells.length < CELLS.end) return undefined;
    const activeLow = (cells.readUInt32BE(CELLS.flags) & GPIO_ACTIVE_LOW) !== 0;
    return { gpio: cells.readUInt32BE(CELLS.line), activeLow };
  } catch {
    return undefined; // a property of the parent, not a child
  }
}

function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

import { fileURLToPath } from "node:url";
import type { Millis } from "../../../drivers/units.js";
import { boot } from "../../kernel/boot.js";
import { builtKernel } from "../../kernel/kernel.js";
import { inMemory } from "../../kernel/machine.js";
import type { Timed } from "../probe.js";
import type { Lateness } from "./lateness.js";

const PROGRAM = fileURLToPath(new URL("./inside.js", import.meta.url));
/** Seconds: it takes some ninety. */
const LIMIT = 300;

/** What inside.ts tells. */
export interface Inside {
  readonly lateness: readonly Lateness[];
  /** Pulses that the kernel's timer ended alone: asked for, what the timer was armed for, how long the pin was on. */
  readonly timer: readonly { readonly duration: Millis; readonly armed: Millis; readonly lasted: Millis }[];
  /** One conversion of an ADS1115 over i2c-bus and i2c-stub; bare is the sleeping alone. */
  readonly conversion: { readonly ours: Timed; readonly bare: Timed };
}

/** The figures from inside a real kernel, or why there are none. */
export async function kernelFigures(): Promise<Inside | { readonly cannot: string }> {
  const kernel = builtKernel();
  if ("cannot" in kernel) return kernel;
  const lines: string[] = [];
  const machine = inMemory(kernel.path, PROGRAM);
  const { trouble, console } = await boot(machine, (line) => void lines.push(line), LIMIT);
  const found = lines.find((line) => line.startsWith("{"));
  if (trouble || !found) throw new Error([trouble ?? "no figures", ...console].join("\n"));
  return JSON.parse(found);
}

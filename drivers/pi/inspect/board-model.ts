import type { Machine } from "./machine.js";

export type Processor = "BCM2835" | "BCM2836" | "BCM2837" | "BCM2711" | "BCM2712";

export interface BoardModel {
  /** "Raspberry Pi 4 Model B Rev 1.4", as the device tree has it. */
  readonly name: string;
  readonly processor?: Processor;
}

/** Bits 12 to 15 of a new-style revision code [Raspberry Pi documentation, "Raspberry Pi revision codes"]. */
const PROCESSORS: readonly Processor[] = ["BCM2835", "BCM2836", "BCM2837", "BCM2711", "BCM2712"];
/** Bit 23: the code is of the new style. Older ones are all BCM2835 [as above]. */
const NEW_STYLE = 1 << 23;

/** Undefined on what is no Raspberry Pi. */
export function boardModel(machine: Machine): BoardModel | undefined {
  const name = machine.text("/proc/device-tree/model");
  if (!name?.startsWith("Raspberry Pi")) return undefined;
  const revision = /^Revision\s*:\s*([0-9a-f]+)$/m.exec(machine.text("/proc/cpuinfo") ?? "")?.[1];
  const processor = revision === undefined ? undefined : processorOf(Number.parseInt(revision, 16));
  return { name, ...(processor && { processor }) };
}

const processorOf = (code: number): Processor | undefined =>
  code & NEW_STYLE ? PROCESSORS[(code >> 12) & 0xf] : "BCM2835";

/** Pages of memory that the kernel has, in MB of 10⁶ bytes; a little less than what is soldered on. */
export function memoryMegabytes(machine: Machine): number | undefined {
  const kibibytes = /^MemTotal:\s*(\d+) kB/m.exec(machine.text("/proc/meminfo") ?? "")?.[1];
  return kibibytes === undefined ? undefined : Math.round((Number(kibibytes) * 1024) / 1e6);
}

import { askInterlock, type FoundChip } from "../../drivers/pi/inspect/chips.js";
import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import type { Clock } from "../../drivers/ports.js";
import { messageOf } from "../../drivers/system-error.js";
import { hex } from "../../drivers/units.js";

export function describeFindings(findings: Findings): string {
  const { board, megabytes, system, leds, ribbonCameras, webcams, serialPorts } = findings;
  const memory = megabytes === undefined ? "" : `, ${(megabytes / 1000).toFixed(1)} GB of memory`;
  const lines: [string, string][] = [
    ["board", `${board?.name ?? "not a Raspberry Pi"}${memory}`],
    [
      "system",
      `${system.name}${system.isRaspberryPiOs ? ", Raspberry Pi OS" : ""}, ${system.bits} bits, kernel ${system.kernel}`,
    ],
    ["sensors", busInWords(findings)],
    ["relays", orNone(leds.map(({ name, node }) => (node ? `${name} at GPIO ${node.gpio}` : name)))],
    [
      "taken pins",
      orNone([...findings.taken].sort(([a], [b]) => a - b).map(([pin, by]) => `${pin} by ${by}`)),
    ],
    [
      "cameras",
      orNone([
        ...ribbonCameras.map(({ sensor }) => `${sensor} on the ribbon`),
        ...webcams.map(({ name }) => name),
      ]),
    ],
    ["serial", orNone(serialPorts)],
  ];
  const shown = board ? lines : lines.slice(0, 2);
  return shown.map(([what, found]) => `${what.padEnd(11)} ${found}`).join("\n");
}

function busInWords({ headerBus: { number, chips, problem } }: Findings): string {
  if (problem !== undefined) return problem;
  return chips.length === 0 ? `nothing answers on i2c-${number}` : chips.map(chipInWords).join(", ");
}

const KINDS = {
  ads1115: "ADS1115 (or ADS1015)",
  seesaw: "seesaw soil sensor",
  bme280: "BME280 (air)",
  unknown: "an unknown chip",
} as const;

const chipInWords = ({ address, kind, said }: FoundChip): string =>
  `${KINDS[kind]} at ${hex(address)}${kind === "unknown" ? ` (${said})` : ""}`;

const orNone = (words: readonly string[]): string => (words.length === 0 ? "none seen" : words.join(", "));

/** What answers at a serial port, in a sentence. */
export async function interlockInWords(port: string, clock: Clock): Promise<string> {
  try {
    const latest = await askInterlock(port, clock);
    if (!latest) return `no interlock answers at ${port}`;
    const { firmware, protocol } = latest.limits;
    return `an interlock answers: firmware ${firmware}, protocol ${protocol}`;
  } catch (error) {
    return messageOf(error);
  }
}

import type { OutputWiring } from "../../../drivers/board.js";
import type { Load } from "../../../drivers/inputs.js";
import {
  missingLines,
  overlayLine,
  readConfigTxt,
  wantedLines,
} from "../../../drivers/pi/inspect/config-txt.js";
import type { Machine } from "../../../drivers/pi/inspect/machine.js";
import { chooseOutput } from "../../../drivers/pi/outputs.js";
import { boardConfig } from "../../config/board.js";
import type { Config } from "../../configuration.js";
import { counted } from "../../harmless.js";
import { type Check, type Finding, failure, failureOf, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

export function relayChecks(installation: Installation): Check[] {
  const { config } = installation;
  if (config?.board !== "pi") return [{ name: "relays", run: () => skipped("simulated on the bench") }];
  return [
    { name: "config.txt", run: () => configTxt(installation, config) },
    ...eachRelay(installation, config),
  ];
}

function configTxt({ machine }: Installation, config: Config): Finding {
  const file = readConfigTxt(machine);
  if (!file) return skipped("there is none: this is no Raspberry Pi, or its boot partition is not mounted");
  const missing = missingLines(file.text, wantedLines(boardConfig(config)));
  if (missing.length === 0) return ok(`${file.file} has every line that the configuration needs`);
  const lines = missing.map(({ line }) => line).join("\n");
  return warning(
    `${file.file} lacks ${counted(missing.length, "line")}`,
    `add these (sudo tendril setup can), then reboot:\n${lines}`,
  );
}

/** By the very rules of a start: LED, trigger, pin and polarity; nothing is opened. */
function eachRelay({ machine }: Installation, config: Config): Check[] {
  return boardConfig(config).plants.flatMap(({ id, pump, light }) =>
    (
      [
        ["pump", pump.output],
        ["light", light?.output],
      ] as const
    ).flatMap(([load, wiring]): Check[] =>
      wiring ? [{ name: `relay ${id}-${load}`, run: () => relay(id, load, wiring, machine) }] : [],
    ),
  );
}

/** What is said begins with the relay's name, which stands before it already. */
function relay(plant: string, load: Load, wiring: OutputWiring, machine: Machine): Finding {
  const kernel = { leds: machine.path("/sys/class/leds"), gpio: machine.path("/sys/class/gpio") };
  const withoutName = (finding: Finding) => ({
    ...finding,
    found: finding.found.replace(`${plant}-${load}: `, ""),
  });
  try {
    return withoutName(ok(chooseOutput(plant, load, wiring, kernel).explanation));
  } catch (error) {
    if (isAnnounced(wiring, machine)) return failure(`there is no LED ${wiring.led} yet`, REBOOT);
    return withoutName(failureOf(error));
  }
}

const REBOOT = "sudo reboot: config.txt names it already, and counts from the next start on";

/** Whether the LED is not there although config.txt asks for it. */
function isAnnounced(wiring: OutputWiring, machine: Machine): boolean {
  const wanted = [{ line: overlayLine(wiring), why: "the LED" }];
  const text = readConfigTxt(machine)?.text ?? "";
  return !machine.has(`/sys/class/leds/${wiring.led}`) && missingLines(text, wanted).length === 0;
}

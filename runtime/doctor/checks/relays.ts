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
import { counted } from "../../log.js";
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
  if (!file) return skipped("missing: this is not a Raspberry Pi, or its boot partition is not mounted");
  const missing = missingLines(file.text, wantedLines(boardConfig(config)));
  if (missing.length === 0) return ok(`${file.file} has every line that the configuration needs`);
  const lines = missing.map(({ line }) => line).join("\n");
  return warning(
    `${file.file} lacks ${counted(missing.length, "line")}`,
    `add these (sudo tendril setup can), then reboot:\n${lines}`,
  );
}

/** Checks LED, trigger, pin and polarity by the same rules as a start; opens nothing. */
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

/** Removes the relay's name from the texts, since the line already begins with it. */
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

const REBOOT = "sudo reboot: config.txt already names it, and takes effect at the next start";

/** Whether config.txt has the LED, but it does not exist yet. */
function isAnnounced(wiring: OutputWiring, machine: Machine): boolean {
  const wanted = [{ line: overlayLine(wiring), why: "the LED" }];
  const text = readConfigTxt(machine)?.text ?? "";
  return !machine.has(`/sys/class/leds/${wiring.led}`) && missingLines(text, wanted).length === 0;
}

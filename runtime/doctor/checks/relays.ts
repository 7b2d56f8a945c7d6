import { missingLines, readConfigTxt } from "../../../drivers/pi/inspect/config-txt.js";
import { wantedLines } from "../../../drivers/pi/inspect/wanted-lines.js";
import { chooseOutput } from "../../../drivers/pi/outputs.js";
import { boardConfig } from "../../config/board.js";
import type { Config } from "../../config/schema.js";
import { type Check, type Finding, ok, skipped, warning } from "../check.js";
import type { Patient } from "../patient.js";

export function relayChecks(patient: Patient): Check[] {
  const { config } = patient;
  if (config?.board !== "pi") return [{ name: "relays", run: () => skipped("simulated on the bench") }];
  return [{ name: "config.txt", run: () => configTxt(patient, config) }, ...eachRelay(patient, config)];
}

function configTxt({ machine }: Patient, config: Config): Finding {
  const file = readConfigTxt(machine);
  if (!file) return skipped("there is none: this is no Raspberry Pi, or its boot partition is not mounted");
  const missing = missingLines(file.text, wantedLines(boardConfig(config)));
  if (missing.length === 0) return ok(`${file.file} has every line that the configuration needs`);
  const lines = missing.map(({ line }) => line).join("\n");
  return warning(
    `${file.file} lacks ${missing.length} lines`,
    `add these (sudo tendril setup can), then reboot:\n${lines}`,
  );
}

/** By the very rules of a start: LED, trigger, pin and polarity; nothing is opened. */
function eachRelay({ machine }: Patient, config: Config): Check[] {
  const kernel = { leds: machine.path("/sys/class/leds"), gpio: machine.path("/sys/class/gpio") };
  return boardConfig(config).plants.flatMap(({ id, pump, light }) =>
    (["pump", "light"] as const).flatMap((load): Check[] => {
      const wiring = { pump: pump.output, light: light?.output }[load];
      const run = () =>
        wiring ? ok(chooseOutput(id, load, wiring, kernel).explanation) : skipped("not wired");
      return wiring ? [{ name: `relay ${id}-${load}`, run }] : [];
    }),
  );
}

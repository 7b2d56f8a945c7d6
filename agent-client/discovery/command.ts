import { Command, Option } from "commander";
import { checked, lookTime } from "../option-values.js";
import type { Millis } from "../units.js";
import { LOOKING } from "./look.js";

export interface Given {
  readonly json?: boolean;
  readonly for: Millis;
}

const AFTERWORD = `
Names are what the network says: whether one is yours shows when an agent asks it for a proof (tendril agent --discover).
Exit codes: 0 something was found; 1 nothing was; 2 wrong use.`;

export const discoverCommand = (): Command =>
  new Command("tendril discover")
    .description("List the runtimes on this network.")
    .option("--json", "as JSON")
    .addOption(
      new Option("--for <time>", "how long to look: 1s to 1m")
        .argParser(checked(lookTime))
        .default(LOOKING, "3s"),
    )
    .addHelpText("after", AFTERWORD);

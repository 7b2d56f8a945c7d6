import { Command, Option } from "commander";
import { parseIso } from "../../runtime/tools/iso-time.js";
import { hours, type Millis } from "../clock.js";
import type { ToolSet } from "../cycle/tool-runner.js";
import { DEFAULT_MODEL, MODEL_NAMES } from "../models/index.js";
import type { StyleAsked } from "../models/style.js";
import { boundOptions, checked, duration, rounds, styleOption, toolsOption } from "../options/values.js";
import { POLICIES } from "./policies.js";
import { STEADY } from "./scenario.js";

export interface Given {
  readonly days?: number;
  readonly plants?: readonly string[];
  readonly model: string;
  readonly seed: number;
  readonly scenario?: string;
  readonly start?: number;
  readonly replay?: string;
  readonly replayZone: string;
  readonly every: Millis;
  readonly maxRounds: number;
  readonly replyWithin: Millis;
  readonly cycleWithin: Millis;
  readonly json?: boolean;
  readonly report?: string;
  readonly resume?: boolean;
  readonly suite?: boolean;
  readonly list?: boolean;
  readonly style?: StyleAsked;
  readonly tools?: ToolSet;
}

export function simulateCommand(): Command {
  const command = new Command("tendril simulate")
    .description(
      "Try an agent on simulated plants before it meets real ones: runtime, bench and agent in one process, on simulated time.",
    )
    .option("--days <n>", "how long (default: as long as the scenario is)", checked(whole(1, 3660)))
    .option("--plants <species>", "such as cactus,basil (default: the scenario's)", checked(species))
    .addOption(
      new Option(
        "--model <name>",
        `who decides: ${[...MODEL_NAMES, "none", ...Object.keys(POLICIES)].join(", ")}`,
      ).default(DEFAULT_MODEL),
    )
    .addOption(styleOption())
    .addOption(toolsOption())
    .option(
      "--seed <n>",
      "seed of all random numbers: the same seed gives the same bytes",
      checked(whole(0, 0xffff_ffff)),
      1,
    )
    .option(
      "--scenario <name>",
      `what happens: a name from --list, or a file of your own (default: ${STEADY})`,
    )
    .option("--start <time>", "first instant, ISO 8601; without an offset it is UTC", checked(instant))
    .addOption(
      new Option(
        "--replay <file>",
        "a recording (CSV: local_time,lux,raw_adc,volts) instead of plants; the scenario's events happen too",
      ).conflicts(["plants", "start", "suite", "resume"]),
    )
    .option("--replay-zone <zone>", "time zone of its local_time: UTC, +02:00, America/Chicago", "UTC")
    .addOption(
      new Option("--every <time>", "time between care cycles, by the plant's clock: 30m, 6h")
        .argParser(checked(duration))
        .default(hours(6), "6h"),
    )
    .option("--max-rounds <n>", "replies a model may give in a cycle", checked(rounds), 24)
    .option("--report <dir>", "write report.html, report.json, story.txt, and what --resume needs")
    .option("--resume", "continue the simulation in the folder of --report")
    .addOption(
      new Option(
        "--suite",
        "run every scenario, with the model given, the caretaker, never-water and always-water; print one table",
      ).conflicts(["scenario", "resume"]),
    )
    .option("--list", "list the scenarios")
    .option("--json", "print the result as JSON")
    .addHelpText("after", "\nExit codes: 0 done; 1 failed; 2 wrong use; 130 stopped by Ctrl-C.");
  for (const option of boundOptions()) command.addOption(option);
  return command;
}

const whole = (least: number, most: number) => (text: string) => {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Error(`must be a whole number from ${least} to ${most}`);
};

function instant(text: string): number {
  const at = parseIso(text);
  if (at !== undefined) return at;
  throw new Error("must be a time such as 2026-06-01T06:00:00Z");
}

function species(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim().toLowerCase());
  if (names.every((name) => name !== "")) return names;
  throw new Error("must be species with commas between them, such as cactus,basil");
}

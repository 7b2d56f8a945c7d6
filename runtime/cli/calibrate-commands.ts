import type { Command } from "commander";
import type { MoistureOptions, PumpOptions } from "./calibrate/commands.js";
import { orExplain } from "./failure.js";
import { configOption, number, remote, whole } from "./options.js";

/** `tendril calibrate moisture` and `tendril calibrate pump`. */
export function addCalibrate(program: Command): void {
  const calibrate = program
    .command("calibrate")
    .description(
      "Learn what a probe gives dry and wet, or what a pump moves, and write it into the configuration.",
    );
  common(calibrate, "moisture", "Walk a probe through dry, wet and its pot.")
    .option(
      "--dry <level>",
      "what it gives dry, in volts or a seesaw's counts; with --wet: nothing is measured",
      level,
    )
    .option("--wet <level>", "what it gives wet", level)
    .action((plant: string | undefined, options: MoistureOptions) =>
      orExplain(async () => (await commands()).moisture(plant, options)),
    );
  common(calibrate, "pump", "Pour three doses into a jug on a scale; they count as poured.")
    .option("--ml <n>", "of one dose, as the runtime believes", whole(10, 25), 15)
    .option("--flow <ml/s>", "as measured otherwise: nothing is poured", number(0, 1000))
    .action((plant: string | undefined, options: PumpOptions) =>
      orExplain(async () => (await commands()).pump(plant, options)),
    );
}

/** As far as any ADC goes; the configuration's own limits say the rest. */
const level = number(-100_000, 100_000);

const common = (calibrate: Command, name: string, description: string): Command =>
  remote(calibrate, name, description)
    .argument("[plant]", "id or name (default: the first)")
    .addOption(configOption())
    .option("--yes", "write without asking");

const commands = () => import("./calibrate/commands.js");

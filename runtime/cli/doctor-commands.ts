import { type Command, Option } from "commander";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { configFile, configOption, isConfigNamed } from "./config-file.js";
import { orExplain } from "./failure.js";
import { state } from "./options.js";
import { print } from "./print.js";

interface DoctorOptions {
  readonly state: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly root: string;
}

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("Look whether everything is well, and say what to do where it is not.")
    .addOption(state())
    .addOption(configOption())
    .option("--json", "as JSON")
    .addOption(
      new Option("--root <dir>", "look at the computer whose files lie here").default("/").hideHelp(),
    )
    .action((options: DoctorOptions) => orExplain(() => doctor(options)));
}

/** Exit code 1 where something has to be mended. */
async function doctor(options: DoctorOptions): Promise<void> {
  const { openPatient } = await import("../doctor/patient.js");
  const { examine, report } = await import("../doctor/doctor.js");
  const { state, root } = options;
  const where = { state, root, file: configFile(options), isNamed: isConfigNamed(options) };
  const patient = await openPatient({ ...where, clock: new SystemClock() });
  if (!options.json) {
    process.exitCode = (await examine(patient, print)) ? 0 : 1;
    return;
  }
  const found = await report(patient);
  process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  process.exitCode = found.summary.failure === 0 ? 0 : 1;
}

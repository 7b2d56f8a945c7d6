import { type Command, Option } from "commander";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { configFile, isConfigNamed } from "../places.js";
import type { Asker } from "../setup/asker.js";
import { CommandError, orExplain, WRONG_USE } from "./failure.js";
import { configOption, state } from "./options.js";
import { print } from "./print.js";

interface DoctorOptions {
  readonly state: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly relays?: boolean;
  readonly yesThePumpsAreUnplugged?: boolean;
  readonly root: string;
}

export function addDoctor(program: Command): void {
  program
    .command("doctor")
    .description("Look whether everything is well, and say what to do where it is not.")
    .addOption(state())
    .addOption(configOption())
    .option("--json", "as JSON")
    .option(
      "--relays",
      "switch each relay for half a second, with pumps and lamps unplugged, and ask what its lamp did",
    )
    .option("--yes-the-pumps-are-unplugged", "for --relays: what else has to be typed in a terminal")
    .addOption(
      new Option("--root <dir>", "look at the computer whose files lie here").default("/").hideHelp(),
    )
    .action((options: DoctorOptions) =>
      orExplain(() => (options.relays ? relays(options) : doctor(options))),
    );
}

/** Exit code 1 where something has to be mended. */
async function doctor(options: DoctorOptions): Promise<void> {
  const { openInstallation } = await import("../doctor/installation.js");
  const { examine, report } = await import("../doctor/doctor.js");
  const { state, root } = options;
  const where = { state, root, file: configFile(options), isNamed: isConfigNamed(options) };
  const installation = await openInstallation({ ...where, clock: new SystemClock() });
  if (!options.json) {
    process.exitCode = (await examine(installation, print)) ? 0 : 1;
    return;
  }
  const found = await report(installation);
  process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  process.exitCode = found.summary.failure === 0 ? 0 : 1;
}

/** Pumps have to be unplugged, and a person has to look: neither can be taken for granted. */
async function relays(options: DoctorOptions): Promise<void> {
  const { state, root } = options;
  const { configFor } = await import("./config-file.js");
  const { Machine } = await import("../../drivers/pi/inspect/machine.js");
  const { testRelays } = await import("../doctor/relay-test.js");
  const { openAsker } = await import("../setup/asker.js");
  await assertOwn(state);
  const machine = new Machine(root);
  const kernel = { leds: machine.path("/sys/class/leds"), gpio: machine.path("/sys/class/gpio") };
  const config = await configFor(options);
  const { asker, isTerminal, close } = await openAsker(false);
  try {
    if (!options.yesThePumpsAreUnplugged) await askUnplugged(asker, isTerminal);
    const isRight = await testRelays({ config, state, clock: new SystemClock(), asker, kernel });
    process.exitCode = isRight ? 0 : 1;
  } finally {
    close();
  }
}

/** The ledgers are written to: files of another user's would keep the runtime from starting. */
async function assertOwn(state: string): Promise<void> {
  const { stat } = await import("node:fs/promises");
  const owner = (await stat(state).catch(() => undefined))?.uid;
  if (owner === undefined || owner === process.getuid?.()) return;
  throw new CommandError(`${state} is another user's: sudo -u '#${owner}' tendril doctor --relays`);
}

const UNPLUGGED = "unplugged";

async function askUnplugged(asker: Asker, isTerminal: boolean): Promise<void> {
  if (!isTerminal)
    throw new CommandError(
      "--relays is for a terminal, with somebody before the relay board: or say --yes-the-pumps-are-unplugged",
      WRONG_USE,
    );
  asker.say("Each relay will be switched for half a second. Unplug every pump and every lamp first.");
  const question = `Type "${UNPLUGGED}" when they are, and you can see the relay board`;
  await asker.text(question, "", (answer) =>
    answer === UNPLUGGED ? undefined : `type "${UNPLUGGED}", or press Ctrl-C`,
  );
}

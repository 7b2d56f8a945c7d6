import { stat } from "node:fs/promises";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { Machine } from "../../drivers/pi/inspect/machine.js";
import { examine } from "../doctor/doctor.js";
import { openInstallation } from "../doctor/installation.js";
import { configFile, isConfigNamed, type Places } from "../places.js";
import type { Asker } from "../setup/asker.js";
import { CommandError, wrongUse } from "./failure.js";
import { print } from "./print.js";
import { configFor, placesInUse } from "./state.js";
import { openAsker } from "./terminal.js";

interface DoctorOptions extends Places {
  readonly json?: boolean;
  readonly yesThePumpsAreUnplugged?: boolean;
  readonly root: string;
}

/** Exit code 1 if something has to be fixed. */
export async function doctor(options: DoctorOptions): Promise<void> {
  const { state, root } = options;
  const used = placesInUse(options);
  const where = { state, root, file: configFile(used), isNamed: isConfigNamed(used) };
  const installation = await openInstallation({ ...where, clock: new SystemClock() });
  const found = await examine(installation, options.json ? () => undefined : print);
  if (options.json) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  process.exitCode = found.summary.failure === 0 ? 0 : 1;
}

/** Tests the relays. Pumps have to be unplugged, and a person has to look. */
export async function relays(options: DoctorOptions): Promise<void> {
  const { state, root } = options;
  const { testRelays } = await import("../doctor/relay-test.js"); // loads native code, which the rest of the doctor does not need
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

/** The test writes to the ledgers: files of another user would keep the runtime from starting. */
async function assertOwn(state: string): Promise<void> {
  const owner = (await stat(state).catch(() => undefined))?.uid;
  if (owner === undefined || owner === process.getuid?.()) return;
  throw new CommandError(`${state} belongs to another user: sudo -u '#${owner}' tendril doctor --relays`);
}

const UNPLUGGED = "unplugged";

async function askUnplugged(asker: Asker, isTerminal: boolean): Promise<void> {
  if (!isTerminal)
    throw wrongUse(
      "--relays is for a terminal, with somebody before the relay board: or say --yes-the-pumps-are-unplugged",
    );
  asker.say("Each relay will be switched for half a second. Unplug every pump and every lamp first.");
  const question = `Type "${UNPLUGGED}" when they are, and you can see the relay board`;
  await asker.text(question, "", (answer) =>
    answer === UNPLUGGED ? undefined : `type "${UNPLUGGED}", or press Ctrl-C`,
  );
}

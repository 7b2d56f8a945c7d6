import { stat } from "node:fs/promises";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { Machine } from "../../drivers/pi/inspect/machine.js";
import { CommandError, wrongUse } from "../cli/failure.js";
import { print } from "../cli/print.js";
import { configFor, placesInUse } from "../cli/state.js";
import { openAsker } from "../cli/terminal.js";
import { configFile, isConfigNamed, type Places } from "../places.js";
import type { Asker } from "../setup/asker.js";
import { isoUtc } from "../tools/iso-time.js";
import { HouseTime, timesIn } from "../wire/house-time.js";
import { VERSION } from "../wire/program.js";
import { type Check, lineOf, type Result, runChecks, summaryLine, summaryOf } from "./check.js";
import { accessChecks } from "./checks/access.js";
import { boardChecks, diskChecks } from "./checks/board.js";
import { bridgeChecks, homeChecks } from "./checks/bridge.js";
import { deviceChecks, relayChecks } from "./checks/devices.js";
import { networkChecks } from "./checks/network.js";
import { programChecks, serviceChecks } from "./checks/service.js";
import { stateChecks } from "./checks/state.js";
import { type Installation, openInstallation } from "./installation.js";

/** Runs all checks, and says each result at once. Resolves with all of them as one object with stable names, for programs. */
async function examine(installation: Installation, say: (line: string) => void) {
  const all = checksOf(installation);
  const width = Math.max(...all.map(({ name }) => name.length));
  const time = new HouseTime(installation.config?.zone);
  const checks: Result[] = [];
  for await (const result of runChecks(all)) {
    checks.push(result);
    say(timesIn(lineOf(result, width), time));
  }
  const { state, file, clock } = installation;
  const summary = summaryOf(checks);
  say(summaryLine(summary));
  return { version: VERSION, checked_at: isoUtc(clock.now()), config: file, state, summary, checks };
}

/** All checks, in the order of the output. A new group is a file in checks/ and a line here. */
const GROUPS: readonly ((installation: Installation) => Check[])[] = [
  programChecks,
  stateChecks,
  boardChecks,
  accessChecks,
  relayChecks,
  deviceChecks,
  diskChecks,
  networkChecks,
  serviceChecks,
  bridgeChecks,
  homeChecks,
];

export const checksOf = (installation: Installation): readonly Check[] =>
  GROUPS.flatMap((group) => group(installation));

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
  const { testRelays } = await import("./relay-test.js"); // loads native code, which the rest of the doctor does not need
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

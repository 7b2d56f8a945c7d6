import { existsSync } from "node:fs";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { type Findings, inspect } from "../../drivers/pi/inspect/inspect.js";
import { Machine } from "../../drivers/pi/inspect/machine.js";
import { isRuntimeAlive } from "../doctor/installation.js";
import { configFile, isConfigNamed, PACKAGED, type Places } from "../places.js";
import { type Answers, readAnswers } from "../setup/answers.js";
import type { Asker } from "../setup/asker.js";
import { guide } from "../setup/guide.js";
import { carryOut, describeFindings, interlockInWords } from "../setup/setup.js";
import { wrongUse } from "./failure.js";
import { printVerbatim } from "./print.js";
import { openAsker } from "./terminal.js";

interface SetupOptions extends Places {
  readonly yes?: boolean;
  readonly from?: string;
  readonly dryRun?: boolean;
  readonly plain?: boolean;
  readonly root: string;
}

export async function setup(options: SetupOptions): Promise<void> {
  if (options.from !== undefined && !options.yes && !options.dryRun)
    throw wrongUse("--from answers everything: add --yes to write it, or --dry-run to see it");
  if (options.from !== undefined && !existsSync(options.from))
    throw wrongUse(`there is no file ${options.from} with answers: correct --from`);
  const machine = new Machine(options.root);
  const findings = await look(options, machine);
  const isRoot = process.getuid?.() === 0;
  const { state, dryRun = false } = options;
  const isRunning = isRuntimeAlive(state);
  const parts = {
    isRunning,
    machine,
    findings,
    clock: new SystemClock(),
    file: target(options),
    state,
    isRoot,
    dryRun,
  };
  if (options.yes || options.from !== undefined)
    return carryOut(options.from === undefined ? {} : readAnswers(options.from), {
      ...parts,
      say: printVerbatim,
    });
  await guided(options, findings, (asker, answers) =>
    carryOut(answers, { ...parts, say: (text) => asker.say(text), asker }),
  );
}

/** With the package's state folder the package's configuration file, which may not exist yet. */
const target = (options: SetupOptions): string =>
  !isConfigNamed(options) && options.state === PACKAGED.state ? PACKAGED.config : configFile(options);

/** Leaves the bus alone if a runtime uses it, or if it belongs to another computer. */
async function look({ state, root }: SetupOptions, machine: Machine): Promise<Findings> {
  const on = { machine, clock: new SystemClock() };
  if (root !== "/")
    return inspect({ ...on, leaveBus: "not asked: these are the files of another computer", run: silent });
  if (isRuntimeAlive(state))
    return inspect({ ...on, leaveBus: "not asked: a runtime uses it (systemctl stop tendril)" });
  return inspect(on);
}

const silent = async () => ({ said: "", status: undefined });

async function guided(
  { plain }: SetupOptions,
  findings: Findings,
  then: (asker: Asker, answers: Answers) => Promise<void>,
): Promise<void> {
  const { asker, close } = await openAsker(plain ?? false);
  try {
    asker.say(describeFindings(findings));
    await then(asker, await guide(asker, findings, (port) => interlockInWords(port, new SystemClock())));
  } finally {
    close();
  }
}

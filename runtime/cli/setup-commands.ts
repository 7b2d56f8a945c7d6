import { type Command, Option } from "commander";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Findings } from "../../drivers/pi/inspect/inspect.js";
import type { Machine } from "../../drivers/pi/inspect/machine.js";
import { configFile, isConfigNamed, PACKAGED } from "../places.js";
import { CommandError, orExplain, WRONG_USE } from "./failure.js";
import { configOption, state } from "./options.js";
import { print } from "./print.js";

interface SetupOptions {
  readonly state: string;
  readonly config?: string;
  readonly yes?: boolean;
  readonly from?: string;
  readonly dryRun?: boolean;
  readonly plain?: boolean;
  readonly root: string;
}

/** For tests, and for a card that lies in another computer. */
const rootOption = () =>
  new Option("--root <dir>", "look at the computer whose files lie here").default("/").hideHelp();

export function addSetup(program: Command): void {
  program
    .command("setup")
    .description("Find the hardware, ask what is wired to it, and write a checked configuration.")
    .addOption(state())
    .addOption(configOption())
    .option("--from <file>", "answers from a file; with --yes nothing is asked")
    .option("--yes", "take what the hardware makes plain and --from says, and write it")
    .option("--dry-run", "show what would be written, and write nothing")
    .option("--plain", "plain lines in place of menus")
    .addOption(rootOption())
    .action((options: SetupOptions) => orExplain(() => setup(options)));
}

async function setup(options: SetupOptions): Promise<void> {
  if (options.from !== undefined && !options.yes && !options.dryRun)
    throw new CommandError(
      "--from answers everything: say --yes to write it, or --dry-run to see it",
      WRONG_USE,
    );
  const { Machine } = await import("../../drivers/pi/inspect/machine.js");
  const machine = new Machine(options.root);
  const findings = await look(options, machine);
  const { carryOut } = await import("../setup/setup.js");
  const isRoot = process.getuid?.() === 0;
  const parts = {
    machine,
    findings,
    clock: new SystemClock(),
    file: target(options),
    state: options.state,
    isRoot,
  };
  const dryRun = options.dryRun ?? false;
  if (options.yes || options.from !== undefined)
    return carryOut(await answersFrom(options.from), { ...parts, say: print, dryRun });
  await guided(options, findings, (asker, answers) =>
    carryOut(answers, { ...parts, say: (text) => asker.say(text), asker, dryRun }),
  );
}

/** The package's place where its state is, although nothing is there yet that its wrapper could name. */
const target = (options: SetupOptions): string =>
  !isConfigNamed(options) && options.state === PACKAGED.state ? PACKAGED.config : configFile(options);

/** A bus that a runtime uses, or that is another computer's, is left alone. */
async function look({ state, root }: SetupOptions, machine: Machine): Promise<Findings> {
  const { inspect } = await import("../../drivers/pi/inspect/inspect.js");
  const clock = new SystemClock();
  if (root !== "/")
    return inspect({
      machine,
      clock,
      leaveBus: "not asked: these are the files of another computer",
      run: silent,
    });
  const { isRuntimeAlive } = await import("../doctor/installation.js");
  const runs = isRuntimeAlive(state);
  return inspect({
    machine,
    clock,
    ...(runs && { leaveBus: "not asked: a runtime uses it (systemctl stop tendril)" }),
  });
}

const silent = async () => ({ said: "", status: undefined });

async function answersFrom(file: string | undefined) {
  if (file === undefined) return {};
  const { readAnswers } = await import("../setup/answers.js");
  return readAnswers(file);
}

type Asker = import("../setup/asker.js").Asker;
type Answers = import("../setup/answers.js").Answers;

async function guided(
  { plain }: SetupOptions,
  findings: Findings,
  then: (asker: Asker, answers: Answers) => Promise<void>,
): Promise<void> {
  const { guide } = await import("../setup/guide.js");
  const { describeFindings } = await import("../setup/describe.js");
  const { interlockInWords } = await import("../setup/describe.js");
  const { openAsker } = await import("../setup/asker.js");
  const { asker, close } = await openAsker(plain ?? false);
  try {
    asker.say(describeFindings(findings));
    await then(asker, await guide(asker, findings, (port) => interlockInWords(port, new SystemClock())));
  } finally {
    close();
  }
}

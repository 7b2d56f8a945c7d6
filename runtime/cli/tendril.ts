#!/usr/bin/env -S node --max-semi-space-size=2 --v8-pool-size=1
import { Command, CommanderError, Option } from "commander";
import { quoted } from "../wire/phrases.js";
import { VERSION } from "../wire/program.js";
import { orExplain, WRONG_USE } from "./failure.js";
import { addMachineCommands } from "./machine-commands.js";
import { configOption, filled, inGroups, number, state, timeOfDay, whole } from "./options.js";
import { callAs, calledAs, fitting, givenTo, harmless, ignoreClosedOutput, repeatInHints } from "./print.js";
import { FRUGAL, startProgram } from "./programs.js";
import { addRemoteCommands } from "./remote-commands.js";

/** Columns of the descriptions in help: 80, less what the widest command takes. Commander wraps none below 40 by default. */
const NARROWEST = 30;

const program = new Command(calledAs())
  .description("Gives a language model hands to care for plants, and keeps those hands safe.")
  .version(VERSION)
  .configureHelp({ minWidthToWrap: NARROWEST })
  .exitOverride();

const benchOptions = (command: Command, speed: number) =>
  command
    .addOption(state())
    .option("--speed <x>", "how much faster than real time the bench runs", number(0.01, 60), speed)
    .option("--seed <n>", "seed of the bench's noise", whole(0, 0xffff_ffff), 1)
    .option("--replay <file>", "play a recording (CSV: local_time,lux,raw_adc,volts) through the probe")
    .option(
      "--replay-zone <zone>",
      "time zone of the recording's local_time: UTC, +02:00, America/Chicago",
      "UTC",
    );

benchOptions(
  program
    .command("serve")
    .description("Run the runtime: hardware, safety, and the tools over WebSocket and HTTP."),
  1,
)
  .option("--skip-gaps", "with --replay: leave out times in which nothing was recorded")
  .option("--begin <HH:MM>", "UTC: where the clock of a new bench begins (default: now)", timeOfDay)
  .option("--bench", "simulated hardware with simulated plants, whatever board the configuration names")
  .option(
    "--bench-controls",
    "with --bench: a person may see the truth, break things and cut the power on the page",
  )
  .addOption(configOption())
  .option("--host <host>", "address to listen on (default: 127.0.0.1)", filled)
  .option(
    "--plain-too",
    "with --host: open the port without TLS to the network; anybody there can read the tokens",
  )
  .option("--port <n>", "port; 0 picks a free one (default: 8731)", whole(0, 65_535))
  .addOption(
    new Option("--log-level <level>", "lowest level of the log on stderr")
      .choices(["debug", "info", "warn", "error"])
      .default("info"),
  )
  .action((options) => orExplain(async () => (await import("./serve.js")).serve(options)));

benchOptions(
  program
    .command("demo")
    .description("Run runtime and agent together on the bench, to watch. npm start runs this."),
  60,
)
  .option("--port <n>", "port; 0 picks a free one (default: 8731)", whole(0, 65_535))
  .option("--every <time>", "time between two care cycles, by the plant's clock", "30m")
  .option("--no-skip-gaps", "also play the recording's gaps, without readings")
  .addOption(configOption())
  .action((options, command: Command) => {
    const isStateNamed = command.getOptionValueSource("state") === "cli";
    return orExplain(async () => (await import("./demo.js")).demo({ ...options, isStateNamed }));
  });

/** A command that is a separate program, with its own options and help. */
const separate = (name: string, description: string, run: (args: readonly string[]) => void) =>
  program
    .command(name)
    .description(`${description} See ${callAs(name)} --help.`)
    .helpOption(false)
    .allowUnknownOption()
    .argument("[options...]")
    .action((_, __, command: Command) => run(command.args));

separate("agent", "Run the agent client: it connects to a runtime and cares for its plants.", (args) =>
  startProgram("../../agent-client/main.js", args, FRUGAL),
);
separate("models", "Test language models before they get a plant.", (args) =>
  startProgram("../../agent-client/models/main.js", args),
);
separate("log", "Show a run of the agent as a story, on the computer where it ran.", (args) =>
  startProgram("../../agent-client/run-log/main.js", args),
);
separate("discover", "List the runtimes on this network.", (args) =>
  startProgram("../../agent-client/discovery/main.js", args),
);
separate("simulate", "Try an agent on simulated plants before it meets real ones.", (args) =>
  startProgram("../../agent-client/harness/main.js", args),
);

addRemoteCommands(program);
addMachineCommands(program);
inGroups(program);

/** Commander has printed the message. */
function endOf(error: unknown): void {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : WRONG_USE;
}

function inPlainWords(message: string, command: Command): string {
  const plain = message
    .replace(
      /^error: command-argument value '(.*)' is invalid for argument '(.*)'\. (.*)/,
      "error: $2 is $1, and $3",
    )
    .replace(/^error: option '(.*)' argument '(.*)' is invalid\. (.*)/, "error: $1 is $2, and $3")
    .replace(/^error: .* is (.*), and Allowed choices are/, "error: '$1' is none of");
  return tooMany(withChoices(plain, command), command);
}

/** A missing argument of few words names them. */
function withChoices(message: string, { registeredArguments: expected }: Command): string {
  const missing = /^error: missing required argument '(.*)'/.exec(message)?.[1];
  const choices = expected.find((each) => each.name() === missing)?.argChoices;
  return choices ? `${message.trimEnd()}: one of ${choices.join(", ")}\n` : message;
}

/** A word too many for a command that takes its plant by an option is most likely the plant. */
function tooMany(message: string, { args, options, registeredArguments: expected }: Command): string {
  const word = args[expected.length];
  const takesPlant = options.some(({ long }) => long === "--plant");
  if (!takesPlant || word === undefined || !message.startsWith("error: too many arguments")) return message;
  return `${message.trimEnd()} For a plant: use --plant ${quoted(harmless(word))}\n`;
}

/**
 * After a mistake in a subcommand, the hint names the subcommand's help. Empty values of options are refused. This is where
 * commander's errors become ours.
 */
function ready(command: Command, name: string): void {
  command.showHelpAfterError(`(see "${name} --help")`);
  command.configureOutput({
    outputError: (message, write) => write(fitting(process.stderr, harmless(inPlainWords(message, command)))),
  });
  for (const option of command.options) if (option.required && !option.parseArg) option.argParser(filled);
  for (const each of command.commands) ready(each, `${name} ${each.name()}`);
}

ready(program, calledAs());
program.hook("preAction", (_, command) => repeatInHints(givenTo(command), program));
ignoreClosedOutput(process.stdout);
await program.parseAsync().catch(endOf);

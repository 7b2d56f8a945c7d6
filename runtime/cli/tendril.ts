#!/usr/bin/env -S node --max-semi-space-size=4
import { Argument, Command, CommanderError, Option } from "commander";
import { VERSION } from "../wire/version.js";
import { addBackupCommands } from "./backup-commands.js";
import { addCalibrate } from "./calibrate-commands.js";
import { addDoctor } from "./doctor-commands.js";
import { orExplain, WRONG_USE } from "./failure.js";
import { configOption, filled, number, remote as remoteOf, state, timeOfDay, whole } from "./options.js";
import { endQuietly } from "./print.js";
import { runBeside } from "./run-beside.js";
import { addSetup } from "./setup-commands.js";
import type { Address } from "./state.js";
import { addTrust } from "./trust-commands.js";

/**
 * Megabytes of V8's young generation, of which it takes 16 by itself: an agent that waits most of the time holds 20 MB
 * less, and is no slower to notice (`npm run bench`). The first line of agent-client/main.ts says the same.
 */
const FRUGAL = "--max-semi-space-size=2";

const program = new Command("tendril")
  .description("Gives a language model hands to care for plants, and keeps those hands safe.")
  .version(VERSION)
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
  .option("--skip-gaps", "of a recording: leave out the times in which nothing was recorded")
  .option("--begin <HH:MM>", "UTC, of a new bench: where its clock begins (default: now)", timeOfDay)
  .option("--bench", "simulated hardware with simulated plants, whatever board the configuration names")
  .addOption(configOption())
  .option("--host <host>", "address to listen on (default: 127.0.0.1)", filled)
  .option(
    "--plain-too",
    "with --host: open the port without TLS to the network; anybody there can read the tokens",
  )
  .option("--port <n>", "port; 0 picks a free one (default: 8731)", whole(0, 65_535))
  .addOption(
    new Option("--log-level <level>", "least level of the log on stderr")
      .choices(["debug", "info", "warn", "error"])
      .default("info"),
  )
  .action((options) => orExplain(async () => (await import("./serve.js")).serve(options)));

benchOptions(
  program
    .command("demo")
    .description("Runtime and agent together on the bench, to watch. This is what npm start runs."),
  60,
)
  .option("--port <n>", "port; 0 picks a free one (default: 8731)", whole(0, 65_535))
  .option("--every <time>", "time between two care cycles, by the plant's clock", "30m")
  .option("--no-skip-gaps", "play the recording's gaps too, in which there is nothing to read")

  .addOption(configOption())
  .action((options, command: Command) => {
    const isStateNamed = command.getOptionValueSource("state") === "cli";
    return orExplain(async () => (await import("./demo.js")).demo({ ...options, isStateNamed }));
  });

program
  .command("agent")
  .description(
    "Run the agent client: it connects to a runtime and cares for its plants. See tendril agent --help.",
  )
  .helpOption(false)
  .allowUnknownOption()
  .argument("[options...]")
  .action((_, __, command: Command) => runBeside("../../agent-client/main.js", command.args, [FRUGAL]));

program
  .command("models")
  .description("Look at language models before they get a plant. See tendril models --help.")
  .helpOption(false)
  .allowUnknownOption()
  .argument("[options...]")
  .action((_, __, command: Command) => runBeside("../../agent-client/models/main.js", command.args));

program
  .command("log")
  .description("Show a run of the agent as a story, on the computer where it ran. See tendril log --help.")
  .helpOption(false)
  .allowUnknownOption()
  .argument("[options...]")
  .action((_, __, command: Command) => runBeside("../../agent-client/run-log/main.js", command.args));

program
  .command("discover")
  .description("List the runtimes on this network. See tendril discover --help.")
  .helpOption(false)
  .allowUnknownOption()
  .argument("[options...]")
  .action((_, __, command: Command) => runBeside("../../agent-client/discovery/main.js", command.args));

program
  .command("simulate")
  .description("Try an agent on simulated plants before it meets real ones. See tendril simulate --help.")
  .helpOption(false)
  .allowUnknownOption()
  .argument("[options...]")
  .action((_, __, command: Command) => runBeside("../../agent-client/harness/main.js", command.args));

const remote = (name: string, description: string) => remoteOf(program, name, description);

remote("status", "Show every plant at a glance.")
  .option("--plant <plant>", "this plant alone")
  .option("--json", "as JSON")
  .option("--watch", "show it again and again, until Ctrl-C")
  .action((options) => orExplain(async () => (await commands()).status(options, options)));

remote("tools", "List the tools that the token may use.")
  .option("--json", "with their schemas, as JSON")
  .action((options: Address & { json?: boolean }) =>
    orExplain(async () => (await commands()).tools(options, options)),
  );

remote("history", "Draw what was measured, poured or lit.")
  .addArgument(
    new Argument("<what>", "which history").choices([
      "moisture",
      "water",
      "light",
      "temperature",
      "humidity",
      "pressure",
    ]),
  )
  .option("--hours <n>", "how far back", whole(1, 876_000), 24)
  .option("--plant <plant>", "which plant (default: the first)")
  .option("--place <place>", "which room, for temperature, humidity and pressure (default: the first)")
  .option("--json", "its figures, as JSON; times are UTC")
  .addOption(
    new Option("--csv", "its figures, as a table for a spreadsheet; times are UTC").conflicts("json"),
  )
  .option("--watch", "show it again and again, until Ctrl-C")
  .action((what, options) => orExplain(async () => (await commands()).history(options, what, options)));

remote("photo", "Show where the newest photo of a plant is; one is taken where there is none.")
  .option("--plant <plant>", "which plant (default: the first)")
  .option("--take", "take a new photo")
  .option("--open", "show it, with the program that this computer has for pictures")
  .option("--save <file>", "write it to a file")
  .action((options) => orExplain(async () => (await commands()).photo(options, options)));

remote("messages", "Show the messages between you and the agent, and what the runtime tells.")
  .option("--limit <n>", "how many", whole(1, 50), 10)
  .option("--json", "as JSON; with --follow one a line")
  .option("--follow", "go on with those that come, until Ctrl-C")
  .action((options) => orExplain(async () => (await commands()).messages(options, options)));

remote("reply", "Write to the agent.")
  .argument("<text...>", "what to say")
  .option("--to <id>", "the message this answers (default: the agent's newest)")
  .action((text: string[], options) =>
    orExplain(async () => (await commands()).reply(options, text.join(" "), options)),
  );

remote("approvals", "Show what waits for your yes, and what became of what did.")
  .option("--limit <n>", "how many", whole(1, 50), 10)
  .action((options) => orExplain(async () => (await approvals()).approvals(options, options)));

for (const [name, approve, description] of [
  ["approve", true, "Say yes to what an agent wants to do; tendril approvals has the ids."],
  ["deny", false, "Say no to it, or take back a yes that was not used yet."],
] as const)
  remote(name, description)
    .argument("<id>", "of the request", whole(1, Number.MAX_SAFE_INTEGER))
    .action((id: number, options) => orExplain(async () => (await approvals()).answer(options, id, approve)));

remote("hold", "Keep everything, or one plant, from being switched on.")
  .argument("[plant]")
  .option("--reason <text>", "why; the agent is told")
  .action((plant, options) => orExplain(async () => (await commands()).hold(options, plant, options.reason)));

remote("resume", "Lift a hold.")
  .argument("[plant]")
  .action((plant, options) => orExplain(async () => (await commands()).resume(options, plant)));

remote("off", "Switch everything off now, then hold.").action((options) =>
  orExplain(async () => (await commands()).off(options)),
);

remote("clear", "Unlock a pump after you have looked at tube, tank and probe, or for the leak.")
  .argument("[plant]")
  .action((plant, options) => orExplain(async () => (await commands()).clear(options, plant)));

remote("release", "End an agent's care of a plant, so that another agent may begin at once.")
  .argument("[plant]", "id or name (default: all)")
  .action((plant, options) => orExplain(async () => (await commands()).release(options, plant)));

remote("water", "Pour a dose by hand; onto wet soil only after a yes. All other limits hold.")
  .argument("<ml>", "10 to 25", whole(10, 25))
  .option("--plant <plant>", "which plant (default: the first)")
  .option("--yes", "also onto wet soil, without a question")
  .action((ml: number, options) =>
    orExplain(async () => (await import("./water.js")).water(options, ml, options)),
  );

addCalibrate(program);

program
  .command("when")
  .description("Show what time words mean, such as tomorrow at 8am or every other monday at 7.")
  .argument("[phrase...]", "the words")
  .option("--now <time>", "ISO 8601: the time from which they are read (default: now)")
  .option("--zone <zone>", "such as America/Recife or -02:00 (default: that of the configuration)")
  .option("--json", "as JSON")
  .option("--lines", "answer JSON objects {text, now, zone} from standard input, one a line")
  .addOption(state())
  .addOption(configOption())
  .action((phrase: string[], options) =>
    orExplain(async () => (await import("./when.js")).when(phrase, options)),
  );

program
  .command("config")
  .description("Check the configuration and print it with every default filled in.")
  .addOption(state())
  .addOption(configOption())
  .action((options) => orExplain(async () => (await import("./config.js")).printConfig(options)));

addTrust(program);

addSetup(program);
addDoctor(program);
addBackupCommands(program);

const commands = () => import("./commands.js");
const approvals = () => import("./approvals.js");

/** Commander has said what is wrong. */
function endOf(error: unknown): void {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : WRONG_USE;
}

/** Who errs in a subcommand wants its help, not that of all. */
function pointToOwnHelp(command: Command, name: string): void {
  command.showHelpAfterError(`(see "${name} --help")`);
  for (const each of command.commands) pointToOwnHelp(each, `${name} ${each.name()}`);
}

pointToOwnHelp(program, "tendril");
endQuietly(process.stdout);
await program.parseAsync().catch(endOf);

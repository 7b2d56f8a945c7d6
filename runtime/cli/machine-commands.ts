import { Argument, type Command, Option } from "commander";
import { KINDS, ROLES } from "../wire/identity.js";
import { orExplain } from "./failure.js";
import { configOption, instant, state, whole } from "./options.js";
import { callAs } from "./print.js";

/** What concerns this computer and its state folder, whether a runtime runs or not. */
export function addMachineCommands(program: Command): void {
  program
    .command("config")
    .description("Check the configuration and print it with every default filled in.")
    .addOption(state())
    .addOption(configOption())
    .action((options) => orExplain(async () => (await import("./config.js")).printConfig(options)));
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
  addTrust(program);
  addSetup(program);
  addDoctor(program);
  addBackups(program);
  addTransfer(program);
}

/** Whom this runtime trusts, and by what others know it: tokens, pairing codes, its TLS key. */
function addTrust(program: Command): void {
  addTokens(program.command("token").description("Manage tokens."));
  program
    .command("pair")
    .description("Show a code for which another computer gets a token of its own, once, within ten minutes.")
    .addOption(
      new Option("--role <role>", "what it may do; human may do everything").choices(ROLES).default("agent"),
    )
    .option("--name <name>", "of the token (default: the other computer's name)")
    .addOption(new Option("--list", "show whether a code is open").conflicts("cancel"))
    .option("--cancel", "void the open code")
    .addOption(state())
    .action((options) => orExplain(async () => (await import("./pairing.js")).pair(options)));
  program
    .command("join")
    .description(
      "Get a token for a code that `tendril pair` shows elsewhere: commands here then go to that runtime.",
    )
    .argument("<url>", "of the other runtime's TLS port: https://raspberrypi.local:8732")
    .argument("<code>", "as it is shown there")
    .addOption(new Option("--role <role>", "as the code has it").choices(ROLES).default("human"))
    .addOption(state())
    .action((url, code, options) =>
      orExplain(async () => (await import("./pairing.js")).joinRuntime(url, code, options)),
    );
  program
    .command("tls")
    .description(
      "Show the key by which others know this runtime, its certificate, and until when it is valid.",
    )
    .addOption(state())
    .addOption(configOption())
    .action((options) => orExplain(async () => (await import("./trust.js")).showTls(options)));
}

function addTokens(token: Command): void {
  const tokens = () => import("./trust.js");
  token
    .command("add")
    .description("Make a further token and print where it is.")
    .addArgument(
      new Argument("<role>", "a role; or bridge or metrics, which may do one thing each").choices(KINDS),
    )
    .argument("[name]", `tells it from others of its role, such as attic: ${callAs("token add agent attic")}`)
    .addOption(state())
    .action((role, name, options) => orExplain(async () => (await tokens()).addToken(role, name, options)));
  token
    .command("list")
    .description("List the tokens there are.")
    .addOption(state())
    .action((options) => orExplain(async () => (await tokens()).showTokens(options)));
  token
    .command("revoke")
    .description("Take a token back; who is connected with it is cut off within half a minute.")
    .argument("<name>", `as \`${callAs("token list")}\` has it: agent.attic`)
    .addOption(state())
    .action((name, options) => orExplain(async () => (await tokens()).revokeToken(name, options)));
}

/** For tests, and for a card that lies in another computer. */
const rootOption = () =>
  new Option("--root <dir>", "look at the computer whose files lie here").default("/").hideHelp();

function addSetup(program: Command): void {
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
    .action((options) => orExplain(async () => (await import("./setup.js")).setup(options)));
}

function addDoctor(program: Command): void {
  const doctor = () => import("./doctor.js");
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
    .addOption(rootOption())
    .action((options) =>
      orExplain(async () =>
        options.relays ? (await doctor()).relays(options) : (await doctor()).doctor(options),
      ),
    );
}

/** `tendril backup`, `tendril restore` and `tendril support-bundle`. */
function addBackups(program: Command): void {
  program
    .command("backup")
    .description("Write all that is durable to one file, also while the runtime runs.")
    .addOption(state())
    .addOption(configOption())
    .option("--to <dir>", "where backups go (default: /var/backups/tendril as a package, else STATE-backups)")
    .option("--keep <n>", "how many backups of this machine stay there", whole(1, 10_000), 14)
    .option("--photos", "pictures too")
    .option("--list <file>", "say what a backup holds, in place of making one")
    .option("--verify <file>", "check a backup from its first byte to its last, in place of making one")
    .action((options) => orExplain(async () => (await import("./backup.js")).backup(options)));
  program
    .command("restore")
    .description("Put a backup in place of the state, which goes aside. The runtime must not run.")
    .argument("<file>", "a backup")
    .addOption(state())
    .addOption(configOption())
    .action((file: string, options) =>
      orExplain(async () => (await import("./backup.js")).restore(file, options)),
    );
  program
    .command("support-bundle")
    .description("Collect what helps to find out what is wrong, without secrets, in one file to send.")
    .addOption(state())
    .addOption(configOption())
    .option("--to <dir>", "where the file goes", ".")
    .option("--with-journals", "what was poured, lit and held in the last 24 hours, too")
    .option("--with-texts", "what people and agents have written, too")
    .option("--yes", "write it without asking")
    .action((options) => orExplain(async () => (await import("./support-bundle.js")).supportBundle(options)));
}

const several = (value: string, before: readonly string[]) => [...before, value];
const formatOption = () => new Option("--format <format>", "csv or jsonl").choices(["csv", "jsonl"]);

/** `tendril export` and `tendril import`. */
function addTransfer(program: Command): void {
  const transfer = () => import("./transfer.js");
  program
    .command("export")
    .description(
      "Write all that was measured as CSV or JSON lines, times in UTC, also while the runtime runs.",
    )
    .addOption(state())
    .addOption(formatOption().default("csv"))
    .option(
      "--from <time>",
      "ISO 8601 with its zone, such as 2026-01-01T00:00:00Z (default: the first)",
      instant,
    )
    .option("--until <time>", "ISO 8601 with its zone, included (default: the last)", instant)
    .option("--plant <name>", "only of this plant, or of this room; may be repeated", several, [])
    .option("--quantity <name>", "only this, such as soil_moisture; may be repeated", several, [])
    .option("--to <file>", "where it goes (default: standard output)")
    .action((options) => orExplain(async () => (await transfer()).exportHistory(options)));
  program
    .command("import")
    .description("Make a new state folder from an export, to look at it on a bench.")
    .argument("<file>", "an export, .csv or .jsonl")
    .addOption(state())
    .addOption(formatOption())
    .action((file: string, options) =>
      orExplain(async () => (await transfer()).importHistory(file, options)),
    );
}

import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { LEAVE_OUT, type LeftOut } from "../places.js";
import { KINDS, ROLES } from "../wire/identity.js";
import { action } from "./failure.js";
import { configCommand, filled, instant, stateCommand, whole } from "./options.js";
import { callAs } from "./print.js";

const backups = () => import("./backup.js");
const bundles = () => import("../support/bundle.js");
const config = () => import("./state.js");
const doctor = () => import("../doctor/doctor.js");
const pairing = () => import("./pairing.js");
const browsers = () => import("./sessions.js");
const setup = () => import("./setup.js");
const transfer = () => import("./transfer.js");
const trust = () => import("./trust.js");
const when = () => import("./when.js");

/** Commands about this computer and its state folder, which need no running runtime. */
export function addMachineCommands(program: Command): void {
  configCommand(program, "config")
    .description("Check the configuration and print it with every default filled in.")
    .action(action(config, (own, options) => own.printConfig(options)));
  configCommand(program, "when")
    .description("Show what time words mean, such as tomorrow at 8am or every other monday at 7.")
    .argument("[phrase...]", "the words")
    .option("--now <time>", "ISO 8601: the time from which they are read (default: now)")
    .option("--zone <zone>", "such as America/Recife or -02:00 (default: that of the configuration)")
    .option("--json", "as JSON")
    .option("--lines", "answer JSON objects {text, now, zone} from standard input, one a line")
    .action(action(when, (own, phrase, options) => own.when(phrase, options)));
  addTrust(program);
  addSessions(program);
  addSetup(program);
  addDoctor(program);
  addBackups(program);
  addTransfer(program);
}

function addTrust(program: Command): void {
  addTokens(program.command("token").description("Manage tokens."));
  stateCommand(program, "pair")
    .description("Show a code that gives another computer its own token, once, within ten minutes.")
    .addOption(
      new Option("--role <role>", "what it may do; human may do everything").choices(ROLES).default("agent"),
    )
    .option("--name <name>", "name of the token (default: the other computer's name)")
    .addOption(new Option("--list", "show whether a code is open").conflicts("cancel"))
    .option("--cancel", "cancel the open code")
    .option("--channel <name>", "instead pair a phone, such as telegram, with a person")
    .option("--person <person>", "with --channel: whose phone it is, by id or name")
    .action(action(pairing, (own, options) => own.pair(options)));
  stateCommand(program, "join")
    .description(
      "Get a token for a code that `tendril pair` shows elsewhere: commands here then go to that runtime.",
    )
    .argument("<url>", "address of the other runtime's TLS port: https://raspberrypi.local:8732")
    .argument("<code>", "the code shown there")
    .addOption(new Option("--role <role>", "the role of the code").choices(ROLES).default("human"))
    .action(action(pairing, (own, url, code, options) => own.joinRuntime(url, code, options)));
  configCommand(program, "tls")
    .description("Show this runtime's key, its certificate, and until when it is valid.")
    .action(action(trust, (own, options) => own.showTls(options)));
}

function addSessions(program: Command): void {
  configCommand(program, "open")
    .description("Open the page in a browser: shows a link that lets one browser in, and its QR code.")
    .option("--person <person>", "as this person of the configuration, by id or name (default: the owner)")
    .option("--observer", "for a screen that everybody can read: sees, switches off, changes nothing else")
    .option("--no-browser", "only show the link")
    .action(action(browsers, (own, options) => own.openPage(options)));
  const sessions = stateCommand(program, "sessions")
    .description("List the browsers that are let in.")
    .option("--json", "as JSON")
    .action(action(browsers, (own, options) => own.showSessions(options)));
  stateCommand(sessions, "revoke")
    .description("End a session: its browser loses access at once.")
    .argument("<id>", `as \`${callAs("sessions")}\` shows it`)
    .action(action(browsers, (own, id, _, command) => own.revokeSession(id, command.optsWithGlobals())));
}

function addTokens(token: Command): void {
  stateCommand(token, "add")
    .description("Make another token and print where it is.")
    .addArgument(
      new Argument("<role>", "a role; or bridge or metrics, which may do one thing each").choices(KINDS),
    )
    .argument(
      "[name]",
      `to distinguish tokens of one role, such as attic: ${callAs("token add agent attic")}`,
    )
    .action(action(trust, (own, role, name, options) => own.addToken(role, name, options)));
  stateCommand(token, "list")
    .description("List the tokens there are.")
    .action(action(trust, (own, options) => own.showTokens(options)));
  stateCommand(token, "revoke")
    .description("Revoke a token: it opens nothing more, and its connections are closed at once.")
    .argument("<name>", `as \`${callAs("token list")}\` shows it: agent.attic`)
    .option("--yes", "also your own token, human, without asking")
    .action(action(trust, (own, name, options) => own.revokeToken(name, options)));
}

/** For tests, and for an SD card in another computer. */
const rootOption = () =>
  new Option("--root <dir>", "root folder of the computer to inspect").default("/").hideHelp();

function addSetup(program: Command): void {
  configCommand(program, "setup")
    .description("Find the hardware, ask what is wired to it, and write a checked configuration.")
    .option("--from <file>", "answers from a file; with --yes nothing is asked")
    .option("--yes", "write what the hardware and --from tell, without asking")
    .option("--dry-run", "show what would be written, and write nothing")
    .option("--plain", "plain lines instead of menus")
    .addOption(rootOption())
    .action(action(setup, (own, options) => own.setup(options)));
}

function addDoctor(program: Command): void {
  configCommand(program, "doctor")
    .description("Check the installation, and say what to do about each problem.")
    .option("--json", "as JSON")
    .option(
      "--relays",
      "switch each relay for half a second, with pumps and lamps unplugged, and ask what its LED did",
    )
    .option("--yes-the-pumps-are-unplugged", "for --relays: confirms this without asking")
    .addOption(rootOption())
    .action(action(doctor, (own, options) => own[options.relays ? "relays" : "doctor"](options)));
}

function leftOut(name: string, before: readonly LeftOut[] = []): readonly LeftOut[] {
  const known = LEAVE_OUT.find((each) => each === name);
  if (known === undefined) throw new InvalidArgumentError(`Allowed choices are ${LEAVE_OUT.join(", ")}.`);
  return [...before, known];
}

function addBackups(program: Command): void {
  configCommand(program, "backup")
    .description("Write all durable data to one file, also while the runtime runs.")
    .option(
      "--to <dir>",
      "folder for backups (default: /var/backups/tendril as a package, else STATE-backups)",
    )
    .option("--keep <n>", "how many backups of this machine to keep", whole(1, 10_000), 14)
    .option("--photos", "include pictures")
    .option("--list <file>", "list the content of a backup, instead of making one")
    .option("--verify <file>", "check a whole backup, instead of making one")
    .action(action(backups, (own, options) => own.backup(options)));
  configCommand(program, "restore")
    .description("Replace the state by a backup; the old state is kept. The runtime must not run.")
    .argument("<file>", "a backup")
    .option(
      "--leave-out <name>",
      `keep today's ${LEAVE_OUT.join(" or ")} instead of the backup's; may be repeated`,
      leftOut,
    )
    .action(action(backups, (own, file, options) => own.restore(file, options)));
  configCommand(program, "support-bundle")
    .description("Collect information about a problem, without secrets, in one file to send.")
    .option("--to <dir>", "folder for the file", ".")
    .option("--with-journals", "include water, light and holds of the last 24 hours")
    .option("--with-texts", "include texts of people and agents")
    .option("--yes", "write it without asking")
    .action(action(bundles, (own, options) => own.supportBundle(options)));
}

const several = (value: string, before: readonly string[]) => [...before, filled(value)];
const formatOption = () => new Option("--format <format>", "csv or jsonl").choices(["csv", "jsonl"]);

function addTransfer(program: Command): void {
  stateCommand(program, "export")
    .description("Write all measurements as CSV or JSON lines (times in UTC), also while the runtime runs.")
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
    .action(action(transfer, (own, options) => own.exportHistory(options)));
  stateCommand(program, "import")
    .description("Make a new state folder from an export, to look at it on a bench.")
    .argument("<file>", "an export, .csv or .jsonl")
    .addOption(formatOption())
    .action(action(transfer, (own, file, options) => own.importHistory(file, options)));
}

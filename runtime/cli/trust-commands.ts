import { Argument, type Command, Option } from "commander";
import { KINDS, ROLES } from "../wire/identity.js";
import { orExplain } from "./failure.js";
import { configOption, state } from "./options.js";

/** Whom this runtime trusts, and by what others know it: tokens, pairing codes, its TLS key. */
export function addTrust(program: Command): void {
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
    .action((options) => orExplain(async () => (await import("./pair.js")).pair(options)));
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
      orExplain(async () => (await import("./join.js")).joinRuntime(url, code, options)),
    );
  program
    .command("tls")
    .description(
      "Show the key by which others know this runtime, its certificate, and until when it is valid.",
    )
    .addOption(state())
    .addOption(configOption())
    .action((options) => orExplain(async () => (await import("./tls.js")).showTls(options)));
}

function addTokens(token: Command): void {
  const tokens = () => import("./token.js");
  token
    .command("add")
    .description("Make a further token and print where it is.")
    .addArgument(
      new Argument("<role>", "a role; or bridge or metrics, which may do one thing each").choices(KINDS),
    )
    .argument("[name]", "tells it from others of its role, such as attic: tendril token add agent attic")
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
    .argument("<name>", "as `tendril token list` has it: agent.attic")
    .addOption(state())
    .action((name, options) => orExplain(async () => (await tokens()).revokeToken(name, options)));
}

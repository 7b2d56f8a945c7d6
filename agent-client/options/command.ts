import { Command, Option } from "commander";
import { pairingCode } from "../../runtime/wire/pairing.js";
import { asPin } from "../../runtime/wire/proof.js";
import { type Millis, minutes } from "../clock.js";
import type { Environment } from "../models/http.js";
import { createModel, DEFAULT_MODEL, ENVIRONMENT, MODEL_NAMES, SEEING } from "../models/index.js";
import type { Model, ToolSet } from "../models/model.js";
import type { StyleAsked } from "../models/style.js";
import { asCalledHere } from "../program.js";
import { type LogOptions, logOptions } from "../run-log/options.js";
import { cronPattern } from "./config.js";
import { boundOptions, checked, duration, limit, rounds, styleOption, toolsOption } from "./values.js";

/** The given flags; `undefined`: not given. */
export interface Given extends Partial<Omit<LogOptions, "logTotal">> {
  readonly logTotal: number;
  readonly url?: string;
  readonly discover?: string | true;
  readonly tokenFile?: string;
  /** `true`: ask for the code. */
  readonly pair?: string | true;
  readonly pin?: string;
  readonly repin?: boolean;
  readonly state: string;
  readonly config?: string;
  readonly agentState?: string;
  readonly model: Model;
  readonly fallback?: "caretaker";
  readonly once?: boolean;
  readonly every: Millis;
  readonly cron?: string;
  readonly replyWithin: Millis;
  readonly cycleWithin: Millis;
  readonly maxRounds: number;
  readonly maxCalls?: number;
  readonly maxTokens?: number;
  readonly vision?: boolean;
  readonly playback?: string;
  readonly style?: StyleAsked;
  readonly tools?: ToolSet;
}

export function agentCommand(env: Environment): Command {
  const command = new Command("tendril agent").description("Connect to a runtime and care for its plants.");
  for (const option of [...whereTo(env), ...whoDecides(env), ...when(), ...howMuch(), ...logOptions()])
    command.addOption(option);
  return command.addHelpText("after", asCalledHere(AFTERWORD));
}

const whereTo = (env: Environment): Option[] => [
  new Option(
    "--url <url>",
    "the runtime's address, wss://host:8732/mcp or ws://…; default: from the state folder, else from pairing",
  ),
  new Option(
    "--discover [name]",
    "find the runtime on this network: the one that knows the token, or accepts the code of --pair; with a name only that one",
  ).conflicts(["url", "repin"]),
  new Option(
    "--token-file <file>",
    "file with the bearer token; default: from pairing, else tokens/agent in the state folder",
  ),
  new Option(
    "--pair [code]",
    "get a token for the code that `tendril pair` shows on the runtime's machine, once",
  )
    .argParser(checked(pairingCode))
    .conflicts("tokenFile"),
  new Option("--pin <pin>", "the only key to trust over wss://, sha256:… (default: the first one seen)")
    .argParser(checked(asPin))
    .conflicts("repin"),
  new Option("--repin", "trust the runtime's new key from now on, after you have compared it"),
  new Option("--state <dir>", "the runtime's state folder, if it is on this machine").default(
    env.TENDRIL_STATE ?? "./.tendril",
  ),
  new Option("--config <file>", "the agent's own configuration, YAML; flags win over it"),
  new Option(
    "--agent-state <dir>",
    "the agent's own state folder, for one agent at a time (default: tendril-agent in XDG_STATE_HOME, else in ~/.local/state)",
  ),
];

const whoDecides = (env: Environment): Option[] => [
  new Option("--model <name>", `who decides: ${MODEL_NAMES.join(", ")}`)
    .argParser(checked((name) => createModel(name, env)))
    .default(createModel(DEFAULT_MODEL, env), DEFAULT_MODEL),
  new Option("--vision", `the model sees pictures; not needed for ${SEEING.join(" and ")}`),
  styleOption(),
  toolsOption(),
  new Option(
    "--fallback <name>",
    "who takes over a cycle that the model fails, or while a limit is reached",
  ).choices([DEFAULT_MODEL]),
];

const when = (): Option[] => [
  new Option("--once", "run one cycle for every plant and stop").conflicts(["cron", "every"]),
  new Option("--every <time>", "time between cycles, by the plant's clock: 90s, 30m, 2h")
    .argParser(checked(duration))
    .default(minutes(30), "30m"),
  new Option(
    "--cron <pattern>",
    'instead of --every: five fields, in the plant\'s time and the zone of its house: "0 7,19 * * *"',
  )
    .argParser(checked(cronPattern))
    .conflicts("every"),
];

const howMuch = (): Option[] => [
  ...boundOptions(),
  new Option("--max-rounds <n>", "replies a model may give in a cycle")
    .argParser(checked(rounds))
    .default(24),
  new Option("--max-calls <n>", "calls to the model in a real day (UTC)").argParser(checked(limit)),
  new Option("--max-tokens <n>", "tokens read and written in a real day (UTC)").argParser(checked(limit)),
];

const AFTERWORD = `
Environment:
${ENVIRONMENT.map((line) => `  ${line}`).join("\n")}
Several agents on one computer, for other plants or other runtimes: each with an
--agent-state of its own.
In --config alone: limits in money and time, prices, failed_cycles,
prompt_tokens, reply_tokens (docs/agent.md).
Exit codes: 0 done, or stopped by a signal; 1 with --once, a cycle that neither
the model nor the fallback completed, or that is another agent's; 2 wrong use,
or another agent has the folder; 3 the runtime cannot be reached; 4 the runtime
refuses the token or the pairing code; 5 another key or certificate than the one
to be trusted: no token was sent.`;

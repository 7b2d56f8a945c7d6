import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Command, Option } from "commander";
import { z } from "zod";
import { checked } from "./checked.js";
import type { Environment } from "./models/address.js";
import { createModel, DEFAULT_MODEL, MODEL_NAMES } from "./models/index.js";
import type { Model } from "./models/model.js";
import { assertRoom, type LogOptions, withLogOptions } from "./run-log/options.js";
import { parseJson } from "./tool-result.js";
import { hours, type Millis, minutes, seconds } from "./units.js";
import { UsageError } from "./usage-error.js";

export { checked, UsageError };

export interface AgentOptions {
  readonly url: string;
  readonly token: string;
  readonly model: Model;
  readonly once: boolean;
  /** In the plant's time. */
  readonly every: Millis;
  readonly maxRounds: number;
  readonly logging: LogOptions;
  /** A file whose replies stand in for the model's. */
  readonly playback?: string;
}

/** What is worth knowing of a run later: nothing secret. */
export const settingsOf = ({ once, every, maxRounds }: AgentOptions) => ({ once, every, maxRounds });

export function agentCommand(env: Environment): Command {
  const command = new Command("tendril agent")
    .description("Connect to a runtime and care for its plants.")
    .option(
      "--url <url>",
      "the runtime's address, ws://host:8731/mcp; by default the one in the state folder",
    )
    .option("--token-file <file>", "file with the bearer token; by default tokens/agent in the state folder")
    .option(
      "--state <dir>",
      "the runtime's state folder, if it is on this machine",
      env.TENDRIL_STATE ?? "./.tendril",
    )
    .addOption(
      new Option("--model <name>", `who decides: ${MODEL_NAMES.join(", ")}`)
        .argParser(checked((name) => createModel(name, env)))
        .default(createModel(DEFAULT_MODEL, env), DEFAULT_MODEL),
    )
    .option("--once", "run one cycle for every plant and stop")
    .addOption(
      new Option("--every <time>", "from cycle to cycle, in the plant's time: 90s, 30m, 2h")
        .argParser(checked(duration))
        .default(minutes(30), "30m"),
    )
    .option("--max-rounds <n>", "replies a model may give in a cycle", checked(rounds), 24)
    .option("--vision", "the model sees pictures; Ollama is asked by itself")
    .addHelpText("after", AFTERWORD);
  return withLogOptions(command, env);
}

const AFTERWORD = `
Environment: OLLAMA_HOST for ollama:NAME, by default 127.0.0.1:11434; OPENAI_API_KEY for openai:NAME, and
OPENAI_BASE_URL for any other server that speaks OpenAI's chat completions.
Exit codes: 0 done, or stopped by a signal; 1 with --once, a cycle was not completed; 2 wrong use;
3 the runtime cannot be reached; 4 the runtime refuses the token.`;

interface Given extends LogOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly state: string;
  readonly model: Model;
  readonly once?: boolean;
  readonly every: Millis;
  readonly maxRounds: number;
  readonly vision?: boolean;
  readonly playback?: string;
}

/** Reads arguments as they follow `tendril agent`. Rejects with a UsageError, or with commander's own error. */
export async function parseAgentOptions(args: readonly string[], env: Environment): Promise<AgentOptions> {
  const command = agentCommand(env).exitOverride();
  const { url, tokenFile, state, ...rest } = command.parse([...args], { from: "user" }).opts<Given>();
  const { model, vision, once = false, every, maxRounds, playback, ...logging } = rest;
  if (playback !== undefined && command.getOptionValueSource("model") === "cli")
    throw new UsageError("--playback stands in for the model: leave out --model");
  assertRoom(logging);
  return {
    url: url ?? (await urlIn(state)),
    token: await tokenIn(tokenFile ?? join(state, "tokens", "agent")),
    once,
    every,
    maxRounds,
    model: vision ? createModel(model.name, env, { sees: true }) : model,
    logging,
    ...(playback !== undefined && { playback }),
  };
}

const runtimeFile = z.object({ url: z.string() });

async function urlIn(state: string): Promise<string> {
  const path = join(state, "runtime.json");
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new UsageError(
      `no runtime has left its address in ${path}: start one with \`tendril serve\`, or give --url and --token-file`,
      { cause },
    );
  });
  const read = runtimeFile.safeParse(parseJson(text));
  if (read.success) return read.data.url;
  throw new UsageError(`${path} holds no {"url": …}: restart the runtime, or give --url`);
}

async function tokenIn(path: string): Promise<string> {
  const token = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new UsageError(
      `the token file ${path} cannot be read: give the runtime's tokens/agent with --token-file`,
      { cause },
    );
  });
  if (/^[\x21-\x7e]+$/.test(token.trim())) return token.trim();
  throw new UsageError(`${path} does not hold a token alone on one line`);
}

const UNITS: Readonly<Record<string, Millis>> = { s: seconds(1), m: minutes(1), h: hours(1) };

/** Throws for anything but 1m to 24h. */
export function duration(text: string): Millis {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const length = Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (length >= minutes(1) && length <= hours(24)) return length;
  throw new Error("must be a time from 1m to 24h, such as 30m or 1.5h");
}

export function rounds(text: string): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 1000) return Number(text);
  throw new Error("must be a whole number from 1 to 1000");
}

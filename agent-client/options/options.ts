import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { messageOf } from "../../drivers/system-error.js";
import { SERVICE } from "../../runtime/wire/mdns-record.js";
import { parseJson } from "../../runtime/wire/refusal.js";
import { parseYaml, readYaml } from "../../runtime/wire/yaml-file.js";
import { UsageError } from "../errors.js";
import { KnownRuntimes, placeOf } from "../link/trust.js";
import type { Environment } from "../models/http.js";
import { createModel, DEFAULT_MODEL } from "../models/index.js";
import type { Model } from "../models/model.js";
import type { Bounds } from "../models/retrying-model.js";
import { readied, type repeatInHints } from "../program.js";
import type { LogOptions } from "../run-log/options.js";
import type { Limits, Price } from "../spending/limits.js";
import { makeFolder, runsIn, stateFolder } from "../state/state-folder.js";
import { agentCommand, type Given } from "./command.js";
import { type AgentConfig, agentConfig } from "./config.js";
import { possibleBounds } from "./values.js";

/** Placeholder for an address that is discovered. */
const LOOKED_FOR = `mdns://${SERVICE}/`;

export type AgentOptions = Awaited<ReturnType<typeof parseAgentOptions>>;

/** The settings that a run's log keeps; nothing secret. */
export const settingsOf = (options: AgentOptions) => {
  const { once, every, cron, maxRounds, bounds, style, tools, limits, price } = options;
  return { once, every, cron, maxRounds, bounds, style, tools, limits, price };
};

/**
 * Reads the arguments after `tendril agent`. Rejects with a UsageError, or with commander's error. `onNamed` is told first
 * how the person named the runtime, for hints.
 */
export async function parseAgentOptions(
  args: readonly string[],
  env: Environment,
  onNamed: typeof repeatInHints = () => undefined,
) {
  const command = readied(agentCommand(env));
  const given = command.parse([...args], { from: "user" }).opts<Given>();
  if (isGiven(command, "state")) onNamed("--state", given.state);
  else if (given.url !== undefined) onNamed("--url", given.url);
  const config = configOf(given.config);
  const limits: Limits = { ...config.limits, ...limitsOf(given) };
  const model = modelOf(command, given, config, env);
  /** Finds the runtime on the network: the one with this name, or the one that knows the token. */
  const discover = discoverOf(given, config);
  /** May not exist yet. */
  const agentState = given.agentState ?? config.agent_state ?? stateFolder(env);
  return {
    ...(await accessOf(given, config, new KnownRuntimes(agentState), discover !== undefined)),
    ...{ discover, agentState, limits, model },
    fallback: (given.fallback ?? config.fallback) ? createModel(DEFAULT_MODEL, env) : undefined,
    once: given.once ?? false,
    ...rhythmOf(command, given, config),
    maxRounds: isGiven(command, "maxRounds") ? given.maxRounds : (config.max_rounds ?? given.maxRounds),
    bounds: boundsOf(command, given, config),
    failedCycles: config.failed_cycles,
    /** Most tokens of rules and first message, estimated. */
    promptTokens: config.prompt_tokens,
    /** Undefined: free, or not needed. */
    price: priceOf(model, config, limits),
    logging: loggingOf(given, agentState),
    /** A recording whose replies replace the model's. */
    playback: playbackIn(command, given),
    /** For a language model, as the tools. Rules see all. */
    style: given.style ?? config.style ?? ("auto" as const),
    tools: given.tools ?? config.tools ?? ("care" as const),
  };
}

const isGiven = (command: Command, option: keyof Given): boolean =>
  command.getOptionValueSource(option) === "cli";

const complain = (problems: readonly string[]): UsageError => new UsageError(problems.join("\n"));

/** Paths in the file are relative to the file. */
function configOf(file: string | undefined): AgentConfig {
  if (file === undefined) return parseYaml("", "", agentConfig, complain);
  const config = readYaml(file, agentConfig, complain);
  if (config.every !== undefined && config.cron !== undefined)
    throw complain([`${file}: every and cron: write one of them`]);
  const fromHere = (path: string | undefined) => path && resolve(dirname(file), path);
  return { ...config, token_file: fromHere(config.token_file), agent_state: fromHere(config.agent_state) };
}

function modelOf(command: Command, given: Given, config: AgentConfig, env: Environment): Model {
  const traits = { replyTokens: config.reply_tokens, ...(given.vision && { sees: true }) };
  if (config.model === undefined || isGiven(command, "model"))
    return createModel(given.model.name, env, traits);
  try {
    return createModel(config.model, env, traits);
  } catch (error) {
    throw new UsageError(`${given.config}: model: ${messageOf(error)}`);
  }
}

/** Makes the folder of --log-dir now, to report a mistake before care begins. */
function loggingOf({ logDir, logTotal, record }: Given, agentState: string): LogOptions {
  if (logDir !== undefined) makeFolder(logDir, 0o700);
  return { logDir: logDir ?? runsIn(agentState), logTotal, record };
}

function playbackIn(command: Command, { playback }: Given): string | undefined {
  if (playback !== undefined && isGiven(command, "model"))
    throw new UsageError("--playback replaces the model: leave out --model");
  return playback;
}

/** A flag of either kind replaces both keys of the file. */
function rhythmOf(command: Command, { every, cron }: Given, config: AgentConfig) {
  if (cron !== undefined || isGiven(command, "every")) return { every, cron };
  return { every: config.every ?? every, cron: config.cron };
}

function boundsOf(command: Command, { replyWithin, cycleWithin }: Given, config: AgentConfig): Bounds {
  const reply = isGiven(command, "replyWithin") ? replyWithin : (config.reply_within ?? replyWithin);
  const cycle = isGiven(command, "cycleWithin") ? cycleWithin : (config.cycle_within ?? cycleWithin);
  return possibleBounds({ reply, cycle });
}

interface Access {
  /** With `discover` only a placeholder. */
  readonly url: string;
  /** Undefined with `pair`, which gets one. */
  readonly token: string | undefined;
  /** A pairing code; `true`: ask for it. */
  readonly pair: string | true | undefined;
  readonly pin: string | undefined;
  /** Trusts a new key on the first connection. */
  readonly repin: boolean;
}

async function accessOf(
  given: Given,
  config: AgentConfig,
  known: KnownRuntimes,
  isLookedFor: boolean,
): Promise<Access> {
  const { pair, repin = false, pin = config.pin } = given;
  const other = { pair, repin, pin };
  if (isLookedFor) {
    const right = pair === undefined ? await tokenOfSome(given, config, known) : { token: undefined };
    return { url: LOOKED_FOR, ...other, ...right };
  }
  const url = given.url ?? config.url ?? (await urlIn(given.state, known));
  if (pair !== undefined && !url.startsWith("wss:"))
    throw new UsageError(`--pair needs a wss:// address, not ${url}: a token is sent over TLS only`);
  const token = pair === undefined ? await tokenFor(url, given, config, known) : undefined;
  return { url, token, ...other };
}

/** A token from pairing is only for that runtime. */
function tokenFor(
  url: string,
  { tokenFile, state }: Given,
  { token_file }: AgentConfig,
  known: KnownRuntimes,
): string | Promise<string> {
  const file = tokenFile ?? token_file;
  const paired = file === undefined && url.startsWith("wss:") ? known.find(placeOf(url))?.token : undefined;
  return paired ?? tokenIn(file ?? join(state, "tokens", "agent"));
}

/** The token with --discover. A token from pairing is sent only to that runtime's key, so never without TLS. */
async function tokenOfSome({ tokenFile, state }: Given, { token_file }: AgentConfig, known: KnownRuntimes) {
  const file = tokenFile ?? token_file;
  const paired = file === undefined ? known.onlyPaired() : undefined;
  if (paired?.trust.startsWith("sha256:")) return { token: paired.token, pin: paired.trust };
  return { token: await tokenIn(file ?? join(state, "tokens", "agent")) };
}

const limitsOf = ({ maxCalls, maxTokens }: Given): Limits => ({
  ...(maxCalls !== undefined && { calls: maxCalls }),
  ...(maxTokens !== undefined && { tokens: maxTokens }),
});

/** A limit in money needs a price for every model but the rules, even if it is 0. */
function priceOf({ name }: Model, { prices }: AgentConfig, { money }: Limits): Price | undefined {
  const price = Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (money === undefined || price || name === DEFAULT_MODEL) return price;
  throw new UsageError(
    `limits.money: the price of ${name} is unknown: write prices: { "${name}": { input: …, output: … } }, for a million tokens each`,
  );
}

/** Undefined: the address is known. A flag of either kind replaces both keys of the file. */
function discoverOf(
  { url, discover }: Given,
  config: AgentConfig,
): { readonly wanted: string | undefined } | undefined {
  if (discover === undefined && config.url !== undefined && config.discover)
    throw new UsageError("url and discover in the configuration: write one of them");
  const wanted = discover ?? (url === undefined ? config.discover : undefined);
  if (wanted === undefined || wanted === false) return undefined;
  return { wanted: wanted === true ? undefined : wanted };
}

async function urlIn(state: string, known: KnownRuntimes): Promise<string> {
  const path = join(state, "runtime.json");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return known.onlyPaired()?.url ?? noAddress(path);
  const read = z.object({ url: z.string() }).safeParse(parseJson(text));
  if (read.success) return read.data.url;
  throw new UsageError(`${path} contains no {"url": …}: restart the runtime, or give --url`);
}

function noAddress(path: string): never {
  throw new UsageError(
    `there is no runtime's address in ${path}: start one with \`tendril serve\`, or give --url with --pair or --token-file`,
  );
}

async function tokenIn(path: string): Promise<string> {
  const token = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new UsageError(
      `the token file ${path} cannot be read: give the runtime's tokens/agent with --token-file`,
      { cause },
    );
  });
  if (/^[\x21-\x7e]+$/.test(token.trim())) return token.trim();
  throw new UsageError(`${path} must contain only a token, on one line`);
}

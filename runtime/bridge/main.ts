#!/usr/bin/env -S node --max-semi-space-size=2 --v8-pool-size=1
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { Command, CommanderError } from "commander";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { messageOf } from "../../drivers/system-error.js";
import { stopOnSignals, VERSION } from "../wire/program.js";
import { asPin } from "../wire/proof.js";
import { ADAPTERS } from "./adapters.js";
import { Bridge } from "./bridge.js";
import { Link, Refused } from "./link.js";
import { readSecrets, UsageError } from "./secrets.js";

interface Given {
  readonly url: string;
  readonly pin?: string;
  readonly state: string;
  readonly tokenFile?: string;
  readonly secrets?: string;
}

/** The bridge's own folder (XDG Base Directory Specification: a relative path there is ignored). */
const stateFolder = ({ XDG_STATE_HOME: given = "" }: NodeJS.ProcessEnv): string =>
  join(isAbsolute(given) ? given : join(homedir(), ".local", "state"), "tendril-bridge");

const command = (env: NodeJS.ProcessEnv): Command =>
  new Command("tendril-bridge")
    .description(
      "Connects a runtime with the outside: Home Assistant, calendars, mail, web search, Telegram. It decides nothing. docs/bridge.md",
    )
    .version(VERSION)
    .option("--url <url>", "the runtime's address", "ws://127.0.0.1:8731/mcp")
    .option("--pin <pin>", "the only key to trust over wss://, sha256:… as `tendril tls` shows it")
    .option("--state <folder>", "the bridge's own folder", stateFolder(env))
    .option("--token-file <file>", "a token of the scope bridge (default: token in --state)")
    .option("--secrets <file>", "addresses and passwords of others (default: bridge.yaml in --state)")
    .exitOverride();

/** Throws UsageError, or commander's error. */
function bridgeOptions(args: readonly string[], env: NodeJS.ProcessEnv) {
  const given = command(env)
    .parse([...args], { from: "user" })
    .opts<Given>();
  const { state, tokenFile = join(state, "token"), secrets = join(state, "bridge.yaml") } = given;
  return { url: urlOf(given.url), token: tokenIn(tokenFile), pin: pinIn(given.pin), secrets };
}

function urlOf(url: string): string {
  if (/^(ws|http)s?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new UsageError(`--url ${url}: must be written as ws://HOST:PORT/mcp or wss://…`);
}

function pinIn(pin: string | undefined): string | undefined {
  try {
    return pin && asPin(pin);
  } catch (error) {
    throw new UsageError(`--pin ${messageOf(error)}`);
  }
}

function tokenIn(file: string): string {
  const text = read(file).trim();
  // anything else could not be sent as a header, and the error would show it
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(`${file} does not hold one token on one line: name another with --token-file`);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${file} cannot be read (${code}): \`tendril token add bridge\` makes a token, --token-file names it`,
    );
  }
}

/** As of `tendril agent`: wrong use, and a token that is refused. The unit does not restart after these. */
const EXIT = { done: 0, defect: 1, wrongUse: 2, unauthorized: 4 } as const;

const say = (text: string): void => void process.stdout.write(`tendril-bridge: ${text}\n`);

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { secrets: file, ...link } = bridgeOptions(args, process.env);
  const secrets = readSecrets(file, ADAPTERS, process.env);
  const clock = new SystemClock();
  const bridge = new Bridge({
    ...{ adapters: ADAPTERS, secrets, clock, say, signal },
    link: new Link(link),
    random: Math.random,
  });
  await bridge.serve();
  return EXIT.done;
}

function explained(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse;
  const isExpected = error instanceof UsageError || error instanceof Refused;
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`tendril-bridge: ${isExpected ? error.message : stack}\n`);
  if (error instanceof UsageError) return EXIT.wrongUse;
  return error instanceof Refused ? EXIT.unauthorized : EXIT.defect;
}

process.stdout.on("error", () => undefined); // the reader is gone: the jobs go on
// Not process.exitCode: a pending lookup of a host name would keep the process alive for seconds.
const { signal } = stopOnSignals("SIGHUP");
process.exit(await main(process.argv.slice(2), signal).catch(explained));

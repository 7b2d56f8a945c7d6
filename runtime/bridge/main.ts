#!/usr/bin/env -S node --max-semi-space-size=2 --v8-pool-size=1
import { CommanderError } from "commander";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { stopOnSignals } from "../wire/program.js";
import { ADAPTERS } from "./adapters.js";
import { Bridge } from "./bridge.js";
import { Link, Refused } from "./link.js";
import { bridgeOptions } from "./options.js";
import { readSecrets, UsageError } from "./secrets.js";

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

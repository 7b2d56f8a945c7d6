#!/usr/bin/env node
import { CommanderError } from "commander";
import { SystemClock } from "../clock.js";
import { LINK_ERRORS, UsageError } from "../errors.js";
import { discoverCommand, type Given, jsonOf, tableOf } from "./command.js";
import { type Looked, look, placeGiven } from "./look.js";

const EXIT = { found: 0, nothing: 1, usage: 2 } as const;

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = discoverCommand().exitOverride();
  command.parse([...args], { from: "user" });
  const given = command.opts<Given>();
  const place = placeGiven(process.env);
  if (process.stderr.isTTY) process.stderr.write(`looking for ${given.for / 1000} s…\n`);
  const looked = await look({ place, clock: new SystemClock(), signal }, given.for);
  process.stdout.write(given.json ? jsonOf(looked.found) : tableOf(looked.found));
  if (looked.found.length === 0) process.stderr.write(`tendril discover: ${nothing(looked)}\n`);
  return looked.found.length > 0 ? EXIT.found : EXIT.nothing;
}

const nothing = ({ troubles }: Looked): string =>
  ["no runtime was found", ...troubles].join("; ").concat(`: ${LINK_ERRORS.NOT_FOUND_NEAR.fix}`);

/** Says what went wrong; commander has said so already of its own errors. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.found : EXIT.usage;
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`tendril discover: ${error.message}\n`);
  return EXIT.usage;
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
// the program that started this one may be killed without a word
process.once("disconnect", () => stop.abort());
process.channel?.unref();
// a reader such as `head` that has seen enough
process.stdout.on("error", () => process.exit(EXIT.found));
process.exitCode = await main(process.argv.slice(2), stop.signal).catch(exitCodeOf);

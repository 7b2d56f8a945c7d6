#!/usr/bin/env node
import { CommanderError } from "commander";
import { DriverError } from "../../drivers/errors.js";
import { UsageError } from "../errors.js";
import { ModelError } from "../models/model-error.js";
import { type Given, simulateCommand } from "./options.js";
import { ModelGivenUp } from "./replies.js";
import { loadScenario, scenarioNames } from "./scenario.js";
import { simulateOne, simulateSuite } from "./simulate.js";

const EXIT = { done: 0, failed: 1, usage: 2, stopped: 130 } as const;

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const given = simulateCommand()
    .exitOverride()
    .parse([...args], { from: "user" })
    .opts<Given>();
  if (given.list) return list();
  const finished = given.suite ? await simulateSuite(given, signal) : await simulateOne(given, args, signal);
  return finished ? EXIT.done : EXIT.stopped;
}

function list(): number {
  for (const name of scenarioNames())
    process.stdout.write(`${name.padEnd(20)} ${loadScenario(name).title}\n`);
  return EXIT.done;
}

/** Says what went wrong; commander has said so already of its own errors. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  const expected = EXPECTED.some((kind) => error instanceof kind) || isSystemError(error);
  const said = error instanceof Error ? (expected ? error.message : error.stack) : String(error);
  process.stderr.write(`tendril simulate: ${said}\n`);
  return isWrongUse(error) ? EXIT.usage : EXIT.failed;
}

const EXPECTED = [UsageError, DriverError, ModelError, ModelGivenUp];

/** Also a recording that is none. */
const isWrongUse = (error: unknown): boolean =>
  error instanceof UsageError || (error instanceof DriverError && error.code === "REPLAY_INVALID");

/** Such as a folder that cannot be written: its message names path and reason. */
const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
// the program that started this one may be killed without a word: then nobody is there to read, and a model may cost money
process.once("disconnect", () => stop.abort());
process.channel?.unref();
// a reader such as `head` that has seen enough
process.stdout.on("error", () => stop.abort());
process.exitCode = await main(process.argv.slice(2), stop.signal).catch(exitCodeOf);

#!/usr/bin/env node
import { DriverError } from "../../drivers/errors.js";
import { stopOnSignals } from "../../runtime/wire/program.js";
import { UsageError } from "../errors.js";
import { ModelError } from "../models/model-error.js";
import { explainFailure, readied, WRONG_USE } from "../program.js";
import { type Given, simulateCommand } from "./options.js";
import { ModelGivenUp } from "./run-folder.js";
import { loadScenario, scenarioNames } from "./scenario.js";
import { simulateOne, simulateSuite } from "./simulate.js";

const EXIT = { done: 0, stopped: 130 } as const;

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const given = readied(simulateCommand())
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

const EXPECTED = [UsageError, DriverError, ModelError, ModelGivenUp];

/** A system error, such as a folder that cannot be written, names path and reason in its message. */
const isExpected = (error: unknown): boolean =>
  EXPECTED.some((kind) => error instanceof kind) || (error instanceof Error && "syscall" in error);

function exitCodeOf(error: unknown): number {
  const code = explainFailure("tendril simulate", error, isExpected);
  const isReplayInvalid = error instanceof DriverError && error.code === "REPLAY_INVALID";
  return isReplayInvalid ? WRONG_USE : code;
}

const stop = stopOnSignals();
// a reader such as `head` has seen enough
process.stdout.on("error", () => stop.abort());
process.exitCode = await main(process.argv.slice(2), stop.signal).catch(exitCodeOf);

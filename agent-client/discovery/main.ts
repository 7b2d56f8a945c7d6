#!/usr/bin/env node
import { stopOnSignals } from "../../runtime/wire/program.js";
import { SystemClock } from "../clock.js";
import { LINK_ERRORS } from "../errors.js";
import { explainFailure, readied } from "../program.js";
import { discoverCommand, type Given, jsonOf, tableOf } from "./command.js";
import { type Looked, look, placeGiven } from "./look.js";

const EXIT = { found: 0, nothing: 1 } as const;

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = readied(discoverCommand());
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

const { signal } = stopOnSignals();
// a reader such as `head` has seen enough
process.stdout.on("error", () => process.exit(EXIT.found));
process.exitCode = await main(process.argv.slice(2), signal).catch((error: unknown) =>
  explainFailure("tendril discover", error),
);

#!/usr/bin/env node
import { counted } from "../../runtime/wire/phrases.js";
import { Log } from "../cycle/log.js";
import { UsageError } from "../errors.js";
import { explainFailure, readied, repeatInHints } from "../program.js";
import { inWords, type RunLine, summaryOf } from "./lines.js";
import { lastRun, readRun, runAt } from "./log-files.js";
import { type Given, logCommand, runFolders } from "./options.js";
import { Story } from "./story.js";

const log = new Log(process.stdout, process.env);

async function main(args: readonly string[]): Promise<number> {
  const command = readied(logCommand(process.env));
  command.parse([...args], { from: "user" });
  const given = command.opts<Given>();
  if (command.getOptionValueSource("state") === "cli") repeatInHints("--state", given.state);
  const [file] = command.args;
  show(file === undefined ? lastRun(runFolders(given, process.env)) : runAt(file), given);
  return 0;
}

function show(paths: readonly string[], given: Given): void {
  const { lines, unread } = readRun(paths);
  const chosen = given.cycle === undefined ? lines : cycleIn(lines, given.cycle);
  if (given.json) for (const line of chosen) process.stdout.write(`${JSON.stringify(line)}\n`);
  else tellAll(chosen);
  if (!given.json && given.cycle === undefined) closing(lines, unread, paths);
}

function tellAll(lines: readonly RunLine[]): void {
  const story = new Story(log);
  for (const line of lines) story.tell(line);
  story.finish();
}

/** Throws a UsageError for a cycle that the run does not have. */
function cycleIn(lines: readonly RunLine[], number: number): readonly RunLine[] {
  let current: number | undefined;
  const found = lines.filter((line) => {
    if (line.kind === "cycle") current = line.cycle;
    return current === number;
  });
  if (found.length > 0) return found;
  const all = lines.flatMap((line) => (line.kind === "cycle" ? [line.cycle] : []));
  const has = all.length === 0 ? "none yet" : `${all[0]} to ${all.at(-1)}`;
  throw new UsageError(`the run has no cycle ${number}: it has ${has}`);
}

function closing(lines: readonly RunLine[], unread: number, paths: readonly string[]): void {
  log.text("");
  for (const [label, text] of inWords(summaryOf(lines))) log.line(label, text, "bold");
  if (unread > 0) log.line("set aside", `${counted(unread, "line")} torn or of another version`, "yellow");
  log.line("from", paths.join(" "), "dim");
}

// a reader such as `head` has seen enough
process.stdout.on("error", () => process.exit(0));
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) =>
  explainFailure("tendril log", error),
);

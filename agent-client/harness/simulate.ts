import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Log as RuntimeLog } from "../../runtime/log.js";
import { SystemClock } from "../clock.js";
import { UsageError } from "../errors.js";
import { DEFAULT_MODEL } from "../models/index.js";
import type { Model } from "../models/model.js";
import { possibleBounds } from "../options/values.js";
import { asCalledHere } from "../program.js";
import type { Given } from "./options.js";
import { renderReport } from "./report/report.js";
import { missing, suiteTable, summaryLines } from "./report/summary.js";
import type { RunResult } from "./result.js";
import { assertPossible, carryOut, type WaitOptions, withStyle } from "./run.js";
import { makeReportFolder, ResumableModel, RunFolder, StopOnFailures } from "./run-folder.js";
import {
  loadScenario,
  type ReplayedCourse,
  type Run,
  replayedCourse,
  STEADY,
  scenarioNames,
} from "./scenario.js";
import { Progress, printErrors, WrittenStory } from "./story.js";

/** `tendril simulate` without --suite. True if it reached the last day. */
export async function simulateOne(
  given: Given,
  args: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const folder = given.report === undefined ? undefined : new RunFolder(given.report);
  const run = given.resume
    ? resumed(folder, given, args)
    : begun(folder, await withStyle(runOf(given), given.style ?? "auto", signal));
  // only a report has it
  const story = folder && new WrittenStory(run.start);
  const ended = new AbortController();
  const progress = new Progress(process.stderr, new SystemClock());
  const result = await carryOut(run, {
    ...(story && { story }),
    log: story ? logTo(story) : printErrors,
    signal: AbortSignal.any([signal, ended.signal]),
    onHour: (report) => {
      progress.hour(run.days, run.scenario.title, report);
      story?.passHour(report.hour);
    },
    patience: waitOptionsOf(given, progress),
    wrap: (model) => watched(model, folder, (reason) => ended.abort(reason)),
  });
  progress.done();
  if (ended.signal.reason instanceof UsageError) throw ended.signal.reason;
  if (folder && story) folder.finish(result, story.text);
  tell(result, given);
  ended.signal.throwIfAborted();
  return result.finished;
}

const waitOptionsOf = (given: Given, progress: Progress): WaitOptions => ({
  bounds: possibleBounds({ reply: given.replyWithin, cycle: given.cycleWithin }),
  clock: new SystemClock(),
  pass: (text) => progress.waiting(text),
  say: (text) => progress.line(text),
});

/** Stops the run with `end` when the model no longer answers; keeps the replies if there is a folder. */
function watched(model: Model, folder: RunFolder | undefined, end: (reason: Error) => void): Model {
  const stopping = new StopOnFailures(model, end);
  return folder ? new ResumableModel(stopping, folder.replies, end) : stopping;
}

/** Options that were not given come from the scenario. */
export function runOf(given: Given): Run {
  if (given.replay !== undefined) return replayed(given, replayedCourse(given.replay, given.replayZone));
  if (given.replayZone !== "UTC") throw new UsageError("--replay-zone needs a recording: give --replay too");
  const scenario = loadScenario(given.scenario ?? STEADY);
  const { days = scenario.days, plants = scenario.plants, start = Date.parse(scenario.start) } = given;
  return { ...courseOf(given), scenario, days, plants, start };
}

/** As long as the recording is, or shorter. */
function replayed(given: Given, { replay, scenario: own, start, days }: ReplayedCourse): Run {
  const scenario = given.scenario === undefined ? own : loadScenario(given.scenario);
  const shorter = given.days ?? days;
  if (shorter > days)
    throw new UsageError(
      `--days ${shorter}: the recording ${given.replay} ends after ${days} days; leave --days out to play all of it`,
    );
  return { ...courseOf(given), scenario, days: shorter, plants: own.plants, start, replay };
}

const courseOf = ({ model, seed, every, maxRounds, tools }: Given) => ({
  model,
  seed,
  every,
  maxRounds,
  ...(tools && { tools }),
});

function begun(folder: RunFolder | undefined, run: Run): Run {
  assertPossible(run); // before the folder contains a simulation that nobody can resume
  folder?.begin(run);
  return run;
}

const ALLOWED_TO_RESUME = /^--(?:resume|report|days|json|reply-within|cycle-within)\b/;

/** Only the number of days and the time limits for a model may differ from the beginning. */
function resumed(folder: RunFolder | undefined, given: Given, args: readonly string[]): Run {
  if (!folder) throw new UsageError("--resume needs --report with the folder of the simulation to continue");
  const other = args.find((each) => each.startsWith("--") && !ALLOWED_TO_RESUME.test(each));
  if (other !== undefined)
    throw new UsageError(`${other} cannot be changed with --resume: start a new simulation for that`);
  const run = folder.load();
  const { days = run.days } = given;
  if (days < run.days && folder.isFinished())
    throw new UsageError(
      `--days ${days}: its ${run.days} days are over; give more, or start a new simulation`,
    );
  const longer = { ...run, days };
  folder.save(longer);
  return longer;
}

/** The story contains the runtime's warnings and errors. */
const logTo =
  (story: WrittenStory): RuntimeLog =>
  (level, message, fields) => {
    if (level === "warn" || level === "error") story.complained(`${level}: ${message}`);
    printErrors(level, message, fields);
  };

function tell(result: RunResult, { json, report }: Given): void {
  if (json) process.stdout.write(`${JSON.stringify(result, null, 1)}\n`);
  else process.stdout.write(`${summaryLines(result).join("\n")}\n`);
  if (report !== undefined && !json) process.stdout.write(`\nThe report: ${report}/report.html\n`);
  if (result.finished) return;
  const how =
    report === undefined
      ? "with --report DIR you can continue it later"
      : asCalledHere(`continue: tendril simulate --resume --report ${report}`);
  process.stderr.write(`stopped before its last day; ${how}\n`);
}

/** Models to compare with: the default, and two policies that do not look at the plant. */
const BASELINES = [DEFAULT_MODEL, "never-water", "always-water"];

/** Every scenario, with the given model and the baselines. True if it reached the end. */
export async function simulateSuite(given: Given, signal: AbortSignal): Promise<boolean> {
  if (given.report !== undefined) makeReportFolder(given.report);
  const models = [...new Set([given.model, ...BASELINES])];
  const progress = new Progress(process.stderr, new SystemClock());
  const patience = waitOptionsOf(given, progress);
  const results: RunResult[] = [];
  const { style } = await withStyle(runOf(given), given.style ?? "auto", signal);
  for (const scenario of scenarioNames()) {
    for (const model of models) {
      const run = { ...runOf({ ...given, scenario, model }), style };
      const title = `${run.scenario.title}, ${model}`;
      const onHour = (hour: Parameters<typeof progress.hour>[2]) => progress.hour(run.days, title, hour);
      results.push(await carryOut(run, { log: printErrors, signal, onHour, patience }));
      if (signal.aborted) return stopped(progress);
    }
  }
  progress.done();
  if (given.report !== undefined) writeSuite(given.report, results);
  const rows = results.map(({ scenario, model, score }) => ({ scenario, model, score }));
  process.stdout.write(`${given.json ? JSON.stringify(rows) : suiteTable(rows)}\n`);
  process.stderr.write([...new Set(results.map(missingIn))].join(""));
  return true;
}

function missingIn(result: RunResult): string {
  const words = missing(result);
  return words === "" ? "" : `${result.scenario.name}:${words}\n`;
}

/** Half a suite compares nothing, so it writes no table. */
function stopped(progress: Progress): false {
  progress.done();
  process.stderr.write("stopped before its last run; a suite cannot be continued\n");
  return false;
}

function writeSuite(folder: string, results: readonly RunResult[]): void {
  for (const result of results) {
    const name = `${result.scenario.name}-${result.model.replace(/[^\w.-]/g, "_")}`;
    writeFileSync(join(folder, `${name}.html`), renderReport(result));
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 1)}\n`);
  }
}

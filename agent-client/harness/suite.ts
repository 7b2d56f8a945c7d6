import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SystemClock } from "../clock.js";
import { DEFAULT_MODEL } from "../models/index.js";
import { sayErrors } from "./complaints.js";
import type { Given } from "./options.js";
import { Progress } from "./progress.js";
import { renderReport } from "./report/report.js";
import { renderSuite, suiteTable } from "./report/suite.js";
import type { RunResult } from "./result.js";
import { carryOut, withStyle } from "./run.js";
import { makeReportFolder } from "./run-folder.js";
import { scenarioNames } from "./scenario.js";
import { patienceOf, runOf } from "./simulate-one.js";

/** Compared where no model is asked for: the default, and two fools. */
const BASELINES = [DEFAULT_MODEL, "never-water", "always-water"];

/** Every scenario, with the model given and with those to compare it with. Whether it came to the end. */
export async function simulateSuite(given: Given, signal: AbortSignal): Promise<boolean> {
  if (given.report !== undefined) makeReportFolder(given.report);
  const models = [...new Set([given.model, ...BASELINES])];
  const progress = new Progress(process.stderr, new SystemClock());
  const patience = patienceOf(given, progress);
  const results: RunResult[] = [];
  const { style } = await withStyle(runOf(given), given.style ?? "auto", signal);
  for (const scenario of scenarioNames()) {
    for (const model of models) {
      const run = { ...runOf({ ...given, scenario, model }), style };
      const title = `${run.scenario.title}, ${model}`;
      const onHour = (hour: Parameters<typeof progress.hour>[2]) => progress.hour(run.days, title, hour);
      results.push(await carryOut(run, { log: sayErrors, signal, onHour, patience }));
      if (signal.aborted) return stopped(progress);
    }
  }
  progress.done();
  if (given.report !== undefined) writeSuite(given.report, results);
  process.stdout.write(
    given.json ? `${JSON.stringify(results.map(row))}\n` : `${suiteTable(results.map(row))}\n`,
  );
  return true;
}

/** Half a suite compares nothing. */
function stopped(progress: Progress): false {
  progress.done();
  process.stderr.write("stopped before its last run; a suite cannot be gone on with\n");
  return false;
}

/** Of a run, what a table shows. */
const row = ({ scenario, model, score }: RunResult) => ({ scenario, model, score });

function writeSuite(folder: string, results: readonly RunResult[]): void {
  writeFileSync(join(folder, "suite.html"), renderSuite(results.map(row)));
  for (const result of results) {
    const name = `${result.scenario.name}-${result.model.replace(/[^\w.-]/g, "_")}`;
    writeFileSync(join(folder, `${name}.html`), renderReport(result));
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 1)}\n`);
  }
}

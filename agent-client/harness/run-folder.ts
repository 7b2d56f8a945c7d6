import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../runtime/wire/refusal.js";
import { TOOL_SETS } from "../cycle/tool-runner.js";
import { UsageError } from "../errors.js";
import { makeFolder } from "../state/durable-file.js";
import { renderReport } from "./report/report.js";
import type { RunResult } from "./result.js";
import type { Run } from "./run.js";
import { scenarioWithName } from "./scenario.js";

const runFile = z.strictObject({
  version: z.literal(1),
  scenario: scenarioWithName,
  model: z.string(),
  days: z.number().positive(),
  plants: z.array(z.string()).min(1),
  seed: z.int().min(0),
  start: z.int(),
  every: z.number().positive(),
  maxRounds: z.int().min(1),
  style: z.enum(["calls", "decide"]).optional(),
  tools: z.enum(TOOL_SETS).optional(),
  replay: z.strictObject({ file: z.string(), zone: z.string() }).optional(),
});

const finished = z.object({ finished: z.literal(true) });

/** A new folder is hidden from git, in case it is inside a project. An existing folder is left as it is. */
export function makeReportFolder(folder: string): void {
  const isNew = !existsSync(folder);
  makeFolder(folder);
  if (isNew) writeFileSync(join(folder, ".gitignore"), "*\n");
}

export class RunFolder {
  constructor(private readonly folder: string) {}

  get replies(): string {
    return join(this.folder, "replies.jsonl");
  }

  /** Throws a UsageError if the folder already contains a simulation: nothing is overwritten. */
  begin(run: Run): void {
    if (existsSync(this.runFile)) {
      throw new UsageError(
        `${this.folder} already contains a simulation: continue it with --resume, or name another folder`,
      );
    }
    makeReportFolder(this.folder);
    this.save(run);
  }

  /** The simulation to resume. Throws a UsageError if there is none, or it is of another version. */
  load(): Run {
    if (!existsSync(this.runFile)) throw new UsageError(`${this.folder} contains no simulation to resume`);
    const read = runFile.safeParse(parseJson(readFileSync(this.runFile, "utf8")));
    if (read.success) return read.data;
    throw new UsageError(`${this.runFile} cannot be resumed: ${z.prettifyError(read.error)}`);
  }

  isFinished(): boolean {
    if (!existsSync(this.report)) return false;
    return finished.safeParse(parseJson(readFileSync(this.report, "utf8"))).success;
  }

  /** Also called on resuming, with a new number of days. */
  save(run: Run): void {
    writeFileSync(this.runFile, `${JSON.stringify({ version: 1, ...run }, null, 2)}\n`);
  }

  finish(result: RunResult, story: string): void {
    writeFileSync(this.report, `${JSON.stringify(result, null, 1)}\n`);
    writeFileSync(join(this.folder, "report.html"), renderReport(result));
    writeFileSync(join(this.folder, "story.txt"), story);
  }

  private get report(): string {
    return join(this.folder, "report.json");
  }

  private get runFile(): string {
    return join(this.folder, "run.json");
  }
}

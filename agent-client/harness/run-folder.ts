import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UsageError } from "../options.js";
import { parseJson } from "../tool-result.js";
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
  replay: z.strictObject({ file: z.string(), zone: z.string() }).optional(),
});

/** The folder of one simulation: its report, and what is needed to go on with it. */
export class RunFolder {
  constructor(private readonly folder: string) {}

  get replies(): string {
    return join(this.folder, "replies.jsonl");
  }

  /** Throws a UsageError where the folder holds a simulation already: nothing is written over. */
  begin(run: Run): void {
    if (existsSync(this.runFile)) {
      throw new UsageError(
        `${this.folder} holds a simulation: go on with it by --resume, or name another folder`,
      );
    }
    mkdirSync(this.folder, { recursive: true });
    this.save(run);
  }

  /** The simulation to go on with. Throws a UsageError where there is none, or one of another version. */
  load(): Run {
    if (!existsSync(this.runFile)) throw new UsageError(`${this.folder} holds no simulation to go on with`);
    const read = runFile.safeParse(parseJson(readFileSync(this.runFile, "utf8")));
    if (read.success) return read.data;
    throw new UsageError(`${this.runFile} cannot be gone on with: ${z.prettifyError(read.error)}`);
  }

  /** With another number of days, say. */
  save(run: Run): void {
    writeFileSync(this.runFile, `${JSON.stringify({ version: 1, ...run }, null, 2)}\n`);
  }

  finish(result: RunResult, story: string): void {
    writeFileSync(join(this.folder, "report.json"), `${JSON.stringify(result, null, 1)}\n`);
    writeFileSync(join(this.folder, "report.html"), renderReport(result));
    writeFileSync(join(this.folder, "story.txt"), story);
  }

  private get runFile(): string {
    return join(this.folder, "run.json");
  }
}

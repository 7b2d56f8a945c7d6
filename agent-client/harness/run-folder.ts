import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf } from "../../drivers/system-error.js";
import { parseJson } from "../../runtime/wire/refusal.js";
import { UsageError } from "../errors.js";
import type { Asked, Message, Model, Reply } from "../models/model.js";
import { playedBack, recorded, recordedReply, sinceLastReply } from "../run-log/lines.js";
import { makeFolder } from "../state/state-folder.js";
import { renderReport } from "./report/report.js";
import type { RunResult } from "./result.js";
import { type Run, runSchema } from "./scenario.js";

const runFile = runSchema.extend({ version: z.literal(1) });

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

/** `told` is a digest of what was sent to the model. */
const line = recordedReply.extend({ told: z.string() });
type Line = z.output<typeof line>;

/**
 * Keeps a model's replies in a file. To resume a simulation, it runs again with the same file: it gets the same replies
 * without asking the model, and asks the model where they end.
 */
export class ResumableModel implements Model {
  readonly name: string;
  readonly reads: Model["reads"];
  private readonly known: Line[];
  private next = 0;

  /**
   * Throws a UsageError for any other file. A last line that was cut short is removed. Calls `changed` if a conversation
   * differs from the kept one, since the cycle would treat the rejection as a failed model and go on.
   */
  constructor(
    private readonly model: Model,
    private readonly file: string,
    private readonly changed: (error: UsageError) => void,
  ) {
    this.name = model.name;
    this.reads = model.reads;
    this.known = readLines(file);
  }

  async respond(...asked: Asked): Promise<Reply> {
    const told = digest(asked[0]);
    const known = this.known[this.next];
    this.next += 1;
    if (!known)
      return recorded(this.model, asked, (came) =>
        appendFileSync(this.file, `${JSON.stringify({ told, ...came })}\n`),
      );
    if (known.told !== told) throw this.refusal();
    return playedBack(known);
  }

  private refusal(): UsageError {
    const error = new UsageError(
      `${this.file}, line ${this.next}: the simulation has run differently since this reply was given; Tendril or the scenario has changed: start again in another folder`,
    );
    this.changed(error);
    return error;
  }
}

/** Covers only what came after the last reply: everything before was compared already. */
function digest(conversation: readonly Message[]): string {
  return createHash("sha256")
    .update(`${conversation.length} ${JSON.stringify(sinceLastReply(conversation))}`)
    .digest("base64url")
    .slice(0, 16);
}

function readLines(file: string): Line[] {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) writeFileSync(file, whole);
  return whole
    .split("\n")
    .slice(0, -1)
    .map((each, index) => parseLine(each, file, index + 1));
}

function parseLine(text: string, file: string, number: number): Line {
  const parsed = line.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${file}, line ${number}: not a reply of a model: ${z.prettifyError(parsed.error)}`);
}

/** Failed replies in a row that stop the run: a month of them would only look like a bad agent. A choice. */
const MAX_FAILURES = 3;

export class ModelGivenUp extends Error {
  override readonly name = "ModelGivenUp";
}

/** The same model; several failures in a row stop the run, which can be resumed. */
export class StopOnFailures implements Model {
  readonly name: string;
  readonly reads: Model["reads"];
  private failures = 0;

  constructor(
    private readonly model: Model,
    private readonly giveUp: (reason: ModelGivenUp) => void,
  ) {
    this.name = model.name;
    this.reads = model.reads;
  }

  async respond(...asked: Asked): Promise<Reply> {
    try {
      const reply = await this.model.respond(...asked);
      this.failures = 0;
      return reply;
    } catch (error) {
      this.failures += 1;
      if (this.failures === MAX_FAILURES) this.giveUp(givenUp(this.name, error));
      throw error;
    }
  }
}

const givenUp = (name: string, error: unknown): ModelGivenUp =>
  new ModelGivenUp(`${name} failed ${MAX_FAILURES} times in a row: ${messageOf(error)}`, { cause: error });

import type { CycleOutcome } from "../cycle.js";
import type { CycleStory, Log } from "../log.js";
import { clockTime } from "../log-words.js";
import { isDecision } from "../models/decider/decided.js";
import type { Price } from "../spending/limits.js";
import type { ToolResult } from "../tool-result.js";
import { readArguments } from "../tool-runner.js";
import type { CallLine, CycleLine, EndLine, ReplyLine, RunLine, RunStart } from "./lines.js";

/** Tells a run in lines a person can read: what the console showed, and what the model thought and said. */
export class Story {
  private day = "";
  private current: CycleStory | undefined;
  private told = false;
  private price: Price | undefined;
  private rounds = 0;
  private calls = 0;

  constructor(private readonly log: Log) {}

  tell(line: RunLine): void {
    this.newDay(line.at);
    if (line.kind === "run") this.started(line);
    else if (line.kind === "cycle") this.began(line);
    else if (line.kind === "reply") this.replied(line);
    else if (line.kind === "call") this.called(line);
    else if (line.kind === "end") this.ended(line);
    else if (line.kind === "note") this.log.line(line.label, `${clockTime(line.at)} ${line.text}`, "yellow");
    else if (line.kind === "lost") this.log.line("lost", `${line.lines} lines could not be written`, "red");
  }

  private newDay(at: string): void {
    const day = at.slice(0, 10);
    if (this.day !== "" && this.day !== day) for (const text of ["", day]) this.log.text(text);
    this.day = day;
  }

  /** Said once: every file of a run begins with it. */
  private started({ at, version, model, url, options }: RunStart): void {
    this.price = options.price;
    if (this.told) return;
    this.told = true;
    this.log.text(`${at.slice(0, 10)} ${clockTime(at)} UTC  ${model} at ${url}, Tendril ${version}`);
  }

  private began({ cycle, plant, at }: CycleLine): void {
    this.finish();
    this.current = this.log.cycle(cycle, plant, clockTime(at), this.price);
    [this.rounds, this.calls] = [0, 0];
  }

  /** Tells of a cycle that has no end: the agent was stopped, or killed, or is still at it. */
  finish(): void {
    const none = { doses: 0, cleared: false, tokens: { input: 0, output: 0, cached: 0 }, took: 0 };
    const { rounds, calls } = this;
    this.current?.ended({
      completed: false,
      reason: "the log ends within this cycle",
      rounds,
      calls,
      ...none,
    });
    this.current = undefined;
  }

  private replied({ reply, failed }: ReplyLine): void {
    this.rounds += 1;
    if (reply?.thinking) this.current?.aside("thought", reply.thinking, "dim");
    if (reply?.text && !isDecision(reply.text)) this.current?.aside("said", reply.text, "dim"); // the status tells it
    if (failed !== undefined) this.current?.aside("no reply", failed, "red");
  }

  private called(line: CallLine): void {
    this.calls += 1;
    const call = { id: "", name: line.tool, arguments: line.arguments };
    const args = readArguments(line.arguments) ?? {};
    this.current?.answered(line.tool, args, resultOf(line), { call, took: line.took_ms });
  }

  private ended(end: EndLine): void {
    this.current?.ended(outcomeOf(end), end.next);
    this.current = undefined;
  }
}

const outcomeOf = ({ completed, reason, cleared = false, tokens, ...counts }: EndLine): CycleOutcome => {
  const { rounds, calls, doses, took } = counts;
  return {
    completed,
    reason,
    cleared,
    rounds,
    calls,
    doses,
    tokens: { ...tokens, cached: tokens.cached ?? 0 },
    took,
  };
};

const resultOf = ({ result, error }: CallLine): ToolResult =>
  error ? { ok: false, error } : { ok: true, value: result };

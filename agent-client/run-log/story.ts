import { z } from "zod";
import { HouseTime } from "../../runtime/wire/house-time.js";
import { readArguments } from "../cycle/arguments.js";
import type { CycleOutcome } from "../cycle/cycle.js";
import type { CycleStory, Log } from "../cycle/log.js";
import type { ToolResult } from "../link/tools.js";
import { isDecision } from "../models/decider/decision.js";
import type { Price } from "../spending/limits.js";
import { minutes } from "../units.js";
import type { CallLine, CycleLine, EndLine, NoteLine, ReplyLine, RunLine, RunStart } from "./lines.js";
import { counted } from "./summary.js";

const time = z.object({ timestamp: z.string(), zone: z.string().optional() });
/** The agent's clock and the runtime's are one where they differ by less: a choice, beyond a computer without time service. */
const SAME_CLOCK = minutes(2);
const UTC = new HouseTime();

/** Tells a run in lines a person can read: what the console showed, and what the model thought and said. */
export class Story {
  private day = "";
  /** Whether the runtime's clock is the plant's own, as on a bench that runs faster. */
  private clocks: "unknown" | "one" | "two" = "unknown";
  private current: CycleStory | undefined;
  private told = false;
  private price: Price | undefined;
  private rounds = 0;
  private calls = 0;

  constructor(private readonly log: Log) {}

  tell(line: RunLine): void {
    if (line.kind === "run") this.started(line);
    else if (line.kind === "cycle") this.began(line);
    else if (line.kind === "reply") this.replied(line);
    else if (line.kind === "call") this.called(line);
    else if (line.kind === "end") this.ended(line);
    else if (line.kind === "note") this.noted(line);
    else if (line.kind === "lost")
      this.log.line("lost", `${counted(line.lines, "line")} could not be written`, "red");
  }

  /** Of the plant, by what the runtime said: the agent's clock tells another where the bench runs faster. */
  private lookedAtClock({ tool, result, at }: CallLine): void {
    const now = tool === "get_current_time" ? time.safeParse(result).data : undefined;
    if (!now) return;
    if (now.zone !== undefined) this.log.inZone(now.zone);
    this.clocks = Math.abs(Date.parse(now.timestamp) - Date.parse(at)) < SAME_CLOCK ? "one" : "two";
    const day = this.log.house.day(now.timestamp);
    if (this.day !== "" && this.day !== day) for (const text of ["", day]) this.log.text(text);
    this.day = day;
  }

  /** Said once: every file of a run begins with it. */
  private started({ at, version, model, url, options }: RunStart): void {
    this.price = options.price;
    if (this.told) return;
    this.told = true;
    this.log.text(`${model} at ${url}, Tendril ${version}`);
    this.log.text(`begun at ${UTC.day(at)} ${UTC.clock(at)} UTC by this computer's clock`);
  }

  private began({ cycle, plant, at }: CycleLine): void {
    this.brokenOff();
    const now = this.clocks === "two" ? undefined : this.log.house.clock(at);
    this.current = this.log.cycle(cycle, plant, now, this.price);
    [this.rounds, this.calls] = [0, 0];
  }

  /** What the agent noted between its calls, by its own clock. */
  private noted({ at, label, text }: NoteLine): void {
    const when =
      this.clocks === "two" ? `by this computer's clock ${UTC.clock(at)} UTC:` : this.log.house.clock(at);
    this.log.line(label, `${when} ${text}`, "yellow");
  }

  /** Nothing follows. A cycle that has no end is still going on, or the agent was stopped within it. */
  finish(): void {
    this.current?.soFar(`${counted(this.calls, "call")}; the agent is still at it, or was stopped here`);
    this.current = undefined;
  }

  /** Tells of a cycle that has no end where another one follows. */
  private brokenOff(): void {
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
    this.lookedAtClock(line);
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

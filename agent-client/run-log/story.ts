import { z } from "zod";
import { HouseTime } from "../../runtime/wire/house-time.js";
import { counted } from "../../runtime/wire/phrases.js";
import { minutes } from "../clock.js";
import { readArguments } from "../cycle/arguments.js";
import { NOTHING_DONE } from "../cycle/cycle.js";
import type { CycleStory, Log } from "../cycle/log.js";
import type { ToolResult } from "../link/tools.js";
import { isDecision } from "../models/decider/decision.js";
import { readTalk } from "../models/decider/talk.js";
import type { Price } from "../spending/limits.js";
import type {
  CallLine,
  CycleLine,
  EndLine,
  NoteLine,
  ReplyLine,
  RunLine,
  RunStart,
  TurnLine,
} from "./lines.js";

const time = z.object({ timestamp: z.string(), zone: z.string().optional() });
/** Below this difference, the agent's and the runtime's clock count as one. A choice: computers without time service differ less. */
const SAME_CLOCK = minutes(2);
const UTC = new HouseTime();

/** Prints a run for a person: the console's lines, and what the model thought and said. */
export class Story {
  private day = "";
  /** "two": the runtime's clock differs from the agent's, as on a bench that runs faster. */
  private clocks: "unknown" | "one" | "two" = "unknown";
  private current: CycleStory | undefined;
  private told = false;
  private price: Price | undefined;
  private rounds = 0;
  private calls = 0;

  constructor(private readonly log: Log) {}

  tell(line: RunLine): void {
    if (line.kind === "run") this.started(line);
    else if (line.kind === "cycle")
      this.began(line, (now) => this.log.cycle(line.cycle, line.plant, now, this.price));
    else if (line.kind === "turn") this.began(line, () => this.log.turn(line.turn, line.person, line.now));
    else if (line.kind === "reply") this.replied(line);
    else if (line.kind === "call") this.called(line);
    else if (line.kind === "end") this.ended(line);
    else if (line.kind === "note") this.noted(line);
    else if (line.kind === "lost")
      this.log.line("lost", `${counted(line.lines, "line")} could not be written`, "red");
  }

  /** Takes the plant's day from the runtime: on a fast bench the agent's clock shows another day. */
  private lookedAtClock({ tool, result, at }: CallLine): void {
    const now = tool === "get_current_time" ? time.safeParse(result).data : undefined;
    if (!now) return;
    if (now.zone !== undefined) this.log.inZone(now.zone);
    this.clocks = Math.abs(Date.parse(now.timestamp) - Date.parse(at)) < SAME_CLOCK ? "one" : "two";
    const day = this.log.house.day(now.timestamp);
    if (this.day !== "" && this.day !== day) for (const text of ["", day]) this.log.text(text);
    this.day = day;
  }

  /** Printed once, although every file of a run begins with it. */
  private started({ at, version, model, url, options }: RunStart): void {
    this.price = options.price;
    if (this.told) return;
    this.told = true;
    this.log.text(`${model} at ${url}, Tendril ${version}`);
    this.log.text(`begun at ${UTC.day(at)} ${UTC.clock(at)} UTC by this computer's clock`);
  }

  private began({ at }: CycleLine | TurnLine, lines: (time: string | undefined) => CycleStory): void {
    this.brokenOff();
    const now = this.clocks === "two" ? undefined : this.log.house.clock(at);
    this.current = lines(now);
    [this.rounds, this.calls] = [0, 0];
  }

  /** A message outside of cycles, by the agent's clock. */
  private noted({ at, label, text }: NoteLine): void {
    const when =
      this.clocks === "two" ? `by this computer's clock ${UTC.clock(at)} UTC:` : this.log.house.clock(at);
    this.log.line(label, `${when} ${text}`, "yellow");
  }

  /** No more lines. A cycle without an end is still running, or the agent was stopped in it. */
  finish(): void {
    this.current?.soFar(`${counted(this.calls, "call")}; the cycle is still running, or was stopped here`);
    this.current = undefined;
  }

  /** Prints the end of a cycle without an end line, before the next cycle. */
  private brokenOff(): void {
    const { rounds, calls } = this;
    this.current?.ended({ ...NOTHING_DONE, reason: "the log ends within this cycle", rounds, calls });
    this.current = undefined;
  }

  private replied({ reply, failed }: ReplyLine): void {
    this.rounds += 1;
    if (reply?.thinking) this.current?.aside("thought", reply.thinking, "dim");
    // what a program reads is shown by what it then does
    const isForProgram = isDecision(reply?.text ?? "") || readTalk(reply?.text ?? "") !== undefined;
    if (reply?.text && !isForProgram) this.current?.aside("said", reply.text, "dim");
    if (failed !== undefined) this.current?.aside("no reply", failed, "red");
  }

  private called(line: CallLine): void {
    this.calls += 1;
    this.lookedAtClock(line);
    const call = { id: "", name: line.tool, arguments: line.arguments };
    const args = readArguments(line.arguments) ?? {};
    const { result: value, error } = line;
    const result: ToolResult = error ? { ok: false, error } : { ok: true, value };
    this.current?.answered(line.tool, args, result, { call, took: line.took_ms });
  }

  private ended(line: EndLine): void {
    const { completed, reason, cleared, rounds, calls, doses, tokens, took, next } = line;
    this.current?.ended({ completed, reason, cleared, rounds, calls, doses, tokens, took }, next);
    this.current = undefined;
  }
}

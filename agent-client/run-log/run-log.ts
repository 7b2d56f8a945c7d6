import { createHash } from "node:crypto";
import type { ModelChoice } from "../agent.js";
import type { Calendar, Clock } from "../clock.js";
import { type Arguments, readArguments } from "../cycle/arguments.js";
import type { CallTiming, CycleLog } from "../cycle/cycle.js";
import { waitInWords } from "../cycle/log.js";
import type { ToolInfo, ToolResult } from "../link/tools.js";
import type { Model, Picture, Reply } from "../models/model.js";
import type { Event, ReplyLine, RunStart } from "./lines.js";
import type { Sink } from "./log-file.js";
import { roundOf, sizeOf, sizeOfText, toldSince } from "./told.js";

export interface RunLogParts {
  readonly sinks: readonly Sink[];
  readonly clock: Clock & Calendar;
  /** Takes secrets out of JSON text. */
  readonly clean: (json: string) => string;
  /** Keep pictures whole. */
  readonly images: boolean;
}

type Asked = Parameters<Model["respond"]>;

/** The record of a run, a line for everything that happens. The same lines are what a playback goes by. */
export class RunLog {
  private toolNames = "";

  constructor(private readonly parts: RunLogParts) {}

  /** The log of one cycle. */
  cycle(number: number, plant: string | undefined): CycleLog {
    const which = { cycle: number, ...(plant !== undefined && { plant }) };
    return {
      began: ({ model, prompt }) =>
        this.write({ kind: "cycle", ...which, model, prompt: sizeOfText(prompt) }),
      replied: () => undefined, // `around` has written it down, with what it answers
      progress: () => undefined,
      waits: (tool, waiting) => this.line("waiting", waitInWords(tool, waiting)),
      answered: (tool, args, result, timing) => this.called(tool, args, result, timing),
      ended: (outcome, next) => this.write({ kind: "end", ...outcome, ...(next !== undefined && { next }) }),
    };
  }

  /** Something beside the cycles, as the person is told of it. */
  line(label: string, text: string): void {
    this.write({ kind: "note", label, text });
  }

  /** The same models; what each is asked and how it replies, or fails to, is written down. */
  around(models: ModelChoice): ModelChoice {
    return {
      first: (plant) => this.writtenDown(models.first(plant)),
      next: (outcome) => {
        const next = models.next(outcome);
        return next && this.writtenDown(next);
      },
      over: () => models.over(),
    };
  }

  private writtenDown(model: Model): Model {
    return {
      name: model.name,
      get toolSet() {
        return model.toolSet;
      },
      respond: (...asked) => this.asked(model, asked),
    };
  }

  private async asked(model: Model, asked: Asked): Promise<Reply> {
    const [conversation, tools, signal] = asked;
    this.listed(tools);
    const { clock } = this.parts;
    const began = clock.monotonic();
    const request = {
      round: roundOf(conversation),
      told: toldSince(conversation),
      asked: sizeOf(conversation, tools),
    };
    const write = (came: Pick<ReplyLine, "reply" | "failed">) =>
      this.write({
        kind: "reply",
        model: model.name,
        ...request,
        took_ms: clock.monotonic() - began,
        ...came,
      });
    try {
      const reply = await model.respond(...asked);
      write({ reply: kept(reply) });
      return reply;
    } catch (error) {
      if (!signal.aborted) write({ failed: messageOf(error) });
      throw error;
    }
  }

  private listed(tools: readonly ToolInfo[]): void {
    const names = tools.map(({ name }) => name);
    if (names.join() === this.toolNames) return;
    this.toolNames = names.join();
    this.write({ kind: "tools", tools: names });
  }

  private called(tool: string, args: Arguments, result: ToolResult, { call, took }: CallTiming): void {
    const given = readArguments(call.arguments) ? args : call.arguments;
    this.write({ kind: "call", tool, arguments: given, took_ms: took, ...this.answer(result) });
  }

  private answer(result: ToolResult) {
    const ignored = result.ignored && { ignored: [...result.ignored] };
    if (!result.ok) return { error: result.error, ...ignored };
    const images = result.images?.map((image) => imageOf(image, this.parts.images));
    return { result: result.value, ...ignored, ...(images && { images }) };
  }

  private write(event: Event): void {
    const { sinks, clock, clean } = this.parts;
    const line = clean(stamped(event, clock));
    for (const sink of sinks) sink.write(line);
  }
}

/** The text of a line. */
const stamped = ({ kind, ...rest }: Event, clock: Calendar): string =>
  JSON.stringify({ kind, at: new Date(clock.now()).toISOString(), ...rest }, rounded);

/** The clock's nanoseconds are of no use to anybody. */
const rounded = (key: string, value: unknown): unknown =>
  typeof value === "number" && (key === "took_ms" || key === "took") ? Math.round(value) : value;

/** The line that a run begins with. */
export const runStart = (start: Omit<RunStart, "kind" | "at">, clock: Calendar): string =>
  stamped({ kind: "run", ...start }, clock);

/** The line in place of those that could not be written. */
export const lostLines = (lines: number, clock: Calendar): string => stamped({ kind: "lost", lines }, clock);

const kept = ({ toolCalls, ...reply }: Reply) => ({ ...reply, toolCalls: [...toolCalls] });

const imageOf = ({ type, data }: Picture, whole: boolean) => {
  const bytes = Buffer.from(data, "base64");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { type, bytes: bytes.length, sha256, ...(whole && { data }) };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

import { createHash } from "node:crypto";
import type { Calendar, Clock } from "../clock.js";
import type { ToolInfo } from "../connect.js";
import type { CycleLog, CycleOutcome } from "../cycle.js";
import type { Message, Model, Picture, Reply } from "../models/model.js";
import type { ToolResult } from "../tool-result.js";
import type { Arguments } from "../tool-runner.js";
import type { Millis } from "../units.js";
import type { Event, RunStart } from "./lines.js";
import type { Sink } from "./log-file.js";
import { roundOf, sizeOf, toldSince } from "./told.js";

export interface RunLogParts {
  readonly sinks: readonly Sink[];
  readonly clock: Clock & Calendar;
  /** Takes secrets out of JSON text. */
  readonly clean: (json: string) => string;
  /** Keep pictures whole. */
  readonly images: boolean;
}

/** The record of a run, a line for everything that happens. The same lines are what a playback goes by. */
export class RunLog {
  private newest: Millis;
  private toolNames = "";

  constructor(private readonly parts: RunLogParts) {
    this.newest = parts.clock.monotonic();
  }

  /** The log of one cycle. */
  cycle(number: number, plant: string | undefined): CycleLog {
    this.write({ kind: "cycle", cycle: number, ...(plant !== undefined && { plant }) });
    return {
      progress: () => undefined,
      answered: (tool, args, result) => this.called(tool, args, result),
      ended: (outcome) => this.ended(outcome),
    };
  }

  /** Something beside the cycles, as the person is told of it. */
  line(label: string, text: string): void {
    this.write({ kind: "note", label, text });
  }

  /** The same model; what it is asked and how it replies is written down. */
  around(model: Model): Model {
    return {
      name: model.name,
      respond: async (conversation, tools, signal) => {
        this.listed(tools);
        const began = this.parts.clock.monotonic();
        const asked = this.asked(model, conversation, tools);
        const after = () => ({ ...asked, took_ms: this.since(began) });
        try {
          const reply = await model.respond(conversation, tools, signal);
          this.write({ ...after(), reply: kept(reply) });
          return reply;
        } catch (error) {
          if (!signal.aborted) this.write({ ...after(), failed: messageOf(error) });
          throw error;
        }
      },
    };
  }

  private asked(model: Model, conversation: readonly Message[], tools: readonly ToolInfo[]) {
    return {
      kind: "reply" as const,
      model: model.name,
      round: roundOf(conversation),
      told: toldSince(conversation),
      asked: sizeOf(conversation, tools),
    };
  }

  private listed(tools: readonly ToolInfo[]): void {
    const names = tools.map(({ name }) => name);
    if (names.join() === this.toolNames) return;
    this.toolNames = names.join();
    this.write({ kind: "tools", tools: names });
  }

  /** Calls are carried out one after the other: one took as long as it is since the line before. */
  private called(tool: string, args: Arguments, result: ToolResult): void {
    const took_ms = this.since(this.newest);
    this.write({ kind: "call", tool, arguments: args, took_ms, ...this.answer(result) });
  }

  private answer(result: ToolResult) {
    if (!result.ok) return { error: result.error };
    const images = result.images?.map((image) => imageOf(image, this.parts.images));
    return { result: result.value, ...(images && { images }) };
  }

  private ended(outcome: CycleOutcome): void {
    this.write({ kind: "end", ...outcome });
  }

  private since(began: Millis): Millis {
    return Math.round(this.parts.clock.monotonic() - began);
  }

  private write(event: Event): void {
    const { sinks, clock, clean } = this.parts;
    const line = clean(stamped(event, clock));
    this.newest = clock.monotonic();
    for (const sink of sinks) sink.write(line);
  }
}

/** The text of a line. */
export const stamped = ({ kind, ...rest }: Event, clock: Calendar): string =>
  JSON.stringify({ kind, at: new Date(clock.now()).toISOString(), ...rest });

/** The line that a run begins with. */
export const runStart = (start: Omit<RunStart, "kind" | "at">, clock: Calendar): string =>
  stamped({ kind: "run", ...start }, clock);

const kept = ({ toolCalls, ...reply }: Reply) => ({ ...reply, toolCalls: [...toolCalls] });

const imageOf = ({ type, data }: Picture, whole: boolean) => {
  const bytes = Buffer.from(data, "base64");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { type, bytes: bytes.length, sha256, ...(whole && { data }) };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

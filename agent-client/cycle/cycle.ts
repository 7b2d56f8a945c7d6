import { messageOf } from "../../drivers/system-error.js";
import { isObject } from "../../runtime/wire/refusal.js";
import type { Clock, Millis } from "../clock.js";
import type { Progress, Runtime } from "../link/runtime.js";
import { refused, type ToolInfo, type ToolResult } from "../link/tools.js";
import type { AskOptions, Message, Model, Reply, ToolCall, ToolSet } from "../models/model.js";
import { type FailureKind, ModelError } from "../models/model-error.js";
import type { Prompt } from "../prompts/prompt.js";
import { type Arguments, callsReminder } from "./arguments.js";
import { CareCompletion, type Completion } from "./completion.js";
import { type CallOutcome, forModels, type NewKey, ToolRunner, type Waiting } from "./tool-runner.js";

export interface CycleLog {
  began(beginning: { readonly model: string; readonly prompt: string }): void;
  progress(tool: string, progress: Progress): void;
  waits(tool: string, waiting: Waiting): void;
  /** `args` were sent to the runtime; empty if the model's were unreadable. `timing.call` has the model's own. */
  answered(tool: string, args: Arguments, result: ToolResult, timing: CallTiming): void;
  /** `next`: the model that now tries the same cycle, because this one failed. */
  ended(outcome: CycleOutcome, next?: string): void;
}

export interface CallTiming {
  readonly call: ToolCall;
  readonly took: Millis;
}

export interface CycleOptions {
  readonly runtime: Pick<Runtime, "tools" | "call">;
  readonly model: Model;
  readonly prompt: Prompt;
  /** Most replies of the model; at least 1. */
  readonly maxRounds: number;
  readonly clock: Clock;
  readonly log: CycleLog;
  readonly signal: AbortSignal;
  readonly newKey: NewKey;
  /** What makes the work complete; by default a care cycle's. */
  readonly completion?: Completion;
  /** The tools to list; by default all. */
  readonly tools?: readonly ToolInfo[];
  /** What the turn is, if it is no care cycle. The model is then shown all `tools`. */
  readonly turn?: AskOptions["turn"];
}

export interface CycleOutcome {
  /** The model ended by itself, and its work was complete. Of a care cycle: a cleared status and a log entry. */
  readonly completed: boolean;
  /** "completed", or what is missing. */
  readonly reason: string;
  /** The model may have acted, so no other model takes over. Of a care cycle: a status was cleared. */
  readonly cleared: boolean;
  readonly rounds: number;
  readonly calls: number;
  readonly doses: number;
  /** Sums over all replies whose provider counts tokens. */
  readonly tokens: {
    readonly input: number;
    readonly output: number;
    /** The part of `input` from the provider's cache, if the provider tells. */
    readonly cached: number;
  };
  readonly took: Millis;
  /** If the model failed: how, and what would help. */
  readonly failure?: Failure;
}

/** Of a turn that is over for another reason than its model. */
export const NOTHING_DONE: Omit<CycleOutcome, "reason"> = {
  completed: false,
  cleared: false,
  rounds: 0,
  calls: 0,
  doses: 0,
  tokens: { input: 0, output: 0, cached: 0 },
  took: 0,
};

export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
}

/** Further calls in one reply are answered with an error. A choice: no plant needs more; a model out of control sends more. */
const MAX_CALLS_PER_REPLY = 32;
/** Replies in a row whose calls bring nothing new. A choice: by then the model was told three times. */
const MAX_REPLIES_WITHOUT_NEWS = 3;
/** Calls of missing tools in a cycle. A choice: a model that was told the names eight times will not learn them. */
const MAX_UNKNOWN_CALLS = 8;
const NOT_THERE: ReadonlySet<string> = new Set(["UNKNOWN_TOOL", "NOT_OFFERED"]);

/**
 * One care cycle, or another turn: the model replies, its calls are carried out one after the other, and it replies to the answers, until it
 * calls nothing more or has used all rounds. A failure ends the cycle incomplete; only an abort rejects. The caller tells
 * the log how the cycle ended.
 */
export async function runCycle(options: CycleOptions): Promise<CycleOutcome> {
  const began = options.clock.monotonic();
  const cycle = new Cycle(options);
  const end = await cycle.run().then(endedItself, (error: unknown) => {
    options.signal.throwIfAborted();
    return endedBy(error);
  });
  const took = options.clock.monotonic() - began;
  const completed = end.reason === undefined;
  const { counts, completion } = cycle;
  const { hasActed: cleared } = completion;
  return { completed, ...end, reason: end.reason ?? "completed", cleared, ...counts, took };
}

/** How a cycle ended; complete if there is no reason. */
type End = { readonly reason?: string } & Pick<CycleOutcome, "failure">;

/** A model that did less than a cycle needs has failed, whatever it says. */
const endedItself = (reason: string | undefined): End =>
  reason === undefined ? {} : { reason, failure: { kind: "incomplete", message: reason } };

function endedBy(error: unknown): End {
  const reason = messageOf(error);
  return error instanceof ModelError
    ? { reason, failure: { kind: error.kind, message: reason } }
    : { reason };
}

class Cycle {
  readonly counts = { rounds: 0, calls: 0, doses: 0, tokens: { input: 0, output: 0, cached: 0 } };
  readonly completion: Completion;
  private readonly conversation: Message[];
  private reminded = false;
  /** Replies in a row whose calls brought nothing new: all answered before, or unreadable. */
  private repliesWithoutNews = 0;
  /** Replies in a row without a readable call. */
  private unreadableReplies = 0;
  /** Calls of tools that do not exist or were not offered. */
  private unknownCalls = 0;

  constructor(private readonly options: CycleOptions) {
    this.completion = options.completion ?? new CareCompletion();
    this.conversation = [
      { role: "system", content: options.prompt.system },
      { role: "user", content: options.prompt.opening },
    ];
  }

  /** Why the cycle is incomplete; undefined if it is complete. */
  async run(): Promise<string | undefined> {
    const { runtime, maxRounds, newKey, tools: listed } = this.options;
    this.begin();
    const tools = new ToolRunner(runtime, forModels(listed ?? (await runtime.tools())), newKey);
    while (this.counts.rounds < maxRounds) {
      const reply = await this.ask(tools.offer(this.shown));
      if (reply.toolCalls.length > 0) await this.carryOut(reply, tools);
      else if (this.isDone(reply, tools.listed)) return this.completion.missing(reply.text ?? "");
      const reason = this.stuck();
      if (reason !== undefined) return reason;
    }
    return `the model still called tools after ${maxRounds} rounds`;
  }

  private get shown(): ToolSet | undefined {
    const { model, turn } = this.options;
    return turn === undefined ? model.toolSet : "all";
  }

  /** Why further rounds would not help; undefined while they may. */
  private stuck(): string | undefined {
    if (this.unreadableReplies === MAX_REPLIES_WITHOUT_NEWS)
      return `the model's calls could not be read, ${MAX_REPLIES_WITHOUT_NEWS} replies in a row`;
    if (this.repliesWithoutNews === MAX_REPLIES_WITHOUT_NEWS) return "the model repeated the same calls";
    return this.unknownCalls >= MAX_UNKNOWN_CALLS
      ? `the model called ${this.unknownCalls} tools that do not exist or were not offered`
      : undefined;
  }

  private begin(): void {
    const { log, model, prompt } = this.options;
    log.began({ model: model.name, prompt: `${prompt.system}\n\n${prompt.opening}` });
  }

  private async ask(tools: readonly ToolInfo[]): Promise<Reply> {
    const { model, signal, turn } = this.options;
    this.counts.rounds += 1;
    const how = turn === undefined ? [] : [{ turn }];
    const reply = await model.respond(this.conversation, tools, signal, ...how);
    signal.throwIfAborted();
    this.count(reply);
    return reply;
  }

  private count({ usage = { input: 0, output: 0 } }: Reply): void {
    const { tokens } = this.counts;
    tokens.input += usage.input;
    tokens.output += usage.output;
    tokens.cached += usage.cached ?? 0;
  }

  /** Whether a reply without calls ends the cycle. A model that wrote calls as text is told so once, and goes on. */
  private isDone({ text = "" }: Reply, tools: readonly ToolInfo[]): boolean {
    const mayStop = this.completion.missing(text) === undefined && !this.completion.mayNotWriteCalls;
    const reminder = mayStop ? undefined : callsReminder(text, tools);
    if (reminder === undefined) return true;
    const { name } = this.options.model;
    if (this.reminded)
      throw new ModelError(
        `${name} writes calls of tools as text: take a model that can call tools`,
        "person",
      );
    this.reminded = true;
    this.conversation.push({ role: "assistant", content: text, toolCalls: [] });
    this.conversation.push({ role: "user", content: reminder });
    return false;
  }

  private async carryOut({ text = "", toolCalls }: Reply, tools: ToolRunner): Promise<void> {
    this.conversation.push({ role: "assistant", content: text, toolCalls });
    const outcomes = new Set<CallOutcome["nothingNew"]>();
    for (const [index, call] of toolCalls.entries()) {
      const isTooMany = index >= MAX_CALLS_PER_REPLY;
      const { result, nothingNew } = isTooMany ? tooMany(toolCalls.length) : await this.call(call, tools);
      this.conversation.push(answerTo(call, result));
      if (!isTooMany) outcomes.add(nothingNew);
    }
    this.repliesWithoutNews = outcomes.has(undefined) ? 0 : this.repliesWithoutNews + 1;
    this.unreadableReplies =
      outcomes.size === 1 && outcomes.has("unreadable") ? this.unreadableReplies + 1 : 0;
  }

  private async call(call: ToolCall, tools: ToolRunner): Promise<Pick<CallOutcome, "result" | "nothingNew">> {
    const { log, signal, clock } = this.options;
    const began = clock.monotonic();
    this.counts.calls += 1;
    const onProgress = (progress: Progress) => log.progress(call.name, progress);
    const onWaiting = (waiting: Waiting) => log.waits(call.name, waiting);
    const outcome = await tools.run(call, { signal, clock, onProgress, onWaiting });
    const { args, result } = outcome;
    this.note(call.name, tools.named(call.name), result, args);
    log.answered(call.name, args, result, { call, took: clock.monotonic() - began });
    return outcome;
  }

  private note(...[name, tool, result, args]: Parameters<Completion["note"]>): void {
    this.completion.note(name, tool, result, args);
    if (!result.ok && NOT_THERE.has(result.error.code)) this.unknownCalls += 1;
    if (result.ok && name === "dispense_water") this.counts.doses += 1;
  }
}

function answerTo({ id, name }: ToolCall, result: ToolResult): Message {
  const answer = { role: "tool" as const, toolCallId: id, name };
  const { ignored, untrusted, suspicious } = result;
  const marks = {
    ...(untrusted && { untrusted_words_from: untrusted }),
    ...(suspicious && { reads_like_orders: suspicious }),
    ...(ignored && { ignored }),
  };
  if (!result.ok) return { ...answer, content: JSON.stringify({ ...marks, error: result.error }) };
  const { value, images } = result;
  // the marks come first: a model reads them before the words. They also win, whatever the result has.
  const fields = isObject(value) ? value : { result: value }; // of another runtime
  const told = Object.keys(marks).length > 0 ? { ...marks, ...fields, ...marks } : value;
  return { ...answer, content: JSON.stringify(told), ...(images && { images }) };
}

const tooMany = (asked: number): Pick<CallOutcome, "result" | "nothingNew"> => ({
  result: refused(
    "TOO_MANY_CALLS",
    `${asked} calls in one reply, ${MAX_CALLS_PER_REPLY} were carried out; call the rest again`,
  ),
});

/** Chooses the model of each turn. One turn at a time: `first`, then `next` after each model, then `over`. */
export interface ModelChoice {
  /** The model for the next turn: the care of this plant, or "" for a turn about no plant. */
  first(plant: string): Model;
  /** The model that tries the same turn again after this outcome; undefined: none. */
  next(outcome: CycleOutcome): Model | undefined;
  /** The turn is over: tells the person what there is to tell. Rejects with a LinkError. */
  over(): Promise<void>;
}

/** One model for every turn. Calls `begins` before each. */
export const oneModel = (model: Model, begins: () => void = () => undefined): ModelChoice => ({
  first: () => {
    begins();
    return model;
  },
  next: () => undefined,
  over: () => Promise.resolve(),
});

interface Attempt {
  readonly log: CycleLog;
  readonly outcome: CycleOutcome;
}

/** Lets one model after the other try a turn, until there is none left to try. True if the last has completed it. */
export async function runWithModels(
  models: Pick<ModelChoice, "first" | "next">,
  plant: string,
  attempt: (model: Model) => Promise<Attempt>,
): Promise<boolean> {
  let completed = false;
  for (let model: Model | undefined = models.first(plant); model; ) {
    const { log, outcome } = await attempt(model);
    model = models.next(outcome);
    log.ended(outcome, model?.name);
    completed = outcome.completed;
  }
  return completed;
}

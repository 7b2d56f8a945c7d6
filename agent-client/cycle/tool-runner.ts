import { pendingService } from "../../runtime/wire/home-tools.js";
import { approvalNeeded } from "../../runtime/wire/people.js";
import { isObject } from "../../runtime/wire/refusal.js";
import { type Clock, seconds } from "../clock.js";
import type { CallOptions, Runtime } from "../link/runtime.js";
import { refused, type ToolInfo, type ToolResult } from "../link/tools.js";
import type { Model, ToolCall, ToolSet } from "../models/model.js";
import {
  type Arguments,
  noSuchTool,
  readArguments,
  unreadableArguments,
  withoutEmptyExtras,
} from "./arguments.js";
import { keyOf, RepeatedCalls } from "./repeated-calls.js";

interface ApprovalWait {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly signal: AbortSignal;
  onWaiting(waiting: Waiting): void;
}

/** A call that waits for a person's approval. */
export interface Waiting {
  /** The number of the request, which the person approves. */
  readonly id: number;
  /** When the request expires, for people to read. */
  readonly until: string;
}

export interface CallOutcome {
  /** The arguments sent to the runtime; empty if the model's were unreadable. */
  readonly args: Arguments;
  readonly result: ToolResult;
  /** Why the answer is nothing new: a repeat answered here, or unreadable arguments. */
  readonly nothingNew?: "repeated" | "unreadable";
}

/** Makes the idempotency key of a call. The same call again may get the same key only if it must not be carried out twice. */
export type NewKey = (tool: string, args: Arguments) => string;

/** Carries out a model's calls in one cycle. Every call gets an answer, also for a missing tool or unreadable arguments. */
export class ToolRunner {
  private readonly tools: ReadonlyMap<string, ToolInfo>;
  private readonly repeated = new RepeatedCalls();
  private offered: ReadonlySet<string>;

  constructor(
    private readonly runtime: Pick<Runtime, "call">,
    readonly listed: readonly ToolInfo[],
    private readonly newKey: NewKey,
  ) {
    this.tools = new Map(listed.map((tool) => [tool.name, tool]));
    this.offered = new Set(this.tools.keys());
  }

  /** Undefined if there is no such tool. */
  named(name: string): ToolInfo | undefined {
    return this.tools.get(name);
  }

  /** The tools to show to the model. Calls of other tools are refused from now on. */
  offer(shown: ToolSet | undefined): readonly ToolInfo[] {
    const tools = toolsIn(shown, this.listed);
    this.offered = new Set(tools.map(({ name }) => name));
    return tools;
  }

  async run(call: ToolCall, options: Pick<CallOptions, "onProgress"> & ApprovalWait): Promise<CallOutcome> {
    const { name } = call;
    const given = readArguments(call.arguments);
    const tool = this.tools.get(name);
    if (!tool) return { args: given ?? {}, result: this.unknown(name) };
    if (!this.offered.has(name)) return { args: given ?? {}, result: notOffered(name) };
    if (!given) return unreadable(name, call.arguments);
    const { args, ignored } = withoutEmptyExtras(given, tool.inputSchema);
    const key = keyOf(name, args);
    const known = call.fresh ? undefined : this.repeated.before(tool, key);
    const result = known ?? this.repeated.after(tool, key, await this.call(tool, args, call.key, options));
    return {
      args,
      result: ignored.length === 0 ? result : { ...result, ignored },
      ...(known && { nothingNew: "repeated" }),
    };
  }

  private unknown(name: string): ToolResult {
    const problem = noSuchTool(name, [...this.offered]);
    return refused("UNKNOWN_TOOL", `${problem} All there are stand in your list of tools`);
  }

  private call(
    tool: ToolInfo,
    args: Arguments,
    given: string | undefined,
    { clock, onWaiting, ...options }: Pick<CallOptions, "onProgress"> & ApprovalWait,
  ): Promise<ToolResult> {
    const { signal } = options;
    const key = tool.readOnly ? {} : { idempotencyKey: given ?? this.newKey(tool.name, args) };
    const call = () => this.runtime.call(tool.name, args, { ...options, ...key });
    return awaitApproval(call, { clock, signal, onWaiting });
  }
}

const notOffered = (name: string): ToolResult =>
  refused(
    "NOT_OFFERED",
    `${name} is not among the tools of this care cycle: do without it, with the tools in your list`,
  );

const unreadable = (name: string, given: unknown): CallOutcome => ({
  args: {},
  result: refused("INVALID_ARGUMENT", `${name}: ${unreadableArguments(given)}`),
  nothingNew: "unreadable",
});

/** Seconds between two calls if the runtime does not say. A choice. */
const PAUSE_S = 5;
/** Seconds after a request expired in which the runtime is still asked, since it may end requests late. A choice. */
const GRACE_S = 60;

/**
 * Repeats the call until a person has answered or the request expired; the runtime keeps each call waiting for a while. This
 * only asks for the outcome: only a person approves. Rejects with the signal's reason.
 */
export async function awaitApproval(
  call: () => Promise<ToolResult>,
  { clock, signal, onWaiting }: ApprovalWait,
): Promise<ToolResult> {
  let told: number | undefined;
  let giveUpAt = Number.POSITIVE_INFINITY;
  for (;;) {
    const result = await call();
    const request = requestIn(result);
    if (!request || clock.monotonic() > giveUpAt) return result;
    if (told === undefined) giveUpAt = clock.monotonic() + seconds(request.left + GRACE_S);
    if (request.id !== told) onWaiting(request);
    told = request.id;
    await clock.sleep(seconds(request.pause), signal);
  }
}

function requestIn(
  result: ToolResult,
): (Waiting & { readonly left: number; readonly pause: number }) | undefined {
  if (result.ok) return pendingIn(result.value);
  if (result.error.code !== "APPROVAL_NEEDED") return undefined;
  const { data } = approvalNeeded.safeParse(result.error.details);
  if (!data) return undefined;
  const { id, until, expires_in_s: left } = data;
  return { id, until, left, pause: result.error.retry_after_s ?? PAUSE_S };
}

/** A call of a service of the home that waits for a person. */
function pendingIn(value: unknown): ReturnType<typeof requestIn> {
  if (!isObject(value) || !("request_id" in value)) return undefined; // nearly every result: the schema need not say so
  const { data } = pendingService.safeParse(value);
  if (!data) return undefined;
  const { request_id: id, expires_in_s: left } = data;
  return { id, until: `${left} s from now`, left, pause: PAUSE_S };
}

export type { ToolSet };

export const TOOL_SETS = ["care", "all"] as const satisfies readonly ToolSet[];

/**
 * The tools to show, in the runtime's order; all, or those that the runtime marks for a care cycle. A model reads its tools with
 * every request, so each one costs tokens: see prompt.ts.
 */
export const toolsIn = (shown: ToolSet | undefined, tools: readonly ToolInfo[]): readonly ToolInfo[] =>
  shown === "care" ? tools.filter(({ inCare }) => inCare) : tools;

/** The program begins and ends turns and sends the answer; a model never does. */
const OF_THE_PROGRAM: ReadonlySet<string> = new Set([
  "begin_turn",
  "end_turn",
  "send_chat_message",
  "list_chat_messages",
]);

export const forModels = (tools: readonly ToolInfo[]): readonly ToolInfo[] =>
  tools.filter(({ name }) => !OF_THE_PROGRAM.has(name));

export const shown = (model: Model, toolSet: ToolSet): Model => ({
  name: model.name,
  toolSet,
  respond: (...asked) => model.respond(...asked),
});

import { canonical } from "../../runtime/wire/refusal.js";
import { refused, type ToolInfo, type ToolResult } from "../link/tools.js";
import type { Arguments } from "./arguments.js";
import { isRefusedStatus } from "./completion.js";

/** After this many equal answers, the next identical call is answered here. A choice: one repeat by mistake is allowed. */
const MAX_EQUAL_ANSWERS = 2;

/** After this many reads, the last result is given again. A choice: by then the figures differ by noise only. */
const MAX_READS = 6;

interface Seen {
  readonly result: ToolResult;
  readonly times: number;
  readonly readOnly: boolean;
}

/**
 * Remembers one cycle's calls, to tell a model that it repeats itself. A call that changes something is always carried out
 * again, since two equal doses may be intended; its answer says that it was not the first.
 */
export class RepeatedCalls {
  private readonly seen = new Map<string, Seen>();
  private readonly acts = new Map<string, number>();
  /** Reads since the last change. */
  private readonly reads = new Map<string, { readonly times: number; readonly last: ToolResult }>();

  /** The answer instead of a call that would only repeat one; undefined: make the call. A repeated message is refused at once. */
  before({ name, speaks }: ToolInfo, key: CallKey): ToolResult | undefined {
    if (speaks && this.acts.has(key))
      return refused(
        "REPEATED",
        `${name} was carried out with just these arguments in this cycle already: not again; go on, or stop`,
      );
    const seen = this.seen.get(key);
    if (!seen || seen.times < MAX_EQUAL_ANSWERS) return this.lastRead(key);
    return refused(
      "REPEATED",
      `${name} was called with these arguments ${seen.times} times in this cycle and answered the same each time: not called again; go on with that answer, or stop`,
    );
  }

  /** Remembers an answer, and returns it as the model shall see it. */
  after({ readOnly }: ToolInfo, key: CallKey, result: ToolResult): ToolResult {
    if (result.ok && !isRefusedStatus(result.value)) {
      if (!readOnly) return this.acted(key, result);
      this.reads.set(key, { times: (this.reads.get(key)?.times ?? 0) + 1, last: result });
    }
    const before = this.seen.get(key);
    const mayPass = !result.ok && result.error.retryable;
    const isEqual = before && !mayPass && answerIn(before.result) === answerIn(result);
    const times = mayPass ? 0 : (isEqual ? before.times : 0) + 1;
    this.seen.set(key, { result, times, readOnly });
    return result;
  }

  private lastRead(key: string): ToolResult | undefined {
    const { times, last } = this.reads.get(key) ?? { times: 0 };
    if (!last || times < MAX_READS) return undefined;
    return withNote(
      last,
      `not read again after ${times} times in this cycle: unchanged for our purposes, decide now`,
    );
  }

  /** A change makes all reads out of date. */
  private acted(key: string, result: ToolResult & { readonly ok: true }): ToolResult {
    for (const [read, { readOnly }] of this.seen) if (readOnly) this.seen.delete(read);
    this.reads.clear();
    const times = (this.acts.get(key) ?? 0) + 1;
    this.acts.set(key, times);
    return times === 1
      ? result
      : withNote(result, `carried out: identical call number ${times} of this cycle`);
  }
}

function withNote(result: ToolResult, note: string): ToolResult {
  if (!result.ok) return result;
  const { value } = result;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return result;
  return { ...result, value: { ...value, note } };
}

const REFUSED = "refused";

/** Equal answers give equal texts. A refused status is a result, and its reason contains the time. */
function answerIn(result: ToolResult): string {
  if (!result.ok) return result.error.code;
  return isRefusedStatus(result.value) ? REFUSED : canonical(withoutTime(result.value));
}

type CallKey = string;

/** The same for calls of a tool with equal arguments. */
export const keyOf = (name: string, args: Arguments): CallKey => `${name} ${canonical(args)}`;

/** Readings that differ only in time are equal. If there is only a time, the time was the question. */
function withoutTime(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("timestamp" in value)) return value;
  const { timestamp, ...rest } = value;
  return Object.keys(rest).some((key) => key !== "zone") ? rest : timestamp;
}

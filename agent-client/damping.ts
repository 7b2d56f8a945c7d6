import { refused, type ToolResult } from "./tool-result.js";

type Arguments = Readonly<Record<string, unknown>>;

/** The same answer this often, and the next identical call is answered here. A choice: once may be a slip. */
const ENOUGH = 2;

interface Seen {
  readonly answer: string;
  readonly times: number;
  readonly readOnly: boolean;
}

/**
 * Remembers one cycle's calls, so that a model that goes round in circles is told so. What acts and succeeds is always
 * carried out, since two equal doses may well be meant; its answer then says that it was not the first.
 */
export class Damping {
  private readonly seen = new Map<string, Seen>();
  private readonly acts = new Map<string, number>();

  /** The answer in place of the call, where it would only be the same again. */
  before(name: string, args: Arguments): ToolResult | undefined {
    const seen = this.seen.get(keyOf(name, args));
    if (!seen || seen.times < ENOUGH) return undefined;
    return refused(
      "REPEATED",
      `${name} was called with these arguments ${seen.times} times in this cycle and answered the same each time: not called again; go on with that answer, or stop`,
    );
  }

  /** Remembers an answer; the answer as the model is to see it. */
  after(name: string, args: Arguments, readOnly: boolean, result: ToolResult): ToolResult {
    const key = keyOf(name, args);
    if (!readOnly && result.ok) return this.acted(key, result);
    const answer = canonical(result.ok ? withoutTime(result.value) : result.error.code);
    const before = this.seen.get(key);
    const mayPass = !result.ok && result.error.retryable;
    const times = mayPass ? 0 : (before?.answer === answer ? before.times : 0) + 1;
    this.seen.set(key, { answer, times, readOnly });
    return result;
  }

  /** The world is no longer what was read of it. */
  private acted(key: string, result: ToolResult & { readonly ok: true }): ToolResult {
    for (const [read, { readOnly }] of this.seen) if (readOnly) this.seen.delete(read);
    const times = (this.acts.get(key) ?? 0) + 1;
    this.acts.set(key, times);
    const { value } = result;
    if (times === 1 || typeof value !== "object" || value === null || Array.isArray(value)) return result;
    return {
      ok: true,
      value: { ...value, note: `carried out: identical call number ${times} of this cycle` },
    };
  }
}

const keyOf = (name: string, args: Arguments): string => `${name} ${canonical(args)}`;

/** A reading is the same although it was taken later; the time alone is what a clock was asked for. */
function withoutTime(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("timestamp" in value)) return value;
  const { timestamp, ...rest } = value;
  return Object.keys(rest).length > 0 ? rest : timestamp;
}

/** JSON whose keys are in order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  ) ?? "";

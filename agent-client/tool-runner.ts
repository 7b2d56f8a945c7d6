import { type Patience, untilAnswered } from "./await-approval.js";
import type { CallOptions, Runtime, ToolInfo } from "./connect.js";
import { Damping } from "./damping.js";
import type { ToolCall } from "./models/model.js";
import { nearestNames } from "./nearest-names.js";
import { parseJson, refused, type ToolResult } from "./tool-result.js";

/** How a call is made, and how a person's yes is waited for. */
export type RunOptions = Omit<CallOptions, "idempotencyKey" | "signal"> & Patience;

export type Arguments = Readonly<Record<string, unknown>>;

/** Names that an unknown one may have meant; the whole list came with the request already. */
const SUGGESTED = 3;
/** Characters of a name that are repeated: a model that runs wild may send any number. */
const SHOWN = 80;

/** Carries out what a model asks for in one cycle, and answers everything: also a tool that does not exist, or arguments that are none. */
export class ToolRunner {
  private readonly tools: ReadonlyMap<string, ToolInfo>;
  private readonly damping = new Damping();

  /** `newKey` makes an idempotency key that was never used before. */
  constructor(
    private readonly runtime: Pick<Runtime, "call">,
    readonly listed: readonly ToolInfo[],
    private readonly newKey: () => string,
  ) {
    this.tools = new Map(listed.map((tool) => [tool.name, tool]));
  }

  async run(
    { name, arguments: given, key }: ToolCall,
    args: Arguments | undefined,
    options: RunOptions,
  ): Promise<ToolResult> {
    const tool = this.tools.get(name);
    if (!tool) return this.unknown(name);
    if (!args) return refused("INVALID_ARGUMENT", `${name}: ${unreadable(given)}`);
    return this.damping.before(name, args) ?? this.call(tool, args, key ?? this.newKey(), options);
  }

  private unknown(name: string): ToolResult {
    const nearest = nearestNames(name, [...this.tools.keys()], SUGGESTED).join(", ");
    return refused(
      "UNKNOWN_TOOL",
      `there is no tool "${name.slice(0, SHOWN)}"; nearest: ${nearest}. All there are stand in your list of tools`,
    );
  }

  private async call(
    { name, readOnly }: ToolInfo,
    args: Arguments,
    idempotencyKey: string,
    { clock, onWaiting, ...options }: RunOptions,
  ): Promise<ToolResult> {
    const { signal } = options;
    const key = readOnly ? {} : { idempotencyKey };
    const call = () => this.runtime.call(name, args, { ...options, ...key });
    const result = await untilAnswered(call, { clock, signal, onWaiting });
    return this.damping.after(name, args, readOnly, result);
  }
}

/**
 * The arguments as an object; undefined for anything that is none, or that is nested too deep. Models send objects, JSON
 * text, or for "none" nothing, an empty text or blanks.
 */
export function readArguments(given: unknown): Arguments | undefined {
  const text = typeof given === "string" ? given.trim() || "{}" : undefined;
  const value = text === undefined ? (given ?? {}) : parseJson(text);
  const isUsable = typeof value === "object" && value !== null && !Array.isArray(value) && !isTooDeep(value);
  return isUsable ? (value as Arguments) : undefined;
}

/** The beginning helps the model: in its own conversation the call stands without arguments. */
function unreadable(given: unknown): string {
  const begin = typeof given === "string" ? `; they begin with ${JSON.stringify(given.slice(0, SHOWN))}` : "";
  return `the arguments are not a JSON object; correct them and call again (nested ${DEEPEST} deep at most${begin})`;
}

/** A choice: tools have some 5. What walks through arguments by calling itself runs out of stack at some thousands. */
const DEEPEST = 64;

/** Whether objects and lists stand in each other more than DEEPEST deep. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1)
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  return level.length > 0;
}

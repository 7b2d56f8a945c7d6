import { parseJson } from "../runtime/wire/refusal.js";
import { type Patience, untilAnswered } from "./await-approval.js";
import { noSuchTool } from "./calls-as-text.js";
import { Damping } from "./damping.js";
import { withoutEmptyExtras } from "./empty-extras.js";
import type { CallOptions, Runtime } from "./link/runtime.js";
import type { ToolInfo } from "./link/tools.js";
import { refused, type ToolResult } from "./link/tools.js";
import type { ToolCall, ToolsShown } from "./models/model.js";
import { toolsIn } from "./tool-set.js";

/** How a call is made, and how a person's yes is waited for. */
export type RunOptions = Omit<CallOptions, "idempotencyKey" | "signal"> & Patience;

export type Arguments = Readonly<Record<string, unknown>>;

/** What became of a call. */
export interface Ran {
  /** What was sent to the runtime; empty where the model sent nothing that can be read. */
  readonly args: Arguments;
  readonly result: ToolResult;
  /** Why the answer tells the model nothing new: it was answered from memory, or its arguments could not be read. */
  readonly futile?: "repeated" | "unreadable";
}

/** Carries out what a model asks for in one cycle, and answers everything: also a tool that does not exist, or arguments that are none. */
export class ToolRunner {
  private readonly tools: ReadonlyMap<string, ToolInfo>;
  private readonly damping = new Damping();
  private offered: ReadonlySet<string>;

  /** `newKey` makes an idempotency key that was never used before. */
  constructor(
    private readonly runtime: Pick<Runtime, "call">,
    readonly listed: readonly ToolInfo[],
    private readonly newKey: () => string,
  ) {
    this.tools = new Map(listed.map((tool) => [tool.name, tool]));
    this.offered = new Set(this.tools.keys());
  }

  /** The tools to be shown. From now on calls of others are refused. */
  offer(shown: ToolsShown | undefined): readonly ToolInfo[] {
    const tools = toolsIn(shown, this.listed);
    this.offered = new Set(tools.map(({ name }) => name));
    return tools;
  }

  async run(call: ToolCall, options: RunOptions): Promise<Ran> {
    const { name } = call;
    const given = readArguments(call.arguments);
    const tool = this.tools.get(name);
    if (!tool) return { args: given ?? {}, result: this.unknown(name) };
    if (!this.offered.has(name)) return { args: given ?? {}, result: this.notOffered(name) };
    return given ? this.carryOut(tool, given, call, options) : unreadable(name, call.arguments);
  }

  private async carryOut(
    tool: ToolInfo,
    given: Arguments,
    { key, fresh }: ToolCall,
    options: RunOptions,
  ): Promise<Ran> {
    const { args, ignored } = withoutEmptyExtras(given, tool.inputSchema);
    const known = fresh ? undefined : this.damping.before(tool, args);
    const result = known ?? (await this.call(tool, args, key, options));
    return {
      args,
      result: ignored.length === 0 ? result : { ...result, ignored },
      ...(known && { futile: "repeated" }),
    };
  }

  private notOffered(name: string): ToolResult {
    return refused(
      "NOT_OFFERED",
      `${name} is not among the tools of this care cycle: do without it, with the tools in your list`,
    );
  }

  private unknown(name: string): ToolResult {
    const problem = noSuchTool(name, [...this.offered]);
    return refused("UNKNOWN_TOOL", `${problem} All there are stand in your list of tools`);
  }

  private async call(
    tool: ToolInfo,
    args: Arguments,
    given: string | undefined,
    { clock, onWaiting, ...options }: RunOptions,
  ): Promise<ToolResult> {
    const { signal } = options;
    const key = tool.readOnly ? {} : { idempotencyKey: given ?? this.newKey() };
    const call = () => this.runtime.call(tool.name, args, { ...options, ...key });
    const result = await untilAnswered(call, { clock, signal, onWaiting });
    return this.damping.after(tool, args, result);
  }
}

const unreadable = (name: string, given: unknown): Ran => ({
  args: {},
  result: refused("INVALID_ARGUMENT", `${name}: ${problemOf(given)}`),
  futile: "unreadable",
});

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
function problemOf(given: unknown): string {
  const begin = typeof given === "string" ? `; they begin with ${JSON.stringify(given.slice(0, SHOWN))}` : "";
  return `the arguments are not a JSON object; correct them and call again (nested ${DEEPEST} deep at most${begin})`;
}

/** Characters of unreadable arguments that are repeated: enough to see which they were. */
const SHOWN = 80;

/** A choice: tools have some 5. What walks through arguments by calling itself runs out of stack at some thousands. */
const DEEPEST = 64;

/** Whether objects and lists stand in each other more than DEEPEST deep. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1)
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  return level.length > 0;
}

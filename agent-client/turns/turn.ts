import { createHash } from "node:crypto";
import { type BegunTurn, begunTurn } from "../../runtime/wire/chats.js";
import { currentTime } from "../../runtime/wire/plants.js";
import { ChildSignal, type Clock } from "../clock.js";
import type { Arguments } from "../cycle/arguments.js";
import { AnswerCompletion } from "../cycle/completion.js";
import { ask } from "../cycle/context.js";
import { type CycleLog, type ModelChoice, NOTHING_DONE, runCycle, runWithModels } from "../cycle/cycle.js";
import type { NewKey } from "../cycle/tool-runner.js";
import type { CallOptions, Runtime } from "../link/runtime.js";
import type { ToolInfo, ToolResult } from "../link/tools.js";
import type { Prompt } from "../prompts/prompt.js";
import type { Whose } from "./prompt.js";

export interface TurnParts {
  readonly runtime: Runtime;
  readonly models: ModelChoice;
  readonly log: { turn(kind: TurnKind, person: string, now: string): CycleLog };
  readonly say: (text: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Most replies of a model in a turn. */
  readonly maxRounds: number;
  readonly newKey: () => string;
}

type TurnKind = "conversation" | "task";

/** The turn is over at the runtime: a person ended it, it took too long, or the runtime began anew. */
class TurnOver extends Error {
  override readonly name = "TurnOver";
}

/** One turn at the runtime. Its calls name it; once one of them finds that it is over, `signal` aborts with a TurnOver. */
export class Turn {
  private readonly over: ChildSignal;

  private constructor(
    readonly begun: BegunTurn,
    private readonly parts: TurnParts,
  ) {
    this.over = new ChildSignal(parts.signal);
  }

  /**
   * Works in a turn; false if the runtime begins none. `which`: "for the task …", for the line that says why there was none, or that
   * it was over before its end. Rejects with a LinkError.
   */
  static async during(
    parts: TurnParts,
    about: Arguments,
    which: string,
    work: (turn: Turn) => Promise<void>,
  ): Promise<boolean> {
    const result = await parts.runtime.call("begin_turn", about, { idempotencyKey: parts.newKey() });
    const begun = result.ok ? begunTurn.safeParse(result.value).data : undefined;
    if (begun) await work(new Turn(begun, parts)).catch((error: unknown) => overEarly(error, which, parts));
    else parts.say(`no turn ${which}: ${result.ok ? "begin_turn gave no turn" : result.error.message}`);
    return begun !== undefined;
  }

  get signal(): AbortSignal {
    return this.over.signal;
  }

  readonly runtime: Pick<Runtime, "call"> = {
    call: async (name, args, options) => {
      const named = { ...options, turn: this.begun.turn_id };
      const result = await this.parts.runtime.call(name, inOrder(args), named);
      if (!result.ok && result.error.code === "TURN_OVER") this.stop(result.error.message);
      const isKnown = !result.ok && result.error.code === "IDEMPOTENCY_CONFLICT";
      return isKnown ? this.knownCall(name, inOrder(args), named) : result;
    },
  };

  /** A turn before had the key: there the call was carried out. What it read is read again, and nothing is done twice. */
  private async knownCall(name: string, args: Arguments, options: CallOptions): Promise<ToolResult> {
    if (READS.test(String(args.operation)))
      return this.parts.runtime.call(name, args, { ...options, idempotencyKey: this.parts.newKey() });
    return {
      ok: true,
      value: { already_done: true, note: "carried out before, when this work was first begun" },
    };
  }

  /** Aborts `signal` with a TurnOver. */
  stop(why: string): void {
    this.over.abort(new TurnOver(why));
  }

  /** A call of the program itself. It is repeated if the link breaks. */
  say(tool: string, args: Arguments): Promise<ToolResult> {
    return this.runtime.call(tool, args, { idempotencyKey: this.parts.newKey() });
  }

  /** Ends the turn, if it is not over already. */
  async end(outcome: "done" | "failed", reason?: string): Promise<void> {
    const why = reason === undefined ? {} : { reason: [...reason].slice(0, LONGEST_REASON).join("") };
    if (!this.signal.aborted) await this.say("end_turn", { outcome, ...why });
    this.over.abort();
  }

  async whose(): Promise<Whose> {
    const { name, user_id, language, zone } = this.begun;
    const told = await ask(this.runtime, "get_current_time", {}, currentTime);
    const now = told?.timestamp ?? new Date(0).toISOString(); // if the runtime cannot tell
    return { name: name ?? undefined, user: user_id, language, zone, now };
  }
}

function overEarly(error: unknown, which: string, { say }: TurnParts): void {
  if (!(error instanceof TurnOver)) throw error;
  say(`the turn ${which} was over early: ${error.message}`);
}

/** Operations that change nothing, of tools that also change something. */
const READS = /^(?:list|get)_/;

/** Characters that end_turn takes. */
const LONGEST_REASON = 500;

/** The toolsets for what people ask for. Of those that are off, the runtime lists nothing. */
export const HOUSEHOLD_TOOLSETS = [
  "planner",
  "memory",
  "plants",
  "climate",
  "knowledge",
  "web",
  "home",
  "mail",
] as const;

const TEXT = { type: "string" };

/** Tools that every token may call, and that the runtime lists to people only, to spare care cycles their length. */
const ALSO: readonly ToolInfo[] = [
  also(
    "get_overview",
    "Everything about every plant now: moisture, water, light, holds, faults, the last plant status and why.",
  ),
  also(
    "get_care_record",
    "Why a plant got water or none: each care cycle with its plan, its reasoning and the runtime's answer, holds and faults, from start_time to end_time (ISO 8601).",
    { plant: TEXT, start_time: TEXT, end_time: TEXT },
    ["start_time", "end_time"],
  ),
  also(
    "stop_all",
    "Switch every pump and light off now. Never refused. Call it first when the person says stop.",
  ),
];

function also(name: string, description: string, properties: object = {}, required?: string[]): ToolInfo {
  const inputSchema = { type: "object", properties, ...(required && { required }) };
  return { name, description, inputSchema, readOnly: name !== "stop_all" };
}

/** How a model, or one after the other, has worked on a turn. */
export interface Work {
  readonly completed: boolean;
  readonly answer: string;
  readonly hasActed: boolean;
  /** The last failure; undefined for none, or if the link to the runtime broke. */
  readonly failure: string | undefined;
}

interface WorkOptions {
  readonly kind: TurnKind;
  /** Made anew for each model. */
  readonly prompt: () => Promise<Prompt>;
  /** What the turn is about: the same work gets the same idempotency keys. */
  readonly seed: string;
}

/** Lets the models work on a turn. Rejects with a TurnOver, with a LinkError, or with the signal's reason. */
export async function work(turn: Turn, parts: TurnParts, { kind, prompt, seed }: WorkOptions): Promise<Work> {
  const { runtime, models, clock, maxRounds } = parts;
  const tools = withAlso(await runtime.tools(HOUSEHOLD_TOOLSETS));
  let last: Work = { completed: false, answer: "", hasActed: false, failure: undefined };
  await runWithModels(models, "", async (model) => {
    const completion = new AnswerCompletion(kind === "conversation");
    const log = parts.log.turn(kind, turn.begun.user_id, (await turn.whose()).now);
    const cycle = {
      model,
      prompt: await prompt(),
      completion,
      tools,
      turn: kind,
      newKey: keysFrom(seed),
      log,
    };
    const { signal } = turn;
    const within = { tools: async () => tools, call: turn.runtime.call };
    const outcome = await runCycle({ ...cycle, runtime: within, clock, maxRounds, signal }).catch(
      (error: unknown) => {
        if (error instanceof TurnOver)
          log.ended({ ...NOTHING_DONE, reason: error.message, cleared: completion.hasActed });
        throw error;
      },
    );
    const { completed, failure } = outcome;
    last = { completed, answer: completion.answer, hasActed: completion.hasActed, failure: failure?.message };
    return { log, outcome };
  });
  await models.over();
  return last;
}

const withAlso = (tools: readonly ToolInfo[]): readonly ToolInfo[] => [
  ...tools,
  ...ALSO.filter(({ name }) => !tools.some((tool) => tool.name === name)),
];

/** The same calls in the same order get the same keys: a turn that begins again does nothing twice. */
function keysFrom(seed: string): NewKey {
  const made = new Map<string, number>();
  return (tool, args) => {
    const call = `${tool} ${JSON.stringify(inOrder(args))}`;
    const nth = (made.get(call) ?? 0) + 1;
    made.set(call, nth);
    return createHash("sha256").update(`${seed} ${call} ${nth}`).digest("hex");
  };
}

/** Another model may give the same arguments in another order, and the runtime compares their text. */
const inOrder = (args: Arguments): Arguments =>
  Object.fromEntries(Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1)));

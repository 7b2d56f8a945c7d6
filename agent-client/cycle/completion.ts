import { z } from "zod";
import { statusResult } from "../../runtime/wire/plants.js";
import { isObject } from "../../runtime/wire/refusal.js";
import type { ToolInfo, ToolResult } from "../link/tools.js";
import type { Arguments } from "./arguments.js";

/** Whether a result is that of a status which the runtime did not clear: it is a result, and no error. */
export const isRefusedStatus = (value: unknown): value is { readonly reason?: unknown } =>
  isObject(value) && value.proceed === false;

/** Follows a model's work in one turn, and says when it is complete. One for each run of a model. */
export interface Completion {
  /** Hears of every call's result. `tool` is undefined for a tool that does not exist. */
  note(name: string, tool: ToolInfo | undefined, result: ToolResult, args: Arguments): void;
  /** What is missing at a reply without calls, with its text; undefined: nothing. */
  missing(text: string): string | undefined;
  /** Something was done that another model must not do again. */
  readonly hasActed: boolean;
  /** Calls that are written in the text of the last reply are a mistake, though nothing else is missing. */
  readonly mayNotWriteCalls: boolean;
}

const LOG_TOOLS: ReadonlySet<string> = new Set(["log_thought", "log_action"]);

const SWITCHES: ReadonlySet<string> = new Set(["dispense_water", "turn_on_light"]);

const plan = z.object({ next_action_sequence: z.array(z.object({ action: z.string() })) });

const plansToSwitch = (status: Arguments): boolean =>
  plan.safeParse(status).data?.next_action_sequence.some(({ action }) => /^(?:water|light)$/.test(action)) ===
  true;

const UNRECORDED: ReadonlySet<string> = new Set(["STORE_FAILED", "DISK_NEARLY_FULL", "TOKENS_UNREAD"]);

/** A care cycle needs a cleared status and at least one log entry. */
export class CareCompletion implements Completion {
  /** The cleared plan has water or light, and none was asked for. */
  mayNotWriteCalls = false;
  /** A status was cleared, so the model may have acted on the plant. */
  hasActed = false;
  private cleared = false;
  private logged = false;
  /** What the runtime said when it could not record a call: no fault of the model. */
  private unrecorded: string | undefined;

  note(name: string, _: ToolInfo | undefined, result: ToolResult, args: Arguments): void {
    if (name === "write_plant_status") {
      this.cleared = result.ok && statusResult.safeParse(result.value).data?.proceed === true;
      this.mayNotWriteCalls = this.cleared && plansToSwitch(args);
    }
    if (SWITCHES.has(name) && (result.ok || result.error.code !== "INVALID_ARGUMENT"))
      this.mayNotWriteCalls = false;
    this.hasActed ||= this.cleared;
    if (result.ok && LOG_TOOLS.has(name)) this.logged = true;
    if (!result.ok && UNRECORDED.has(result.error.code)) this.unrecorded = result.error.message;
  }

  missing(): string | undefined {
    if (this.cleared && this.logged) return undefined;
    if (this.unrecorded !== undefined) return `the runtime could not record everything: ${this.unrecorded}`;
    return this.cleared
      ? "the model stopped without a thought or an action in the log"
      : "the model stopped without a cleared plant status";
  }
}

/** A call that broke off may have been carried out, and one whose result was erased was. */
const UNSURE: ReadonlySet<string> = new Set(["LINK_BROKEN", "TIMEOUT", "OUTCOME_UNKNOWN", "RESULT_ERASED"]);

/** A conversation needs an answer in words; a task needs none. */
export class AnswerCompletion implements Completion {
  /** The text is for a person. */
  readonly mayNotWriteCalls = true;
  hasActed = false;
  answer = "";

  constructor(private readonly needsAnswer: boolean) {}

  note(_: string, tool: ToolInfo | undefined, result: ToolResult): void {
    if (!tool || tool.readOnly) return;
    this.hasActed ||= result.ok || UNSURE.has(result.error.code);
  }

  missing(text: string): string | undefined {
    this.answer = text.trim();
    return this.needsAnswer && this.answer === "" ? "the model stopped without an answer" : undefined;
  }
}

import { type Particulars, TendrilError } from "../errors.js";
import type { Planned, Tool, ToolContext } from "./tool.js";

/** Decides which calls need a person's yes, and waits for it. The registry asks it before each call. */
export interface ApprovalGate {
  /** What this call needs a yes for; undefined: it needs none. */
  demandOf(intent: Intent): Demand | undefined;
  /** Notes the answer that the caller brought along. */
  hear(demand: Demand, dialogue: Dialogue): Promise<void>;
  /** Resolves once the call may go on. Throws ApprovalPending and the refusals of an answer. */
  obtain(demand: Demand, signal: AbortSignal, dialogue?: Dialogue): Promise<void>;
  /** Nothing waits any longer. */
  close(): void;
}

/** A call that needs a person's yes. */
export interface Demand {
  /** As they were validated. */
  readonly arguments: Record<string, unknown>;
}

/** What a call is about to do: the tool, its arguments as they were validated, and whose it is. */
export interface Intent {
  readonly tool: Pick<Tool<never>, "name" | "perPlant"> & {
    readonly confirmation?: {
      words(args: Record<string, unknown>): string;
      scope?(plant: string, planned: Planned): string;
    };
  };
  readonly args: Record<string, unknown>;
  readonly context: Pick<ToolContext<unknown>, "call" | "plant" | "named">;
}

/** Of a caller that can be asked in the middle of a call. */
export interface Dialogue {
  /** Which question this call comes back with; absent on its first round. As it came over the wire. */
  readonly state?: string;
  /** What was answered; absent where the question was put away unanswered. */
  readonly answer?: "yes" | "no";
}

/** What such a caller is to ask whoever sits in front of it, in place of a result. */
export interface Question {
  readonly message: string;
  /** Comes back with the answer. */
  readonly state: string;
}

/** The call waits for a person's yes. */
export class ApprovalPending extends TendrilError {
  readonly question: Question | undefined;

  constructor(what: string, { particulars, question }: { particulars: Particulars; question?: Question }) {
    super("APPROVAL_NEEDED", what, particulars);
    this.question = question;
  }
}

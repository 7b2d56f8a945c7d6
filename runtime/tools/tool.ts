import type { z } from "zod";
import type { Clock } from "../../drivers/ports.js";
import { type Particulars, TendrilError } from "../errors.js";
import type { Plants } from "../plants.js";
import type { Identity, Role, Scope } from "../wire/identity.js";

/** Refusals that a person may override. */
export const CONFIRMABLE = ["SOIL_WET"] as const;
export type ConfirmableCode = (typeof CONFIRMABLE)[number];

export interface Call {
  readonly identity: Identity;
  /** Which of the agents that share the token, where the client says so. */
  readonly instance?: string | undefined;
  /** The refusal that a person has been told of and overrides: by a human token alone. */
  readonly confirmed?: ConfirmableCode | undefined;
  /** How many stops there had been when it arrived: a later one ends it (Stops). */
  readonly stopsBefore: number;
  /** Aborted when the caller cancels the call; never by a lost connection. */
  readonly signal: AbortSignal;
  /** Reports `done` of `total` (for a dose: millilitres). */
  progress(done: number, total: number, message: string): void;
}

/** MCP's hints: what a client may assume of a tool before it calls it. */
export interface Annotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** What a call of a tool does. Every tool has to say all of it: nothing is assumed. */
export interface Facts {
  /** What people see in a list of tools. */
  readonly title: string;
  readonly annotations: Annotations;
  /** Whether it says something that is read by people or by later turns: saying it twice in a turn is a nuisance. */
  readonly speaks: boolean;
}

/** A tool that only reads. `world` is "open" where it shows words or states from outside the runtime. */
export const reads = (title: string, { world }: { readonly world: "closed" | "open" }): Facts => ({
  title,
  annotations: { readOnlyHint: true, openWorldHint: world === "open" },
  speaks: false,
});

/** A tool that changes something. Whether a refusal has changed nothing, its code says (`ErrorRule.changed`). */
export const changes = (
  title: string,
  {
    destroys,
    repeatable,
    speaks,
    world,
  }: {
    /** It moves something, or takes away what was there. */
    readonly destroys: boolean;
    /** The same call again changes nothing more. */
    readonly repeatable: boolean;
    readonly speaks: boolean;
    /** "open": it reaches beyond the runtime and what is wired to it. */
    readonly world: "closed" | "open";
  },
): Facts => ({
  title,
  annotations: { destructiveHint: destroys, idempotentHint: repeatable, openWorldHint: world === "open" },
  speaks,
});

/** What a tool works with: a part of the runtime that is open by the time of a call. */
export interface ServiceKey<S> {
  readonly name: string;
  open(house: never): S | Promise<S>;
}

/** Names an operation in errors and docs: "list_tool add_item". */
export const LABEL = Symbol("label");

/**
 * A tool is declared once; its schema, validation, types, reference page and the model's tool list all come from this
 * object. `S` is the service that its handler works with.
 */
export interface Tool<S = unknown, I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly facts: Facts;
  readonly service: ServiceKey<S>;
  /** The least role that may call it. */
  readonly role: Role;
  /** Scopes that may call it and see it, beside the roles. */
  readonly scopes?: readonly Scope[];
  /** The least role it is listed to, where that is more than `role`. */
  readonly listedTo?: Role;
  /** Where a call names one of several operations: each has its own parameters, role, facts and result (operations.ts). */
  readonly operations?: readonly Tool[];
  readonly [LABEL]?: string;
  /** Belongs to the toolset `care` too: what a care cycle needs. */
  readonly inCare?: boolean;
  /** Acts on one plant, or on all where none is named: with several configured, the schema gains an optional `plant`. */
  readonly perPlant?: boolean | "or all";
  /** Switches something off: no rate limit, no hold, no gate may stand in its way. */
  readonly switchesOff?: boolean;
  /** Keeps things off: its calls wait behind no others, though role and rate count. */
  readonly holds?: boolean;
  /** Refusals of it that a person may override. */
  readonly confirmable?: readonly ConfirmableCode[];
  /** For calls that wait for a person's yes, where the configuration says so. */
  readonly confirmation?: Confirmation<S, I>;
  readonly input: I;
  readonly output: O;
  run(input: z.output<I>, context: ToolContext<S>): Promise<Answer<O>> | Answer<O>;
}

/** Gives a tool's handler the types of its own schemas and of its service. */
export const defineTool = <S, I extends z.ZodObject, O extends z.ZodType>(tool: Tool<S, I, O>): Tool =>
  tool as unknown as Tool;

export const labelOf = (tool: Tool): string => tool[LABEL] ?? tool.name;

/** What an agent's status plans for its cycle in all. */
export interface Planned {
  readonly ml: number;
  readonly lightMinutes: number;
}

export interface Confirmation<S, I extends z.ZodObject> {
  /** What would happen, after "wants to": "pour 20 ml". */
  words(input: z.output<I>): string;
  /** What a yes for a whole cycle allows, after "a yes holds for": "all it pours on basil in this cycle, 45 ml planned". */
  scope?(plant: string, planned: Planned): string;
  /** Throws what would refuse the call now in any case: nobody is asked for that. Changes nothing. */
  check(input: z.output<I>, context: ToolContext<S>): Promise<void> | void;
}

/** What a handler returns: the declared output, read-only or not, and a picture beside it where it has one. */
export type Answer<O extends z.ZodType> = Immutable<z.input<O>> | Picture<Immutable<z.input<O>>>;

type Immutable<T> = T extends readonly (infer E)[]
  ? readonly Immutable<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;

export interface ToolContext<S> {
  readonly service: S;
  readonly clock: Clock;
  readonly plants: Plants;
  readonly call: Call;
  /** The id of the plant meant: the one named, else the first configured. */
  readonly plant: string;
  /** The id of the plant that was named; undefined where none was. */
  readonly named: string | undefined;
  /** The plants' time now, as results show it: ISO 8601, UTC. */
  isoNow(): string;
}

/** A tool's result that comes with a picture beside it. */
export class Picture<T> {
  constructor(
    readonly value: T,
    readonly jpeg: Uint8Array,
  ) {}
}

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

import type { z } from "zod";
import type { Clock } from "../../drivers/ports.js";
import { type Particulars, TendrilError } from "../errors.js";
import type { Plants } from "../plants.js";
import type { Identity, Role, Scope } from "../wire/identity.js";
import type { CallAge } from "./late-calls.js";
import { type CallTurn, suspicionsIn, type Taint } from "./taint.js";

/** Refusals that a person may override. */
export const CONFIRMABLE = ["SOIL_WET"] as const;
export type ConfirmableCode = (typeof CONFIRMABLE)[number];

export interface Call {
  readonly identity: Identity;
  /** Names one of the agents that share the token, if the client says so. */
  readonly instance?: string | undefined;
  /** The refusal that a person knows of and overrides; with a human token only. */
  readonly confirmed?: ConfirmableCode | undefined;
  /** The turn that it belongs to, if its agent has begun one. */
  readonly turn?: CallTurn | undefined;
  readonly taint: Taint;
  /** How many stops there had been when it arrived; a later one ends it (Stops). */
  readonly stopsBefore: number;
  readonly age: CallAge;
  /**
   * Throws what forbids it to act now: the runtime ends, its token or its turn is gone, agents are paused. Ask it right before
   * something is switched on.
   */
  assertStands(): void;
  /** Aborted when the caller cancels the call; never by a lost connection. */
  signal(): AbortSignal;
  /** Reports `done` of `total` (for a dose: millilitres). */
  progress(done: number, total: number, message: string): void;
}

/** Who asks, by a call or by reading a resource. */
export type Caller = Pick<Call, "identity" | "turn">;

/** MCP's hints: what a client may assume of a tool before it calls it. */
export interface Annotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** What a call of a tool does. Every tool must state all of it. */
export interface Facts {
  /** The name that people see in a list of tools. */
  readonly title: string;
  readonly annotations: Annotations;
  /** Whether people or later turns read what it says; saying it twice in a turn is a nuisance. */
  readonly speaks: boolean;
}

/** A tool that only reads. `world` is "open" if it shows words or states from outside the runtime. */
export const reads = (title: string, { world }: { readonly world: "closed" | "open" }): Facts => ({
  title,
  annotations: { readOnlyHint: true, openWorldHint: world === "open" },
  speaks: false,
});

interface Effects {
  /** It moves something, or removes something. */
  readonly destroys: boolean;
  /** The same call again changes nothing more. */
  readonly repeatable: boolean;
  readonly speaks: boolean;
  /** "open": it reaches beyond the runtime and what is wired to it. */
  readonly world: "closed" | "open";
}

/**
 * A tool that changes something. `ErrorRule.changed` says for each code whether a refusal may have changed something.
 */
export const changes = (title: string, { destroys, repeatable, speaks, world }: Effects): Facts => ({
  title,
  annotations: { destructiveHint: destroys, idempotentHint: repeatable, openWorldHint: world === "open" },
  speaks,
});

/** A tool that acts anew with each call, within the runtime, and destroys nothing. */
export const acts = (title: string): Facts =>
  changes(title, { destroys: false, repeatable: false, speaks: false, world: "closed" });

/** As `acts`, and people or later turns read what it says. */
export const tells = (title: string): Facts => ({ ...acts(title), speaks: true });

/** A tool that sets something within the runtime: the same call again changes nothing more. */
export const sets = (title: string): Facts =>
  changes(title, { destroys: false, repeatable: true, speaks: false, world: "closed" });

/** A tool that removes something within the runtime. */
export const removes = (title: string): Facts =>
  changes(title, { destroys: true, repeatable: false, speaks: false, world: "closed" });

/** What the bridge alone may see and call: who has a person's token needs none of it. */
export const FOR_BRIDGE = { role: "human", scopes: ["bridge"], scopesOnly: true } as const;

/** What a tool works with: a part of the runtime, open before any call. */
export interface ServiceKey<S> {
  readonly name: string;
  open(house: never): S | Promise<S>;
}

/** Names an operation in errors and docs: "list_tool add_item". */
export const LABEL = Symbol("label");

/**
 * The one declaration of a tool: schema, validation, types, reference page and the model's tool list come from it.
 * `S` is the service that its handler uses.
 */
export interface Tool<S = unknown, I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly facts: Facts;
  readonly service: ServiceKey<S>;
  /** The least role that may call it. */
  readonly role: Role;
  /** Scopes that may also see and call it. */
  readonly scopes?: readonly Scope[];
  /** Only those scopes may see and call it, and no role. */
  readonly scopesOnly?: boolean;
  /** The least role that it is listed to, if not `role`. */
  readonly listedTo?: Role;
  /**
   * Set if a call names one of several operations; each has its own parameters, role, facts and result (operations.ts).
   */
  readonly operations?: readonly Tool[];
  readonly [LABEL]?: string;
  /** Whether it is also in the toolset `care`, for care cycles. */
  readonly inCare?: boolean;
  /** Acts on one plant, or on all if none is named. With several plants the schema has an optional `plant`. */
  readonly perPlant?: boolean | "or all";
  /** Switches something off: no rate limit, hold or gate may refuse it. */
  readonly switchesOff?: boolean;
  /** Whether a call keeps something off, or switches it off by a person's words. Such a call waits for no other, and no rate refuses it. */
  holds?(input: z.output<I>): boolean;
  /** The argument in which a person writes. Words there that say off switch off, whatever becomes of the call. */
  readonly words?: string;
  /** A care needs it: where the disk is nearly full, agents may call it for longer than what else they write. */
  readonly neededForCare?: boolean;
  /** Its refusals that a person may override. */
  readonly confirmable?: readonly ConfirmableCode[];
  /** For calls that wait for a person's yes, if the configuration says so. */
  readonly confirmation?: Confirmation<S, I>;
  /** For a tool that decides by itself for which calls a person is asked. Then `confirm` in the configuration cannot name it. */
  readonly admission?: Admission<S, I, O>;
  readonly input: I;
  readonly output: O;
  run(input: z.output<I>, context: ToolContext<S>): Promise<Answer<O>> | Answer<O>;
  /** Told of each error that ends a call whose arguments and role were right, before the caller is. Must not reject. */
  refused?(input: z.output<I>, context: ToolContext<S>, error: unknown): Promise<void>;
}

/** Gives a tool's handler the types of its own schemas and of its service. */
export const defineTool = <S, I extends z.ZodObject, O extends z.ZodType>(tool: Tool<S, I, O>): Tool =>
  tool as unknown as Tool;

/** As `defineTool`, for the tools of one service. */
export const toolFor =
  <S>(service: ServiceKey<S>) =>
  <I extends z.ZodObject, O extends z.ZodType>(tool: Omit<Tool<S, I, O>, "service">): Tool =>
    ({ ...tool, service }) as unknown as Tool;

export const labelOf = (tool: Tool): string => tool[LABEL] ?? tool.name;

interface Confirmation<S, I extends z.ZodObject> {
  /** Everybody in the house is asked, also for what a person's turn wants. Otherwise a request is that person's. */
  readonly ofTheHouse?: true;
  /** Of what the agent has read, the sources for which a person is asked; all by default. */
  misledBy?(sources: readonly string[]): readonly string[];
  /** Whether this call waits for a yes, whatever is configured. Without it: only what is configured, and a tainted turn. */
  isNeeded?(input: z.output<I>, context: Pick<ToolContext<S>, "service">): boolean;
  /** Throws if the call would be refused now in any case, so that nobody is asked in vain. Changes nothing. */
  check(input: z.output<I>, context: ToolContext<S>): Promise<void> | void;
}

interface Admission<S, I extends z.ZodObject, O extends z.ZodType> {
  /**
   * Runs before the call's idempotency key is used up, and may wait for a person. Undefined: go on. Otherwise the answer
   * to a call that changed nothing: its key stays free, so that the same call can be repeated. `dialogue`: the caller can be
   * asked in the middle of the call; ApprovalPending asks it.
   */
  before(
    input: z.output<I>,
    context: ToolContext<S>,
    dialogue: Dialogue | undefined,
  ): Promise<Answer<O> | undefined>;
  /** The answer to a repeated call if the runtime ended before the first one was over. */
  interrupted(input: z.output<I>, context: ToolContext<S>): Promise<Answer<O>> | Answer<O>;
}

/** What a handler returns: the declared output, read-only or not, perhaps with a picture, a secret or words of strangers. */
export type Answer<O extends z.ZodType> =
  | Immutable<z.input<O>>
  | Picture<Immutable<z.input<O>>>
  | ShownOnce<Immutable<z.input<O>>>
  | Untrusted<Immutable<z.input<O>>>;

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
  /** The id of the plant: the named one, else the first. */
  readonly plant: string;
  /** The id of the named plant; undefined if none was named. */
  readonly named: string | undefined;
  /** The plants' time now, as results show it: ISO 8601, UTC. */
  isoNow(): string;
}

/** A result with a secret: the call shows it, and what is kept of the call is `kept`. */
export class ShownOnce<T> {
  constructor(
    readonly value: T,
    readonly kept: T,
  ) {}
}

/**
 * A result with words of strangers. It taints the turn that reads it. `sources` name where the words came from, such as
 * "calendar work": never what they say.
 */
export class Untrusted<T> {
  constructor(
    readonly value: T,
    readonly sources: readonly string[],
  ) {}

  /** What in the words reads like an order to a model. Looked for once, when somebody asks. */
  get suspicions(): readonly string[] {
    this.found ??= suspicionsIn(JSON.stringify(this.value));
    return this.found;
  }

  private found: readonly string[] | undefined;
}

/** A result with a picture. Words in it are words of strangers: a model reads them as any other. */
export class Picture<T> extends Untrusted<T> {
  constructor(
    value: T,
    readonly jpeg: Uint8Array,
    sources: readonly string[],
  ) {
    super(value, sources);
  }
}

/** The result as it is if it has no words of strangers. */
export const untrustedIf = <T>(sources: readonly string[], value: T): T | Untrusted<T> =>
  sources.length === 0 ? value : new Untrusted(value, sources);

/** Decides which calls need a person's yes, and waits for it. The registry asks it before each call. */
export interface ApprovalGate {
  /** What this call needs a yes for; undefined if it needs none. */
  callToApprove(intent: Intent): CallToApprove | undefined;
  /** Records the answer that the caller brought along. */
  recordAnswer(wanted: CallToApprove, dialogue: Dialogue): Promise<void>;
  /** Resolves once the call may go on. Throws ApprovalPending, and a refusal for each negative answer. */
  waitForApproval(wanted: CallToApprove, call: Waiting, dialogue?: Dialogue): Promise<void>;
  /** Ends all waiting. */
  close(): void;
}

/** Who waits for a yes. */
export type Waiting = Pick<Call, "signal"> & Partial<Pick<Call, "age">>;

/** A call that needs a person's yes. */
export interface CallToApprove {
  /** Validated arguments. */
  readonly arguments: Record<string, unknown>;
}

/** What a call is about to do: the tool, its validated arguments, and whose call it is. */
export interface Intent {
  readonly tool: Pick<Tool<never>, "name" | "perPlant" | "confirmation">;
  readonly args: Record<string, unknown>;
  readonly context: Pick<ToolContext<unknown>, "call" | "plant" | "named" | "plants" | "service">;
}

/** The state of a conversation with a caller that can be asked in the middle of a call. */
export interface Dialogue {
  /** The question that this call answers; absent in its first round. As received. */
  readonly state?: string;
  /** Absent if the question was dismissed. */
  readonly answer?: "yes" | "no";
}

/** A question for the person in front of the client, instead of a result. */
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

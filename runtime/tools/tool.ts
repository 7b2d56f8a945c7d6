import type { z } from "zod";
import type { Identity, Role } from "../wire/identity.js";
import type { Picture } from "./picture.js";

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

export interface Annotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
}

/**
 * A tool is declared once; its schema, validation, types, reference page and the model's tool list all come
 * from this object. `Services` is whatever the runtime offers to the handler.
 */
export interface Tool<Services, I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly annotations: Annotations;
  /** The least role that may call it. */
  readonly role: Role;
  /** The least role it is listed to, where that is more than `role`. */
  readonly listedTo?: Role;
  /** Acts on one plant, or on all where none is named: with several configured, the schema gains an optional `plant`. */
  readonly perPlant?: boolean | "or all";
  /** Switches something off: no rate limit, no hold, no gate may stand in its way. */
  readonly switchesOff?: boolean;
  /** Keeps things off: its calls wait behind no others, though role and rate count. */
  readonly holds?: boolean;
  /** Refusals of it that a person may override. */
  readonly confirmable?: readonly ConfirmableCode[];
  /** For calls that wait for a person's yes, where the configuration says so. */
  readonly confirmation?: Confirmation<Services, I>;
  readonly input: I;
  readonly output: O;
  run(input: z.output<I>, context: ToolContext<Services>): Promise<Answer<O>> | Answer<O>;
}

/** What an agent's status plans for its cycle in all. */
export interface Planned {
  readonly ml: number;
  readonly lightMinutes: number;
}

export interface Confirmation<Services, I extends z.ZodObject> {
  /** What would happen, after "wants to": "pour 20 ml". */
  words(input: z.output<I>): string;
  /** What a yes for a whole cycle allows, after "a yes holds for": "all it pours on basil in this cycle, 45 ml planned". */
  scope?(plant: string, planned: Planned): string;
  /** Throws what would refuse the call now in any case: nobody is asked for that. Changes nothing. */
  check(input: z.output<I>, context: ToolContext<Services>): Promise<void> | void;
}

/** What a handler returns: the declared output, read-only or not, and a picture beside it where it has one. */
export type Answer<O extends z.ZodType> = Immutable<z.input<O>> | Picture<Immutable<z.input<O>>>;

type Immutable<T> = T extends readonly (infer E)[]
  ? readonly Immutable<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;

export interface ToolContext<Services> {
  readonly services: Services;
  readonly call: Call;
  /** The id of the plant meant: the one named, else the first configured. */
  readonly plant: string;
  /** The id of the plant that was named; undefined where none was. */
  readonly named: string | undefined;
}

import type { TurnKind } from "../wire/chats.js";
import type { Identity } from "../wire/identity.js";
import type { Taint } from "./taint.js";

/** The turn in which an agent calls. */
export interface CallTurn {
  readonly id: string;
  readonly kind: TurnKind;
  /** Whose turn it is: a person, or the household. */
  readonly person: string;
  readonly chat: string | null;
  /** Throws TURN_OVER. */
  assertOpen(): void;
  /** Shows a call to the person who waits. The result is to be called with "done", or the code of a refusal. */
  showCall(tool: string, title: string): (outcome: string) => void;
}

/** Who calls, and in which turn that says it is. */
interface Caller {
  readonly identity: Identity;
  readonly instance?: string | undefined;
  /** As received. */
  readonly turn?: unknown;
}

/** Knows the open turns. The registry asks it before each call. */
export interface TurnGate {
  /** Undefined for a call without a turn. Throws INVALID_ARGUMENT, and TURN_OVER for a turn that is not this caller's. */
  turnOf(caller: Caller): CallTurn | undefined;
  taintOf(identity: Identity, turn: CallTurn | undefined): Taint;
  /** Ends all waiting for turns. */
  close(): void;
}

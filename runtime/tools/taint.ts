import type { TurnKind } from "../wire/chats.js";
import type { Identity } from "../wire/identity.js";

/** The words of strangers that an agent has read: in a turn, or without one by its token in the last 24 hours. */
export interface Taint {
  /** Where they came from, the first ones first; empty if none were read. */
  readonly sources: readonly string[];
  /** Resolves once it counts, whatever happens next. */
  add(sources: readonly string[]): Promise<void> | void;
}

/** Of calls that no words can mislead: a person's, and those that switch off. */
export const UNTAINTED: Taint = { sources: [], add: () => undefined };

/** What a record keeps of it: where words of strangers came from that whoever wrote it had read before. */
export interface Tainted {
  readonly tainted?: readonly string[];
}

/** The source of what a camera of the house has seen: whoever was in the room may have held words before it. */
export const FROM_PHOTO = "a photo";

/**
 * Of these sources, those that count for what a plant gets. A care cycle that looks at its plant waters it within the rules, as one
 * that does not look: a yes for each such dose would end the looking. One name for all photos, so that many of them push no
 * other source out of the few that are remembered.
 */
export const exceptPhotos = (sources: readonly string[]): readonly string[] =>
  sources.filter((source) => source !== FROM_PHOTO);

/** For the record that a call writes. Nothing is written where nothing was read. */
export const taintOf = ({ taint }: { readonly taint: Taint }): Tainted =>
  taint.sources.length === 0 ? {} : { tainted: taint.sources };

/** For the results that show these records. */
export const sourcesIn = (records: readonly Tainted[]): readonly string[] => [
  ...new Set(records.flatMap(({ tainted = [] }) => tainted)),
];

/** For a record that is made of several lines. */
export function bothTainted(...records: readonly Tainted[]): Tainted {
  const tainted = sourcesIn(records);
  return tainted.length === 0 ? {} : { tainted };
}

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

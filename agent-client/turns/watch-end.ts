import { ChildSignal } from "../clock.js";
import { type Millis, seconds } from "../units.js";
import type { Turn, TurnParts } from "./turn.js";

/** A choice: a person who ended a turn does not wait, and a model may think for minutes without a call. */
const LOOK_EVERY: Millis = seconds(2);

/**
 * Looks now and then whether the chat still waits for an answer, and ends the turn if it does not, until the returned
 * function is called. It reads the agenda: to read the chat would count as having seen what the person writes meanwhile.
 */
export function watchEnd(turn: Turn, parts: Pick<TurnParts, "runtime" | "clock">): () => void {
  const watching = new ChildSignal(turn.signal);
  void look(turn, parts, watching.signal).catch(() => undefined); // the work itself reports a broken link
  return () => watching.abort();
}

async function look(
  turn: Turn,
  { runtime, clock }: Pick<TurnParts, "runtime" | "clock">,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.sleep(LOOK_EVERY, signal);
    const agenda = await runtime.agenda();
    signal.throwIfAborted();
    const isWaiting = agenda?.chats.some(({ chat_id }) => chat_id === turn.begun.chat_id) ?? true;
    if (!isWaiting) turn.stop("nobody waits for the answer any more");
  }
}

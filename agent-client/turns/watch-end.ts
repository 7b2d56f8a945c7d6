import { ChildSignal, type Clock } from "../clock.js";
import { type Millis, seconds } from "../units.js";
import type { Turn } from "./turn.js";

/** A choice: a person who ended a turn does not wait, and a model may think for minutes without a call. */
const LOOK_EVERY: Millis = seconds(2);

/** Asks now and then whether the turn is still open, until the returned function is called. */
export function watchEnd(turn: Turn, clock: Clock): () => void {
  const watching = new ChildSignal(turn.signal);
  void look(turn, clock, watching.signal).catch(() => undefined); // the work itself reports a broken link
  return () => watching.abort();
}

async function look(turn: Turn, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    await clock.sleep(LOOK_EVERY, signal);
    await turn.runtime.call("list_chat_messages", { limit: 1 }, { signal });
  }
}

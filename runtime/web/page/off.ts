import { OFF_REASON } from "../../wire/names.js";
import type { Link } from "./link.js";
import { offBySession, offHere } from "./session.js";

/** What became of it: off and held, off alone, or not even that. */
export type OffOutcome = "held" | "off" | "failed";

/** The WebSocket, HTTP with the session, and the route of this machine, which needs neither, at once. Rejects if none works. */
export async function switchOff(link: Link | undefined): Promise<void> {
  const ways = [...(link?.ready ? [link.call("stop_all")] : []), offBySession(), offHere()];
  await Promise.any(ways).catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
}

/**
 * Switches everything off by every way. Then a person's session sets the hold, and switches off again, in case an agent was
 * in between.
 */
export async function everythingOff(link: Link | undefined, mayHold: boolean): Promise<OffOutcome> {
  const isOff = await switchOff(link).then(
    () => true,
    () => false,
  );
  if (!mayHold || !link?.ready) return isOff ? "off" : "failed";
  try {
    await link.call("set_hold", { hold: true, reason: OFF_REASON });
    await link.call("stop_all");
    return "held";
  } catch {
    return isOff ? "off" : "failed";
  }
}

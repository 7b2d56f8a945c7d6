import type { ChildProcess } from "node:child_process";
import type { Clock } from "../../drivers/ports.js";
import { millis, seconds } from "../../drivers/units.js";

/** A choice: an agent that is told to stop closes its files and its link in well under a second. */
const PATIENCE = seconds(5);
/** A choice: npx passes on the signal that the terminal has sent already, at once; a person presses again later. */
const ONE_WISH = millis(300);

/**
 * Passes signals on to a child. It may be stuck and hear none: the second one, or PATIENCE after the first, kills it,
 * since nothing else would.
 */
export function passing(
  child: Pick<ChildProcess, "kill">,
  clock: Pick<Clock, "after" | "monotonic">,
): (signal: NodeJS.Signals) => void {
  let askedAt: number | undefined;
  const kill = () => void child.kill("SIGKILL");
  return (signal) => {
    if (askedAt !== undefined) return clock.monotonic() - askedAt < ONE_WISH ? undefined : kill();
    askedAt = clock.monotonic();
    child.kill(signal);
    clock.after(PATIENCE, kill);
  };
}

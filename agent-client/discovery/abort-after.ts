import type { Clock } from "../clock.js";
import type { Millis } from "../units.js";

/** Aborts after `time`; once the signal is aborted there is nothing more to do, and the timer is gone. */
export function abortAfter(
  time: Millis,
  controller: AbortController,
  clock: Clock,
  signal: AbortSignal,
): void {
  void clock.sleep(time, signal).then(
    () => controller.abort(),
    () => undefined,
  );
}

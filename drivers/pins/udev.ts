import type { Clock } from "../ports.js";
import { hasCode, messageOf } from "../system-error.js";
import { millis, seconds } from "../units.js";

/**
 * Files that the kernel has just made belong to root until udev hands them to our group: some milliseconds,
 * seconds while a small board boots. A choice: as long as the service waits before its next start.
 */
const TIMEOUT = seconds(5);
const INTERVAL = millis(20);

/**
 * Does `act` as soon as the system lets us: again for five seconds where it says EACCES, or another of `late`. Asleep in between,
 * since on a board with one processor udev has to have its turn. Rejects with what was said last.
 */
export async function retryUntilPermitted<T>(
  act: () => T,
  clock: Pick<Clock, "sleep">,
  late: readonly string[] = ["EACCES"],
): Promise<T> {
  for (let waited = 0; waited < TIMEOUT; waited += INTERVAL) {
    try {
      return act();
    } catch (error) {
      if (!late.some((code) => hasCode(error, code))) throw error;
    }
    await clock.sleep(INTERVAL);
  }
  return act();
}

/** Why a pin could not be opened: the two usual causes in plain words, any other as the system reports it. */
export function pinReason(cause: unknown): string {
  if (hasCode(cause, "EBUSY")) return "EBUSY: its pin is taken, by an overlay or another program";
  if (hasCode(cause, "EACCES"))
    return `${messageOf(cause)}; docs/hardware.md has the groups and the udev rule`;
  return messageOf(cause);
}

import type { Clock } from "./clock.js";
import type { Runtime } from "./link/runtime.js";
import { type Millis, seconds } from "./units.js";

/** A choice: the runtime answers in milliseconds; a person who pressed Ctrl-C does not wait for a link that hangs. */
const PATIENCE: Millis = seconds(2);

/**
 * Lets others care for the plants at once, in place of half an hour after our last status. Resolves in any case: where the
 * runtime is away, or older than this tool, that half an hour ends by itself.
 */
export async function giveUpCare(runtime: Pick<Runtime, "call">, clock: Pick<Clock, "sleep">): Promise<void> {
  const done = new AbortController();
  const given = runtime.call("release_care", {}).then(
    () => done.abort(),
    () => done.abort(),
  );
  await Promise.race([given, clock.sleep(PATIENCE, done.signal).catch(() => undefined)]);
}

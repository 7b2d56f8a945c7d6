import type { Clock } from "../../drivers/ports.js";
import type { Millis } from "../../drivers/units.js";

/** Clears the screen and goes to its upper left corner (ECMA-48: ED, CUP). */
const CLEAR = "\u001b[2J\u001b[H";

export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** Shows again and again what is true now, until the signal is aborted. Where nobody looks, one after the other. */
export async function watch(
  show: () => Promise<string>,
  every: Millis,
  { screen, clock, signal }: { screen: Screen; clock: Pick<Clock, "sleep">; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const text = await show();
    screen.write(`${screen.isTTY ? CLEAR : ""}${text}\n`);
    await clock.sleep(every, signal).catch(() => undefined);
  }
}

/** Aborted by Ctrl-C, by what ends a service, and where nobody reads any more, such as `head` that has seen enough. */
export function untilStopped(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  process.stdout.once("error", () => controller.abort());
  return controller.signal;
}

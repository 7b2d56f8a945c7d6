import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Clock } from "../../drivers/ports.js";
import { seconds } from "../../drivers/units.js";

/** Clears the screen and goes to its upper left corner (ECMA-48: ED, CUP). */
const CLEAR = "\u001b[2J\u001b[H";
/** A choice: as quickly as a person reads a screen anew, and next to no load for a Pi. */
export const LOOK_EVERY = seconds(5);

export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** What a person watches by: by default this terminal, until Ctrl-C. */
interface Watching {
  readonly screen: Screen;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

const here = (): Watching => ({ screen: process.stdout, clock: new SystemClock(), signal: untilStopped() });

/** Shows again and again what is true now, until the signal is aborted. Where nobody looks, one after the other. */
export async function watch(
  show: () => Promise<string>,
  { screen, clock, signal }: Watching = here(),
): Promise<void> {
  while (!signal.aborted) {
    const text = await show();
    screen.write(`${screen.isTTY ? CLEAR : ""}${text}\n`);
    await clock.sleep(LOOK_EVERY, signal).catch(() => undefined);
  }
}

/** Aborted by Ctrl-C, by what ends a service, and where nobody reads any more, such as `head` that has seen enough. */
export function untilStopped(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  process.stdout.once("error", () => controller.abort());
  return controller.signal;
}

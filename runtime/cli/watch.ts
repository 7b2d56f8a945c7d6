import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { Clock } from "../../drivers/ports.js";
import { seconds } from "../../drivers/units.js";
import { CommandError } from "./failure.js";
import { asCalledHere, harmless } from "./print.js";

/** Clears the screen and goes to its upper left corner (ECMA-48: ED, CUP). */
const CLEAR = "\u001b[2J\u001b[H";
/** A choice: about the time to read a screen, with hardly any load for a Pi. */
export const LOOK_EVERY = seconds(5);

interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}

/** Where to show it: by default this terminal, until Ctrl-C. */
interface Watching {
  readonly screen: Screen;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

const here = (): Watching => ({ screen: process.stdout, clock: new SystemClock(), signal: untilStopped() });

/**
 * Repeats `show` until the signal aborts. On a terminal each output replaces the one before. Once it has worked, a failure
 * is shown in its place: the runtime may come back.
 */
export async function watch(
  show: () => Promise<string>,
  { screen, clock, signal }: Watching = here(),
): Promise<void> {
  const patient = patientWith(show);
  while (!signal.aborted) {
    const text = await patient().catch(awayWords);
    screen.write(`${screen.isTTY ? CLEAR : ""}${text}\n`);
    await clock.sleep(LOOK_EVERY, signal).catch(() => undefined);
  }
}

/** Aborted by Ctrl-C, SIGTERM, or a closed output, such as by `head`. */
export function untilStopped(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  process.stdout.once("error", () => controller.abort());
  return controller.signal;
}

/** The same, but once it has worked, it rejects with an Away for what a person can do nothing about here. */
export function patientWith<T>(ask: () => Promise<T>): () => Promise<T> {
  let worked = false;
  return async () => {
    try {
      const answer = await ask();
      worked = true;
      return answer;
    } catch (error) {
      throw worked && error instanceof CommandError ? new Away(error.message) : error;
    }
  };
}

/** The runtime does not answer now, and did before. */
class Away extends Error {
  override readonly name = "Away";
}

/** What to show meanwhile. Throws any other error. */
export function awayWords(error: unknown): string {
  if (!(error instanceof Away)) throw error;
  return `${harmless(asCalledHere(error.message))}\nWaiting until it answers again; Ctrl-C ends this.`;
}

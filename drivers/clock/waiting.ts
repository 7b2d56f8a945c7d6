import type { Cancel, Clock } from "../ports.js";
import type { Millis } from "../units.js";

/** Who waits: by which clock, how long at most, and what ends it before. */
interface Limits {
  readonly clock: Pick<Clock, "after">;
  readonly longest: Millis;
  readonly signal: AbortSignal;
}

/** Does `work` with a signal of its own, which is aborted after `longest`, or with the other signal. */
export async function within<T>(
  { clock, longest, signal }: Limits,
  work: (ends: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const end = () => own.abort();
  const disarm = clock.after(longest, end);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    return await work(own.signal);
  } finally {
    disarm();
    signal.removeEventListener("abort", end);
  }
}

/** Waits until the promise is settled, for `longest` at most. Never rejects. */
export async function settledWithin(
  { clock, longest }: Pick<Limits, "clock" | "longest">,
  promise: Promise<unknown>,
): Promise<void> {
  const { signal } = new AbortController(); // nothing else ends the wait
  await untilTold({ clock, longest, signal }, (tell) => {
    promise.then(tell, tell);
    return () => undefined;
  });
}

/** Resolves when somebody calls what `listen` gets, after `longest`, or when the signal is aborted. Never rejects. */
export async function untilTold(
  { clock, longest, signal }: Limits,
  listen: (tell: () => void) => Cancel,
): Promise<void> {
  if (signal.aborted) return;
  const cancels: Cancel[] = [];
  await new Promise<void>((resolve) => {
    const tell = () => resolve();
    signal.addEventListener("abort", tell, { once: true });
    cancels.push(() => signal.removeEventListener("abort", tell), clock.after(longest, tell), listen(tell));
  });
  for (const cancel of cancels) cancel();
}

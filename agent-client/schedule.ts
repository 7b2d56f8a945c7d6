import type { Clock } from "./clock.js";
import type { PlantTime } from "./plant-time.js";
import { type Millis, seconds } from "./units.js";

export interface Schedule {
  /** From the start of one turn to the start of the next, in the plant's time. */
  readonly every: Millis;
  readonly plantTime: PlantTime;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A runtime that cannot tell the time is asked again after this. */
const ASK_AGAIN: Millis = seconds(5);

/** Runs `turn` now and then every so often, one at a time; a turn that takes longer than the interval delays the next. Ends by the signal, or when `turn` rejects. */
export async function runRegularly(
  turn: () => Promise<void>,
  { every, plantTime, clock, signal }: Schedule,
): Promise<never> {
  for (;;) {
    const start = await plantTime.now(signal);
    await turn();
    if (start === undefined) await clock.sleep(ASK_AGAIN, signal);
    else await plantTime.passes(every, start, signal);
  }
}

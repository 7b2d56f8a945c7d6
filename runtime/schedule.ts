import { createTask, validateDetailed } from "node-cron";
import type { Cancel, Clock } from "../drivers/ports.js";
import { type EpochMillis, type Millis, millis } from "../drivers/units.js";

const SECOND = 1000;
const MINUTE = 60_000;

/** Why a cron pattern is not one, or undefined if it is. */
export function cronProblem(pattern: string): string | undefined {
  const { valid, errors } = validateDetailed(pattern);
  return valid ? undefined : errors.map((error) => error.message).join("; ");
}

/**
 * Runs `fn` at each instant of the clock that the cron pattern (in `zone`) names. node-cron says which instants
 * match; the injected clock says when they come, so the same patterns hold in real and in simulated time.
 * A run that is still going when the next falls due is not doubled. Nothing is switched off from here.
 */
export function onSchedule(pattern: string, clock: Clock, fn: () => Promise<void>, zone = "UTC"): Cancel {
  const task = createTask(pattern, () => undefined, { timezone: zone });
  const grain = grainOf(pattern);
  let running = false;
  let cancel: Cancel = () => undefined;
  const arm = () => {
    const due = (Math.floor(clock.now() / grain) + 1) * grain;
    cancel = clock.after(untilDue(clock, due), () => {
      arm();
      if (running || !task.match(new Date(due))) return;
      running = true;
      void fn().finally(() => {
        running = false;
      });
    });
  };
  arm();
  return () => {
    cancel();
    void task.destroy();
  };
}

/** How long after `now` the pattern names its next instant, at most `atMost`. */
export function untilNext(pattern: string, now: EpochMillis, atMost: Millis, zone = "UTC"): Millis {
  const task = createTask(pattern, () => undefined, { timezone: zone });
  const grain = grainOf(pattern);
  let next = (Math.floor(now / grain) + 1) * grain;
  while (next - now < atMost && !task.match(new Date(next))) next += grain;
  void task.destroy();
  return millis(Math.min(next - now, atMost));
}

const grainOf = (pattern: string): number => (pattern.trim().split(/\s+/).length > 5 ? SECOND : MINUTE);

const untilDue = (clock: Clock, due: number): Millis => millis(Math.max(0, due - clock.now()));

import { createTask, validateDetailed } from "node-cron";
import type { Cancel, Clock } from "../drivers/ports.js";
import { type EpochMillis, type Millis, millis } from "../drivers/units.js";

const SECOND = 1000;
const MINUTE = 60_000;

/** What is wrong with a cron pattern; undefined if nothing. */
export function cronProblem(pattern: string): string | undefined {
  const { valid, errors } = validateDetailed(pattern);
  return valid ? undefined : errors.map((error) => error.message).join("; ");
}

/**
 * Runs `fn` at each instant that the cron pattern names in `zone`. node-cron says which instants match, and the
 * injected clock says when they come, so patterns work in real and in simulated time. If a run is not over when the
 * next is due, the next is skipped. Nothing is switched off from here.
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

/** The time from `now` to the next instant of the pattern, at most `atMost`. */
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

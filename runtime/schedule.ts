import type { Cancel, Clock } from "../drivers/ports.js";
import { type EpochMillis, type Millis, millis } from "../drivers/units.js";
import { cronMatcher } from "./wire/cron.js";

const SECOND = 1000;
const MINUTE = 60_000;

/**
 * Runs `fn` at each instant that the cron pattern names in `zone`. The
 * injected clock says when they come, so patterns work in real and in simulated time. If a run is not over when the
 * next is due, the next is skipped. Nothing is switched off from here.
 */
export function onSchedule(pattern: string, clock: Clock, fn: () => Promise<void>, zone = "UTC"): Cancel {
  const matches = cronMatcher(pattern, zone);
  const grain = grainOf(pattern);
  let running = false;
  let cancel: Cancel = () => undefined;
  const arm = () => {
    const due = (Math.floor(clock.now() / grain) + 1) * grain;
    cancel = clock.after(untilDue(clock, due), () => {
      arm();
      if (running || !matches(due)) return;
      running = true;
      void fn().finally(() => {
        running = false;
      });
    });
  };
  arm();
  return () => cancel();
}

/** The time from `now` to the next instant of the pattern, at most `atMost`. */
export function untilNext(pattern: string, now: EpochMillis, atMost: Millis, zone = "UTC"): Millis {
  const matches = cronMatcher(pattern, zone);
  const grain = grainOf(pattern);
  let next = (Math.floor(now / grain) + 1) * grain;
  while (next - now < atMost && !matches(next)) next += grain;
  return millis(Math.min(next - now, atMost));
}

const grainOf = (pattern: string): number => (pattern.trim().split(/\s+/).length > 5 ? SECOND : MINUTE);

const untilDue = (clock: Clock, due: number): Millis => millis(Math.max(0, due - clock.now()));

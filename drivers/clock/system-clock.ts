import { existsSync, readFileSync } from "node:fs";
import { uptime } from "node:os";
import { setTimeout as sleepFor } from "node:timers/promises";
import type { Cancel, Clock } from "../ports.js";
import { type EpochMillis, type Millis, millis, seconds } from "../units.js";

/** systemd-timesyncd creates this file at its first successful synchronisation (systemd-timesyncd.service(8)). */
const SYNCHRONISED_MARK = "/run/systemd/timesync/synchronized";
/** random(4): a UUID made anew at each boot. */
const BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** Node's timers fire at once above this many milliseconds (2³¹ − 1). */
const LONGEST_TIMER = 2_147_483_647;

/** The machine's own time. `monotonic` is CLOCK_MONOTONIC: shared by all processes of one boot. */
export class SystemClock implements Clock {
  readonly bootId = readFileSync(BOOT_ID, "utf8").trim();
  private readonly setBack = new SetBackDetector();

  now(): EpochMillis {
    return Date.now() as EpochMillis;
  }

  monotonic(): Millis {
    return (Number(process.hrtime.bigint() / 1000n) / 1000) as Millis;
  }

  synchronised(): boolean {
    return existsSync(SYNCHRONISED_MARK) && !this.setBack.isSetBack(this.now(), this.monotonic());
  }

  contradicts(): boolean {
    return existsSync(SYNCHRONISED_MARK) && this.setBack.isSetBack(this.now(), this.monotonic());
  }

  witness(wall: EpochMillis, monotonic: Millis): void {
    this.setBack.isSetBack(wall, monotonic);
  }

  /** libuv reads /proc/uptime, which is CLOCK_BOOTTIME to a hundredth of a second (proc_uptime(5)): it counts suspends. */
  slept(): Millis {
    return millis(Math.max(0, seconds(uptime()) - this.monotonic()));
  }

  async sleep(duration: Millis, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    for (let rest: number = duration; rest > 0; rest -= LONGEST_TIMER) {
      const timer = sleepFor(Math.min(rest, LONGEST_TIMER), undefined, signal ? { signal } : undefined);
      // Node's own AbortError hides the reason in its cause
      await timer.catch(() => signal?.throwIfAborted());
    }
  }

  after(duration: Millis, fn: () => void): Cancel {
    let timer: NodeJS.Timeout;
    const arm = (rest: number) => {
      timer = setTimeout(
        () => (rest > LONGEST_TIMER ? arm(rest - LONGEST_TIMER) : fn()),
        Math.min(rest, LONGEST_TIMER),
      );
      timer.unref();
    };
    arm(duration);
    return () => clearTimeout(timer);
  }
}

/** A choice, for what passes between the readings of the two clocks. To find too much costs little: see below. */
const TOLERATED = seconds(1);

/**
 * Notices that a wall clock which was said to be right is set back within one boot. It was wrong before that or is wrong
 * now, and nobody can tell which, so until the next boot it proves nothing. The price: of the time across that reboot
 * nothing is proved, so water counts for longer and a lamp rests again.
 */
export class SetBackDetector {
  /** The most that the wall clock was ahead of the monotonic one. It grows where the machine sleeps. */
  private furthestAhead = Number.NEGATIVE_INFINITY;
  private found = false;

  /** Takes what both clocks read at one moment. Returns whether the wall clock has been set back in this boot. */
  isSetBack(wall: EpochMillis, monotonic: Millis): boolean {
    const ahead = wall - monotonic;
    this.furthestAhead = Math.max(this.furthestAhead, ahead);
    this.found ||= ahead < this.furthestAhead - TOLERATED;
    return this.found;
  }
}

/**
 * Calls `act` once all that this turn of the event loop could read has been read: immediates come after the poll phase
 * [Node's guide to the event loop]. This is no time: a simulated clock leaves it alone.
 */
export const afterReading = (act: () => void): void => void setImmediate(act);

/** For long work between its steps: what came in meanwhile is read and begun first. */
export const othersTurn = (): Promise<void> => new Promise(afterReading);

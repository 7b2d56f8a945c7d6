import { ChildSignal } from "./child-signal.js";
import type { Clock } from "./clock.js";
import type { Rhythm } from "./cron.js";
import type { PlantTime } from "./plant-time.js";
import { type EpochMillis, type Millis, minutes, seconds } from "./units.js";
import type { Cancel } from "./watch-agenda.js";

export interface Schedule {
  readonly rhythm: Rhythm;
  readonly plantTime: PlantTime;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Calls `listener` whenever a turn is wanted before it is due: a task, or a message of the person. */
  readonly wakeUps?: (listener: () => void) => Cancel;
}

/** A runtime that cannot tell the time is asked again after this. */
const ASK_AGAIN: Millis = seconds(5);
/** From the start of one turn to one that somebody woke, in the plant's time. A choice: the shortest of `--every` too. */
const LEAST_APART: Millis = minutes(1);

/**
 * Runs `turn` in the rhythm, and when woken, one at a time: what falls due in a turn waits for its end, and however many
 * wake-ups come, one turn answers them. Ends by the signal, or when `turn` rejects.
 */
export async function runRegularly(turn: () => Promise<void>, schedule: Schedule): Promise<never> {
  const bell = new Bell();
  const cancel = schedule.wakeUps?.(() => bell.ring());
  try {
    return await new Course(turn, schedule, bell).run();
  } finally {
    cancel?.();
  }
}

class Course {
  constructor(
    private readonly turn: () => Promise<void>,
    private readonly schedule: Schedule,
    private readonly bell: Bell,
  ) {}

  async run(): Promise<never> {
    const { rhythm, plantTime, clock, signal } = this.schedule;
    if (!rhythm.beginsAtOnce) await this.pause(await this.timeTold());
    for (;;) {
      const start = await plantTime.now(signal);
      this.bell.hush();
      await this.turn();
      if (start !== undefined) await this.pause(start);
      else if (rhythm.beginsAtOnce) await clock.sleep(ASK_AGAIN, signal);
      else await this.pause(await this.timeTold());
    }
  }

  /** Until the next turn is due or somebody wakes us, `LEAST_APART` from `start`. */
  private async pause(start: EpochMillis): Promise<void> {
    const { plantTime, signal } = this.schedule;
    const waiting = new ChildSignal(signal);
    const woken = this.bell.rings.then(() => plantTime.passes(LEAST_APART, start, waiting.signal));
    try {
      await Promise.race([this.due(start, waiting.signal), woken]);
    } finally {
      waiting.abort();
    }
  }

  private async due(start: EpochMillis, signal: AbortSignal): Promise<void> {
    const { rhythm, plantTime } = this.schedule;
    for (let at = start; ; ) {
      at = await plantTime.reaches((after) => rhythm.next(after), at, signal);
      if (rhythm.isTurn(at)) return;
    }
  }

  private async timeTold(): Promise<EpochMillis> {
    const { plantTime, clock, signal } = this.schedule;
    for (;;) {
      const now = await plantTime.now(signal);
      if (now !== undefined) return now;
      await clock.sleep(ASK_AGAIN, signal);
    }
  }
}

/** Rung any number of times, heard once. */
class Bell {
  private heard: () => void = () => undefined;
  private ringing = this.silence();

  /** Resolves when it is rung, at once if it was since it was hushed. */
  get rings(): Promise<void> {
    return this.ringing;
  }

  ring(): void {
    this.heard();
  }

  /** What rang before is answered. */
  hush(): void {
    this.ringing = this.silence();
  }

  private silence(): Promise<void> {
    return new Promise((resolve) => {
      this.heard = resolve;
    });
  }
}

import { ChildSignal } from "./child-signal.js";
import type { Clock } from "./clock.js";
import type { Rhythm } from "./cron.js";
import type { Cancel } from "./link/agenda.js";
import { ASK_AGAIN, type PlantTime } from "./plant-time.js";
import { type EpochMillis, type Millis, minutes } from "./units.js";

export interface Schedule {
  readonly rhythm: Rhythm;
  readonly plantTime: PlantTime;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Calls `listener` whenever a turn is wanted before it is due: a task, or a message of the person. Asked for after the
   * first turn where that begins at once: what it sees anyway need not wake it.
   */
  readonly wakeUps?: (listener: () => void) => Cancel;
}

/** From the start of one turn to one that somebody woke, in the plant's time. A choice: the shortest of `--every` too. */
const LEAST_APART: Millis = minutes(1);

/**
 * Runs `turn` in the rhythm, and when woken, one at a time: what falls due in a turn waits for its end, and however many
 * wake-ups come, one turn answers them. While the runtime cannot tell the time, intervals are this computer's, and a
 * pattern of hours waits for the first answer. Ends by the signal, or when `turn` rejects.
 */
export async function runRegularly(turn: () => Promise<void>, schedule: Schedule): Promise<never> {
  const course = new Course(turn, schedule);
  try {
    return await course.run();
  } finally {
    course.close();
  }
}

class Course {
  private readonly bell = new Bell();
  private cancel: Cancel | undefined;

  constructor(
    private readonly turn: () => Promise<void>,
    private readonly schedule: Schedule,
  ) {}

  close(): void {
    this.cancel?.();
  }

  async run(): Promise<never> {
    const { rhythm, plantTime, signal } = this.schedule;
    if (!rhythm.beginsAtOnce) await this.pause(await this.timeTold());
    for (;;) {
      const start = (await plantTime.now(signal)) ?? plantTime.reckoned();
      this.bell.hush();
      await this.turn();
      await this.pause(start);
    }
  }

  /** Until the next turn is due or somebody wakes us, `LEAST_APART` from `start`. */
  private async pause(start: EpochMillis): Promise<void> {
    const { plantTime, signal, wakeUps } = this.schedule;
    this.cancel ??= wakeUps?.(() => this.bell.ring());
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

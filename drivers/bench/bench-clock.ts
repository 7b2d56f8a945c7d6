import { randomUUID } from "node:crypto";
import { SetBackDetector, SystemClock } from "../clock/system-clock.js";
import { DriverError } from "../errors.js";
import type { Cancel, Clock } from "../ports.js";
import { type EpochMillis, type Millis, millis } from "../units.js";

/** Faster than this, timers of a millisecond become minutes of the bench. */
const MAX_SPEED = 60;

interface BenchTime {
  /** Bench seconds in a real second, above 0 and up to 60. */
  readonly speed: number;
  /** What the wall clock shows at the start of this boot. */
  readonly start: EpochMillis;
  /** Every start of a bench is a boot. */
  readonly boot: number;
  /** Until then the wall clock is not taken for synchronised. */
  readonly unprovedUntil?: EpochMillis | undefined;
}

/**
 * The bench's own time: real time, scaled. The wall clock never steps, so it is taken for synchronised, except where the
 * bench has lost its state and with it the time, or somebody has set the time in its state back.
 */
export class BenchClock implements WorldClock {
  readonly bootId: string;
  /** Where the bench's time was when its speed was last set, and when that was in real time. */
  private passed = millis(0);
  private since: Millis;
  private speed: number;
  /** The bench's own speed; `speed` is slower while it keeps real time. */
  private own: number;
  private isReal = false;
  private readonly setBack = new SetBackDetector();
  /** Called when the speed changes: each waiting timer is armed again. */
  private readonly onSpeed = new Set<() => void>();

  /** Throws BENCH_OPTION_INVALID for a speed out of range. */
  constructor(
    private readonly time: BenchTime,
    private readonly real: Clock = new SystemClock(),
  ) {
    assertSpeed(time.speed);
    // unlike that of any other boot, also where the count of boots was lost with the bench's state
    this.bootId = `bench-boot-${time.boot}-${randomUUID()}`;
    this.since = real.monotonic();
    this.speed = this.own = time.speed;
  }

  /** Bench seconds in a real second, when it does not keep real time. */
  get ownSpeed(): number {
    return this.own;
  }

  /** Throws BENCH_OPTION_INVALID for a speed out of range. */
  setSpeed(speed: number): void {
    assertSpeed(speed);
    this.own = speed;
    this.changePace();
  }

  /** Real time from now on, or the bench's own speed again. A bench that is slower than that stays as it is. */
  keepRealTime(isReal: boolean): void {
    this.isReal = isReal;
    this.changePace();
  }

  private changePace(): void {
    const speed = this.isReal ? Math.min(1, this.own) : this.own;
    if (speed === this.speed) return;
    this.passed = this.monotonic();
    this.since = this.real.monotonic();
    this.speed = speed;
    for (const rearm of [...this.onSpeed]) rearm();
  }

  now(): EpochMillis {
    return Math.floor(this.time.start + this.monotonic()) as EpochMillis;
  }

  world(): EpochMillis {
    return this.now();
  }

  monotonic(): Millis {
    return millis(this.passed + (this.real.monotonic() - this.since) * this.speed);
  }

  synchronised(): boolean {
    return this.isProved && !this.setBack.isSetBack(this.now(), this.monotonic());
  }

  contradicts(): boolean {
    return this.isProved && this.setBack.isSetBack(this.now(), this.monotonic());
  }

  private get isProved(): boolean {
    const { unprovedUntil } = this.time;
    return unprovedUntil === undefined || this.now() >= unprovedUntil;
  }

  witness(wall: EpochMillis, monotonic: Millis): void {
    this.setBack.isSetBack(wall, monotonic);
  }

  async sleep(duration: Millis, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const due = this.monotonic() + duration;
    while (this.monotonic() < due) await this.nap(due, signal);
  }

  /** Ends at that time, or where the speed changes. Rejects with the signal's reason. */
  private async nap(due: number, signal: AbortSignal | undefined): Promise<void> {
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.onSpeed.add(wake);
    try {
      const ends = signal ? AbortSignal.any([signal, woken.signal]) : woken.signal;
      await this.real.sleep(this.realUntil(due), ends);
    } catch (error) {
      if (!woken.signal.aborted || signal?.aborted) throw error;
    } finally {
      this.onSpeed.delete(wake);
    }
  }

  after(duration: Millis, fn: () => void): Cancel {
    const due = this.monotonic() + duration;
    let cancel: Cancel = () => undefined;
    const rearm = () => {
      cancel();
      arm();
    };
    const arm = () => {
      cancel = this.real.after(this.realUntil(due), () => {
        if (this.monotonic() < due) return arm();
        this.onSpeed.delete(rearm);
        fn();
      });
    };
    this.onSpeed.add(rearm);
    arm();
    return () => {
      this.onSpeed.delete(rearm);
      cancel();
    };
  }

  /** Node's timers may fire a fraction early, which the speed would multiply: whole milliseconds, and asked again. */
  private realUntil(due: number): Millis {
    return millis(Math.max(1, Math.ceil((due - this.monotonic()) / this.speed)));
  }
}

function assertSpeed(speed: number): void {
  if (speed > 0 && speed <= MAX_SPEED) return;
  throw new DriverError("BENCH_OPTION_INVALID", `speed is ${speed}, not above 0 and up to ${MAX_SPEED}`);
}

/** The clock of a simulated world: the wall clock may be set wrong, the sun and the soil go by true time. */
export interface WorldClock extends Clock {
  /** True time: goes on evenly, through steps of the wall clock and through reboots. */
  world(): EpochMillis;
}

/**
 * Time for a chip whose conversions must not wait until somebody moves simulated time: sleeping takes it ahead of
 * the clock it follows, which catches up unnoticed.
 */
export class LeadingClock implements Pick<WorldClock, "world" | "monotonic" | "sleep"> {
  private ahead = millis(0);

  constructor(private readonly followed: WorldClock) {}

  world(): EpochMillis {
    return Math.floor(this.followed.world() + this.monotonic() - this.followed.monotonic()) as EpochMillis;
  }

  monotonic(): Millis {
    return millis(Math.max(this.ahead, this.followed.monotonic()));
  }

  async sleep(duration: Millis): Promise<void> {
    this.ahead = millis(this.monotonic() + duration);
  }
}

import type { Cancel, Clock } from "../ports.js";
import type { EpochMillis, Millis } from "../units.js";
import { SetBackDetector } from "./system-clock.js";

interface Timer {
  readonly due: number;
  readonly fn: () => void;
}

/** Time that moves only when told to: for tests and lock-step simulation. Timers fire in order of their due time. */
export class SimulatedClock implements Clock {
  bootId = "simulated-boot-1";
  private mono = 0;
  private sleptSoFar = 0;
  private wall: number;
  private trueTime: number;
  private synced = true;
  private setBack = new SetBackDetector();
  private timers: Timer[] = [];

  constructor(start = "2026-06-01T08:00:00.000Z") {
    this.wall = Date.parse(start);
    this.trueTime = this.wall;
  }

  now(): EpochMillis {
    return this.wall as EpochMillis;
  }

  /** True time, which no step of the wall clock moves. */
  world(): EpochMillis {
    return this.trueTime as EpochMillis;
  }

  monotonic(): Millis {
    return this.mono as Millis;
  }

  synchronised(): boolean {
    return this.synced && !this.setBack.isSetBack(this.now(), this.monotonic());
  }

  contradicts(): boolean {
    return this.synced && this.setBack.isSetBack(this.now(), this.monotonic());
  }

  witness(wall: EpochMillis, monotonic: Millis): void {
    this.setBack.isSetBack(wall, monotonic);
  }

  slept(): Millis {
    return this.sleptSoFar as Millis;
  }

  sleep(duration: Millis, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abandon = () => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.after(duration, () => {
        signal?.removeEventListener("abort", abandon);
        resolve();
      });
      signal?.addEventListener("abort", abandon, { once: true });
    });
  }

  after(duration: Millis, fn: () => void): Cancel {
    const timer = { due: this.mono + duration, fn };
    const at = this.timers.findIndex((other) => other.due > timer.due);
    this.timers.splice(at < 0 ? this.timers.length : at, 0, timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Moves time on, firing what falls due on the way; lets promise reactions run between two timers. */
  async advance(duration: Millis): Promise<void> {
    const end = this.mono + duration;
    for (let next = this.timers[0]; next && next.due <= end; next = this.timers[0]) {
      this.timers.shift();
      this.moveTo(Math.max(this.mono, next.due));
      next.fn();
      await settle();
    }
    this.moveTo(end);
    await settle();
  }

  /** Moves time on to the timer that falls due next; where none is set, it stays. */
  async advanceToNextTimer(): Promise<void> {
    const [next] = this.timers;
    if (next) await this.advance(Math.max(0, next.due - this.mono) as Millis);
  }

  /** Time stands still for a turn of the event loop: disks answer in real time, which simulated time knows nothing of. */
  stand(): Promise<void> {
    return settle();
  }

  /** Moves the wall clock alone, as NTP or a person does. */
  stepWall(by: Millis): void {
    this.wall += by;
  }

  /** The network tells the time, as after a boot without it: what the wall clock shows is known to be right from now on. */
  synchronise(): void {
    this.wall = this.trueTime;
    this.synced = true;
  }

  /** The machine sleeps and wakes: monotonic time and timers stand still meanwhile. */
  suspend(duration: Millis): void {
    this.sleptSoFar += duration;
    this.wall += duration;
    this.trueTime += duration;
  }

  /** A new boot: monotonic time starts anew, timers are gone; the wall clock has moved on by `downtime`. */
  reboot({ downtime, synchronised = true }: { downtime: Millis; synchronised?: boolean }): void {
    this.bootId = `simulated-boot-${Number(this.bootId.split("-").at(-1)) + 1}`;
    this.mono = 0;
    this.sleptSoFar = 0;
    this.wall += downtime;
    this.trueTime += downtime;
    this.synced = synchronised;
    this.setBack = new SetBackDetector();
    this.timers = [];
  }

  /** The next process of the same boot knows nothing of what this one has read. */
  forgetReadings(): void {
    this.setBack = new SetBackDetector();
  }

  private moveTo(mono: number): void {
    this.wall += mono - this.mono;
    this.trueTime += mono - this.mono;
    this.mono = mono;
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

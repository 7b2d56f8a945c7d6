import { SystemClock } from "../clock/system-clock.js";
import type { Cancel, Clock } from "../ports.js";
import { type EpochMillis, type Millis, millis, seconds } from "../units.js";
import type { BenchState, BenchStateFile } from "./bench-state.js";
import type { Boot } from "./boot.js";
import type { Pot } from "./pot.js";

/** Real time between two saves where nothing happens. */
const EVERY = seconds(1);
/** Real time without a save, by a stalled process or disk, after which a kill still does not set the clock back. */
const LEASE = seconds(3);

/**
 * Saves the bench at every edge of a relay, every second of real time, and at the end. After a kill, plants go on as
 * last saved, pulses in flight are cut there, and the clock goes on a little later than anybody can have read from it.
 */
export class BenchKeeper {
  private readonly lease: Millis;
  private cancel: Cancel = () => undefined;

  /** `speed`: bench seconds in a real second; 0 where time is simulated and does not pass by itself. */
  constructor(
    private readonly file: BenchStateFile,
    private readonly boot: Boot,
    private readonly pots: ReadonlyMap<string, Pot>,
    private readonly speed: number,
  ) {
    this.lease = millis(Math.ceil(LEASE * speed));
  }

  /** Rejects with BENCH_STATE_FAILED where nothing can be kept: a boot is on disk before its clock is read. */
  async begin(): Promise<void> {
    await this.file.save(() => this.state(this.lease));
    if (this.speed > 0) this.saveRegularly(new SystemClock());
  }

  /** In the background. A failed save is made good by the next one; the last one, at the end, is awaited. */
  save(): void {
    this.file.save(() => this.state(this.lease)).catch(() => undefined);
  }

  /** Rejects with BENCH_STATE_FAILED. */
  async end(): Promise<void> {
    this.cancel();
    await this.file.save(() => this.state(millis(0)));
  }

  private saveRegularly(real: Clock): void {
    this.cancel = real.after(EVERY, () => {
      this.save();
      this.saveRegularly(real);
    });
  }

  /** Plants that are not configured any more stay as they were found. */
  private state(lease: Millis): BenchState {
    const { clock, boots, recordingName: recording } = this.boot;
    const plants = { ...this.boot.plants };
    for (const [id, pot] of this.pots) {
      const snapshot = pot.snapshot();
      if (snapshot) plants[id] = snapshot;
    }
    return { version: 1, boots, wall: (clock.now() + lease) as EpochMillis, recording, plants };
  }
}

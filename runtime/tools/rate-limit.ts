import type { Clock } from "../../drivers/ports.js";
import { type Millis, seconds } from "../../drivers/units.js";
import { type TendrilError, tooMany } from "../errors.js";

/** How many seconds' worth of calls may come at once. */
const BURST_SECONDS = 4;
/** A choice: the log shows that refusals go on, and a flood of them does not fill the disk. */
const TELL_EVERY: Millis = seconds(10);
/** So many bytes of a message or an answer count as one more call. A choice: they take about as long. */
const BYTES_A_CALL = 65_536;

/** A token bucket for each caller, on real time: a steady rate with room for a burst. */
export class RateLimit {
  private readonly told = new Map<string, { readonly at: Millis; readonly untold: number }>();
  private readonly buckets = new Map<string, TokenBucket>();

  constructor(
    private readonly callsPerSecond: number,
    private readonly clock: Clock,
  ) {}

  /** Throws RATE_LIMITED with the time until the next call fits. */
  take(caller: string): void {
    const refusal = this.refusal(caller);
    if (refusal) throw refusal;
  }

  /** Counts the call if it fits; else RATE_LIMITED, to be thrown. */
  refusal(caller: string): TendrilError | undefined {
    if (this.admits(caller)) return undefined;
    return tooMany(`more than ${this.callsPerSecond} calls a second`, this.bucketOf(caller).wait);
  }

  /** Counts the call if it fits; returns whether it does. */
  admits(caller: string): boolean {
    return this.bucketOf(caller).take();
  }

  /** How many refusals of this caller to log now; 0 within ten seconds of the last time. */
  refusalsToTell(caller: string): number {
    const now = this.clock.monotonic();
    const { at, untold } = this.told.get(caller) ?? { at: undefined, untold: 0 };
    const tells = at === undefined || now - at >= TELL_EVERY;
    this.told.set(caller, tells ? { at: now, untold: 0 } : { at, untold: untold + 1 });
    return tells ? untold + 1 : 0;
  }

  /** Counts something that cannot be refused any more: the next call waits longer. */
  charge(caller: string, calls: number): void {
    if (calls > 0) this.bucketOf(caller).charge(calls);
  }

  /** Counts a long message or answer as some calls; a short one as none. */
  chargeBytes(caller: string, bytes: number): void {
    this.charge(caller, Math.floor(bytes / BYTES_A_CALL));
  }

  private bucketOf(caller: string): TokenBucket {
    const known = this.buckets.get(caller);
    if (known) return known;
    const fresh = new TokenBucket(this.clock, this.callsPerSecond * BURST_SECONDS, this.callsPerSecond);
    this.buckets.set(caller, fresh);
    return fresh;
  }
}

/** Allows `size` at once and `perSecond` on average. */
export class TokenBucket {
  private level: number;
  private at: Millis;

  constructor(
    private readonly clock: Clock,
    private readonly size: number,
    private readonly perSecond: number,
  ) {
    this.level = size;
    this.at = clock.monotonic();
  }

  /** Takes one. Returns whether there was one. */
  take(): boolean {
    const now = this.clock.monotonic();
    this.level = Math.min(this.size, this.level + ((now - this.at) / 1000) * this.perSecond);
    this.at = now;
    if (this.level < 1) return false;
    this.level -= 1;
    return true;
  }

  /** Takes `amount` in any case. The debt is at most a full bucket. */
  charge(amount: number): void {
    this.level = Math.max(-this.size, this.level - amount);
  }

  /** Seconds after the last try until there is one again; 0 if there is one. */
  get wait(): number {
    return Math.max(0, (1 - this.level) / this.perSecond);
  }
}

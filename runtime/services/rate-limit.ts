import type { Clock } from "../../drivers/ports.js";
import { TendrilError } from "../errors.js";

/** How many seconds' worth of calls may come at once. */
const BURST_SECONDS = 4;

interface Bucket {
  tokens: number;
  at: number;
}

/** A token bucket per caller, on real time: a sustained rate with room for a burst. */
export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly callsPerSecond: number,
    private readonly clock: Clock,
  ) {}

  /** Throws RATE_LIMITED with the time until the next call fits. */
  take(caller: string): void {
    if (!this.admits(caller)) throw this.refusal(this.refilled(caller));
  }

  /** Whether the call fits, and then counts it. */
  admits(caller: string): boolean {
    const bucket = this.refilled(caller);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  private refilled(caller: string): Bucket {
    const now = this.clock.monotonic();
    const bucket = this.buckets.get(caller) ?? { tokens: this.capacity, at: now };
    bucket.tokens = Math.min(this.capacity, bucket.tokens + ((now - bucket.at) / 1000) * this.callsPerSecond);
    bucket.at = now;
    this.buckets.set(caller, bucket);
    return bucket;
  }

  private refusal(bucket: Bucket): TendrilError {
    const retryAfter = (1 - bucket.tokens) / this.callsPerSecond;
    return new TendrilError("RATE_LIMITED", `more than ${this.callsPerSecond} calls a second`, {
      retryAfter,
    });
  }

  private get capacity(): number {
    return this.callsPerSecond * BURST_SECONDS;
  }
}

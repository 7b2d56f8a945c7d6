import type { Clock } from "../../drivers/ports.js";
import { type Millis, seconds } from "../../drivers/units.js";
import { TendrilError } from "../errors.js";
import { TokenBucket } from "../token-bucket.js";

/** How many seconds' worth of calls may come at once. */
const BURST_SECONDS = 4;
/** A choice: whoever reads the log sees that it goes on; a flood does not fill the disk with it. */
const TELL_EVERY: Millis = seconds(10);
/** So many bytes of a message or an answer count as one more call. A choice: it takes about as long to write and read. */
const BYTES_A_CALL = 65_536;

/** A token bucket per caller, on real time: a sustained rate with room for a burst. */
export class RateLimit {
  private readonly told = new Map<string, { readonly at: Millis; readonly untold: number }>();
  private readonly buckets = new Map<string, TokenBucket>();

  constructor(
    private readonly callsPerSecond: number,
    private readonly clock: Clock,
  ) {}

  /** Throws RATE_LIMITED with the time until the next call fits. */
  take(caller: string): void {
    if (this.admits(caller)) return;
    throw new TendrilError("RATE_LIMITED", `more than ${this.callsPerSecond} calls a second`, {
      retryAfter: this.bucketOf(caller).wait,
    });
  }

  /** Whether the call fits, and then counts it. */
  admits(caller: string): boolean {
    return this.bucketOf(caller).take();
  }

  /** How many refusals of this caller to tell of now; 0 within ten seconds of the last time that there was something to tell. */
  refusalsToTell(caller: string): number {
    const now = this.clock.monotonic();
    const { at, untold } = this.told.get(caller) ?? { at: undefined, untold: 0 };
    const tells = at === undefined || now - at >= TELL_EVERY;
    this.told.set(caller, tells ? { at: now, untold: 0 } : { at, untold: untold + 1 });
    return tells ? untold + 1 : 0;
  }

  /** Counts what cannot be refused any more: the next call waits for it. */
  charge(caller: string, calls: number): void {
    if (calls > 0) this.bucketOf(caller).charge(calls);
  }

  /** Counts a long message or answer as the calls that it is worth; a short one as none. */
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

import type { DriverError } from "../../errors.js";
import type { Cancel } from "../../ports.js";
import type { Millis } from "../../units.js";

/** An interlock has one of each, whatever is wired behind it. */
export type Channel = "pump" | "light";

type Each<T> = Readonly<Record<Channel, T>>;

/** What the interlock says of itself (firmware/PROTOCOL.md, `S`). */
export interface InterlockStatus {
  /** Whether the interlock's own contact is closed. */
  readonly closed: Each<boolean>;
  /** Whether there is voltage behind both contacts, as fed back. */
  readonly live: Each<boolean>;
  readonly stopPressed: boolean;
  /** Latched, in words; empty when all is well. */
  readonly faults: readonly string[];
  /** Number of the last request that was taken. */
  readonly order: Each<number>;
  /** How long the contact has been closed in the running or the last activation. */
  readonly on: Each<Millis>;
  /** How much of that the pump really ran. */
  readonly pumpLive: Millis;
  /** Until the contact may close again. */
  readonly rest: Each<Millis>;
  /** Pump time that is left of the day's. */
  readonly budgetLeft: Millis;
}

/** What the interlock was built with (firmware/PROTOCOL.md, `V`). */
export interface InterlockLimits {
  readonly protocol: number;
  readonly firmware: number;
  readonly maxGap: Millis;
  readonly pumpCut: Millis;
  readonly pumpRest: Millis;
  readonly lightCut: Millis;
  readonly lightRest: Millis;
  readonly pumpHeartbeat: Millis;
  readonly lightHeartbeat: Millis;
  readonly feedback: Millis;
  readonly budget: Millis;
}

/** The order under which a contact was closed. */
export interface Grant {
  readonly order: number;
}

/** The interlock at the other end of the line. It is kept alive by heartbeats that nobody has to ask for. */
export interface InterlockDevice {
  /** Closes the contact for that long. Rejects with INTERLOCK_REFUSED, INTERLOCK_BUDGET, INTERLOCK_FAULT or INTERLOCK_LOST. */
  request(channel: Channel, duration: Millis): Promise<Grant>;
  /** Opens the contact; resolves with what was measured. Rejects with INTERLOCK_LOST. */
  off(channel: Channel): Promise<InterlockStatus>;
  allOff(): Promise<InterlockStatus>;
  /** Asked anew. */
  status(): Promise<InterlockStatus>;
  clear(): Promise<InterlockStatus>;
  /** As last heard; undefined while it does not answer. */
  readonly latest: { readonly status: InterlockStatus; readonly limits: InterlockLimits } | undefined;
  /** Why it is not there, where it never was. */
  readonly absence?: DriverError | undefined;
  /** Called after whatever changes in `latest`. */
  watch(listener: () => void): Cancel;
  close(): Promise<void>;
}

import type { Clock } from "../../drivers/ports.js";
import type { Millis } from "../../drivers/units.js";
import type { Log } from "../log.js";

/** Something that is looked after at every beat. */
export interface Beating {
  beat(): Promise<void>;
}

/** Calls every member's `beat` each `interval`, until stopped. */
export class Heartbeat {
  private readonly members = new Set<Beating>();
  private cancel: () => void;

  constructor(
    private readonly clock: Clock,
    private readonly interval: Millis,
    private readonly log: Log,
  ) {
    this.cancel = clock.after(interval, () => this.beat());
  }

  /** Returns how to leave. */
  add(member: Beating): () => void {
    this.members.add(member);
    return () => void this.members.delete(member);
  }

  stop(): void {
    this.cancel();
  }

  private beat(): void {
    this.cancel = this.clock.after(this.interval, () => this.beat());
    for (const member of this.members) {
      member
        .beat()
        .catch((error: unknown) => this.log("error", "heartbeat failed", { error: String(error) }));
    }
  }
}

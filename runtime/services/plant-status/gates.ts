import type { Clock } from "../../../drivers/ports.js";
import type { Millis } from "../../../drivers/units.js";
import type { CycleStatus } from "../../safety/gate.js";
import { elapsed, stampOf } from "../../safety/stamp.js";

/**
 * As many are kept although they have expired, so that their agents are told of that. A choice: more agents than a
 * greenhouse has, while every name that a client thinks up is an agent of its own.
 */
const EXPIRED_KEPT = 100;

/** The latest status of each agent for each plant, by any key; what can open nothing any more is forgotten in the end. */
export class Gates {
  /** The longest untouched first. */
  private readonly latest = new Map<string, CycleStatus>();

  constructor(
    private readonly clock: Clock,
    private readonly maxAge: Millis,
  ) {}

  get size(): number {
    return this.latest.size;
  }

  of(key: string): CycleStatus | undefined {
    return this.latest.get(key);
  }

  keep(key: string, status: CycleStatus): void {
    this.latest.delete(key);
    this.latest.set(key, status);
    this.forget();
  }

  /** The agent whose key this is has no cycle any more. */
  end(key: string): void {
    this.latest.delete(key);
  }

  private forget(): void {
    const now = stampOf(this.clock);
    for (const [key, { stamp }] of this.latest) {
      if (this.latest.size <= EXPIRED_KEPT) return;
      const { atLeast, certain } = elapsed(stamp, now);
      if (certain && atLeast <= this.maxAge) return;
      this.latest.delete(key);
    }
  }
}

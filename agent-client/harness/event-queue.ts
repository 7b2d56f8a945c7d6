import type { EpochMillis, Millis } from "../../drivers/units.js";

interface Due {
  readonly at: EpochMillis;
  run(): Promise<void>;
}

interface Recurring extends Pick<Due, "run"> {
  next: number;
  readonly every: Millis;
}

/**
 * The next events of a simulation. At the same instant single events come before recurring ones; else in the order in which
 * they were added.
 */
export class EventQueue {
  private readonly single: Due[] = [];
  private readonly recurring: Recurring[] = [];

  once(event: Due): void {
    const place = this.single.findIndex(({ at }) => at > event.at);
    this.single.splice(place < 0 ? this.single.length : place, 0, event);
  }

  /** Repeated every `every` from `first` on. Rounds in the past are skipped. */
  regularly(first: EpochMillis, every: Millis, run: () => Promise<void>): void {
    this.recurring.push({ next: first, every, run });
  }

  /** Takes the next event up to `until`. Rounds before `now` are skipped. */
  take(now: EpochMillis, until: EpochMillis): Due | undefined {
    for (const each of this.recurring) while (each.next < now) each.next += each.every;
    const [event] = this.single;
    const round = this.recurring.toSorted((a, b) => a.next - b.next)[0];
    if (event && event.at <= Math.min(until, round?.next ?? Infinity)) return this.single.shift();
    if (!round || round.next > until) return undefined;
    const { next, run } = round;
    round.next += round.every;
    return { at: next as EpochMillis, run };
  }
}

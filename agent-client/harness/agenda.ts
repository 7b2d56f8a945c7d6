import type { EpochMillis, Millis } from "../../drivers/units.js";

export interface Due {
  readonly at: EpochMillis;
  run(): Promise<void>;
}

interface Recurring {
  next: number;
  readonly every: Millis;
  readonly run: () => Promise<void>;
}

/** What comes next in a simulation. At the same instant, things happen in the order in which they were added, single events first. */
export class Agenda {
  private readonly events: Due[] = [];
  private readonly rounds: Recurring[] = [];

  /** Once, at an instant. */
  once(event: Due): void {
    const place = this.events.findIndex(({ at }) => at > event.at);
    this.events.splice(place < 0 ? this.events.length : place, 0, event);
  }

  /** From `first` on, again and again. Rounds that time has passed over meanwhile are left out. */
  regularly(first: EpochMillis, every: Millis, run: () => Promise<void>): void {
    this.rounds.push({ next: first, every, run });
  }

  /** Takes the next one up to an instant, given what time it is. */
  take(now: EpochMillis, until: EpochMillis): Due | undefined {
    for (const round of this.rounds) while (round.next < now) round.next += round.every;
    const [event] = this.events;
    const round = this.rounds.reduce<Recurring | undefined>(
      (first, each) => (first && first.next <= each.next ? first : each),
      undefined,
    );
    if (event && event.at <= Math.min(until, round?.next ?? Infinity)) return this.events.shift();
    return round && round.next <= until ? step(round) : undefined;
  }
}

function step(round: Recurring): Due {
  const at = round.next as EpochMillis;
  round.next += round.every;
  return { at, run: round.run };
}

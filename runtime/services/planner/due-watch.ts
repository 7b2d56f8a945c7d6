import type { Cancel, Clock } from "../../../drivers/ports.js";
import { millis, minutes } from "../../../drivers/units.js";
import { Listeners } from "../module.js";

/** The wall clock may be set while a task waits for its time: it is looked at this often. */
const LOOK_EVERY = minutes(1);

/** What is due now, by the records' numbers, and when the next falls due. */
interface Times {
  due(): readonly number[];
  next(): string | null;
}

/** Tells when a task falls due, and when the next time at which one does is another. */
export class DueWatch {
  private readonly listeners = new Listeners();
  private announced = new Set<number>();
  private nextTold: string | null = null;
  private disarm: Cancel = () => undefined;

  constructor(
    private readonly times: Times,
    private readonly clock: Clock,
  ) {}

  watch(listener: () => void): Cancel {
    return this.listeners.watch(listener);
  }

  /** What is due already is no news. */
  begin(): void {
    this.announceDue();
    this.nextTold = this.times.next();
    this.arm();
  }

  /** Does not look at the time any more. */
  close(): void {
    this.disarm();
  }

  /** Tells of a next time that is another now, and of what has just fallen due. */
  changed(): void {
    const next = this.times.next();
    const isNews = this.announceDue() || next !== this.nextTold;
    this.nextTold = next;
    this.arm();
    if (isNews) this.listeners.tell();
  }

  private announceDue(): boolean {
    const due = this.times.due();
    const isNews = due.some((id) => !this.announced.has(id));
    this.announced = new Set(due);
    return isNews;
  }

  private arm(): void {
    this.disarm();
    const next = this.times.next();
    this.disarm = () => undefined;
    if (next === null) return;
    const wait = Math.min(LOOK_EVERY, Math.max(0, Date.parse(next) - this.clock.now()));
    this.disarm = this.clock.after(millis(wait), () => this.changed());
  }
}

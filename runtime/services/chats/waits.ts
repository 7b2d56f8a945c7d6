import { untilTold } from "../../../drivers/clock/waiting.js";
import type { Cancel, Clock } from "../../../drivers/ports.js";
import type { Millis } from "../../../drivers/units.js";

/** Choices: a person has some windows open; a household of ten with two each. */
const MAX_OF_ONE = 3;
const MAX = 20;

/** Those who wait until a chat changes. */
export class Waits {
  /** By chat. */
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly byToken = new Map<string, number>();
  private waiting = 0;
  private closed = false;

  constructor(private readonly clock: Clock) {}

  tell(chat: string): void {
    for (const listener of [...(this.listeners.get(chat) ?? [])]) listener();
  }

  /** Resolves when the chat changes, after `longest`, at the end of the runtime; at once if too many wait already. */
  async forChange(chat: string, token: string, longest: Millis, signal: AbortSignal): Promise<void> {
    const own = this.byToken.get(token) ?? 0;
    if (this.closed || this.waiting >= MAX || own >= MAX_OF_ONE) return;
    this.count(token, 1);
    await untilTold({ clock: this.clock, longest, signal }, (tell) => this.listen(chat, tell));
    this.count(token, -1);
  }

  close(): void {
    this.closed = true;
    for (const chat of [...this.listeners.keys()]) this.tell(chat);
  }

  private listen(chat: string, listener: () => void): Cancel {
    const all = this.listeners.get(chat) ?? new Set();
    this.listeners.set(chat, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0) this.listeners.delete(chat);
    };
  }

  private count(token: string, change: number): void {
    this.waiting += change;
    const own = (this.byToken.get(token) ?? 0) + change;
    if (own === 0) this.byToken.delete(token);
    else this.byToken.set(token, own);
  }
}

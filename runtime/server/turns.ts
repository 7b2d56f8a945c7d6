import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { afterReading } from "../../drivers/clock/event-loop.js";

/**
 * Messages that one turn of the event loop takes up. A choice: a message takes some 0.1 ms, so whatever is read next, a
 * `POST /off` among it, waits about a millisecond.
 */
const STEPS = 8;

/** Takes up what tokens ask for by turns: one message of each, and no more at once of one token than `most`. */
export class Turns {
  /** What waits, by token; the token that is next comes first. */
  private readonly lines = new Map<string, Array<() => void>>();
  private readonly running = new Counts<string>();
  private steps = 0;

  constructor(
    private readonly most: number,
    private readonly pace: Pace,
  ) {}

  /** Calls `begin` in its turn, never at once: what is read in the same turn of the event loop is read first. */
  wait(token: string, begin: () => void): void {
    const line = this.lines.get(token);
    if (line) line.push(begin);
    else this.lines.set(token, [begin]);
    this.arm();
  }

  /** Counts `work` as running until it has ended. */
  async during<T>(token: string, work: () => Promise<T>): Promise<T> {
    this.running.add(token);
    try {
      return await work();
    } finally {
      this.running.remove(token);
      if (this.lines.has(token)) this.arm();
    }
  }

  private arm(): void {
    if (this.steps >= STEPS) return;
    this.steps += 1;
    afterReading(() => this.step());
  }

  /** Each step is a callback of its own: what the message begins is counted before the next one. */
  private step(): void {
    this.steps -= 1;
    const mayBegin = this.pace.mayBegin();
    const begin = mayBegin ? this.next() : undefined;
    if (begin || !mayBegin) this.arm();
    begin?.();
  }

  private next(): (() => void) | undefined {
    for (const [token, line] of this.lines) {
      if (this.running.of(token) >= this.most) continue;
      const begin = line.shift();
      this.lines.delete(token);
      if (line.length > 0) this.lines.set(token, line);
      return begin;
    }
    return undefined;
  }
}

/**
 * With newcomers in every turn of the event loop, work is begun in one of so many. A choice: to accept takes 0.1 to 0.2 ms, work
 * some ms, so that this halves what others get done, at worst.
 */
const WORK_EVERY = 16;

/**
 * When work may begin. libuv accepts one connection in a turn of the event loop, so a `POST /off` on a new connection waits
 * for as many turns as there are connections before it: while connections come, turns are kept short.
 */
export class Pace {
  private accepted = false;
  /** Turns in a row in which a connection was accepted. */
  private inARow = 0;

  /** A connection was accepted. */
  newcomer(): void {
    if (this.accepted) return;
    this.accepted = true;
    this.inARow += 1;
    afterReading(() => {
      this.accepted = false;
    });
  }

  /** To be asked before work is begun, after reading. */
  mayBegin(): boolean {
    if (!this.accepted) this.inARow = 0;
    return this.inARow % WORK_EVERY === 0;
  }
}

/** Requests of one connection that may wait. A choice: no client of ours sends a request before the last one was answered. */
const MAX_WAITING_PER_SOCKET = 16;

/**
 * HTTP requests that have come in and were not looked at yet: a few are taken up in each turn of the event loop, by turns of who
 * sent them. What does not wait here, `POST /off`, so waits behind a few of them and not behind all. A connection is read
 * no further while a request of it waits.
 */
export class Arrivals {
  private readonly turns: Turns;
  private readonly waiting = new Counts<Socket>();

  constructor(pace: Pace) {
    this.turns = new Turns(Number.POSITIVE_INFINITY, pace);
  }

  /** Resolves when the request may be looked at. A connection that sends many requests without waiting for answers is cut off. */
  async wait({ socket, headers }: IncomingMessage): Promise<void> {
    if (this.waiting.add(socket) > MAX_WAITING_PER_SOCKET) socket.destroy();
    socket.pause();
    // a token that is not known yet can be any text: it says no more than who is to have a turn
    await new Promise<void>((resolve) => this.turns.wait(headers.authorization ?? "", resolve));
    if (this.waiting.remove(socket) === 0) socket.resume();
  }
}

/** How many there are now, by key. A key with none is forgotten. */
export class Counts<Key> {
  private readonly counts = new Map<Key, number>();

  of(key: Key): number {
    return this.counts.get(key) ?? 0;
  }

  /** Of all keys that fit. */
  total(fits: (key: Key) => boolean): number {
    return [...this.counts].reduce((sum, [key, count]) => (fits(key) ? sum + count : sum), 0);
  }

  /** Returns how many there are with it. */
  add(key: Key): number {
    const count = this.of(key) + 1;
    this.counts.set(key, count);
    return count;
  }

  /** Returns how many are left. */
  remove(key: Key): number {
    const count = this.of(key) - 1;
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
    return count;
  }
}

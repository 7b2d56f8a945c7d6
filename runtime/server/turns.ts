import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { afterReading } from "../../drivers/clock/system-clock.js";

/** Messages started in one turn of the event loop. A choice: 0.1 ms each, so the next `POST /off` waits about 1 ms. */
const STEPS = 8;

/** Starts the work of all tokens in turn: one message of each, and at most `most` of one token at the same time. */
export class Turns {
  /** Waiting work by token. The first token is next. */
  private readonly lines = new Map<string, Array<() => void>>();
  private readonly running = new Counts<string>();
  private steps = 0;

  constructor(
    private readonly most: number,
    private readonly pace: Pace,
  ) {}

  /** Calls `begin` when it is this token's turn, never before this turn of the event loop has read everything. */
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

  /** Each step is a callback of its own, so the work it starts is counted before the next one. */
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
 * While each turn of the event loop accepts a connection, one turn in so many starts work. A choice: accepting takes
 * 0.1 to 0.2 ms and work some ms, so at least half of the time goes to work.
 */
const WORK_EVERY = 16;

/**
 * Says when work may start. libuv accepts one connection in each turn of the event loop, so a `POST /off` on a new
 * connection waits one turn for each connection before it. While connections come in, this keeps turns short.
 */
export class Pace {
  private accepted = false;
  /** Turns in a row in which a connection was accepted. */
  private inARow = 0;

  connectionAccepted(): void {
    if (this.accepted) return;
    this.accepted = true;
    this.inARow += 1;
    afterReading(() => {
      this.accepted = false;
    });
  }

  /** Ask this after reading and before work starts. */
  mayBegin(): boolean {
    if (!this.accepted) this.inARow = 0;
    return this.inARow % WORK_EVERY === 0;
  }
}

/** Requests of one connection that may wait. A choice: our clients wait for an answer before the next request. */
const MAX_WAITING_PER_SOCKET = 16;

/**
 * HTTP requests that wait to be handled. Each turn of the event loop starts a few, its senders in turn. `POST /off`
 * does not wait here, so it waits for those few at most. While a request waits, its connection is paused.
 */
export class Arrivals {
  private readonly turns: Turns;
  private readonly waiting = new Counts<Socket>();

  constructor(pace: Pace) {
    this.turns = new Turns(Number.POSITIVE_INFINITY, pace);
  }

  /** Resolves when the request may be handled. Closes a connection that has too many requests waiting. */
  async wait({ socket, headers }: IncomingMessage): Promise<void> {
    if (this.waiting.add(socket) > MAX_WAITING_PER_SOCKET) socket.destroy();
    socket.pause();
    // the token is not checked yet: it only names whose turn it is
    await new Promise<void>((resolve) => this.turns.wait(headers.authorization ?? "", resolve));
    if (this.waiting.remove(socket) === 0) socket.resume();
  }
}

/** How many there are now, by key. Forgets a key that has none. */
export class Counts<Key> {
  private readonly counts = new Map<Key, number>();

  of(key: Key): number {
    return this.counts.get(key) ?? 0;
  }

  /** The sum over all keys that match. */
  total(fits: (key: Key) => boolean): number {
    return [...this.counts].reduce((sum, [key, count]) => (fits(key) ? sum + count : sum), 0);
  }

  /** Returns the new count. */
  add(key: Key): number {
    const count = this.of(key) + 1;
    this.counts.set(key, count);
    return count;
  }

  /** Returns the new count. */
  remove(key: Key): number {
    const count = this.of(key) - 1;
    if (count > 0) this.counts.set(key, count);
    else this.counts.delete(key);
    return count;
  }
}

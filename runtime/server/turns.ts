import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { afterReading } from "../../drivers/clock/system-clock.js";
import type { Cancel } from "../../drivers/ports.js";

/** Messages started in one turn of the event loop. A choice: 0.1 ms each, so the next `POST /off` waits about 1 ms. */
const STEPS = 8;

/** Starts the work of all tokens in turn: one message of each, and at most `most` of one token at the same time. */
export class Turns {
  /** Waiting work by token. The first token is next. */
  private readonly lines = new Map<string, Set<() => void>>();
  private readonly running = new Counts<string>();
  private steps = 0;

  constructor(
    private readonly most: number,
    private readonly pace: Pace,
  ) {}

  /**
   * Calls `begin` when it is this token's turn, never before this turn of the event loop has read everything. Returns
   * what takes it out of the line: whoever leaves must, for it may be long before its turn comes.
   */
  wait(token: string, begin: () => void): Cancel {
    const line = this.lines.get(token) ?? new Set();
    this.lines.set(token, line.add(begin));
    this.arm();
    return () => {
      line.delete(begin);
      if (line.size === 0 && this.lines.get(token) === line) this.lines.delete(token);
    };
  }

  /** Counts `work` as running until it has ended. */
  async during<T>(token: string, work: () => Promise<T>): Promise<T> {
    this.begun(token);
    try {
      return await work();
    } finally {
      this.ended(token);
    }
  }

  /** Work counts as running until `ended` is called. */
  begun(token: string): void {
    this.running.add(token);
  }

  ended(token: string): void {
    this.running.remove(token);
    if (this.lines.has(token)) this.arm();
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
    if ((begin && this.lines.size > 0) || !mayBegin) this.arm();
    begin?.();
  }

  private next(): (() => void) | undefined {
    for (const [token, line] of this.lines) {
      if (this.running.of(token) >= this.most) continue;
      const [begin] = line;
      if (begin) line.delete(begin);
      this.lines.delete(token);
      if (line.size > 0) this.lines.set(token, line);
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

/** Requests of one connection that may be unanswered. A choice: our clients wait for an answer before the next request. */
const MAX_UNANSWERED = 16;

/**
 * Requests that are still parsed of a connection that was closed for too many, since one of them may be `POST /off`. A choice. Node
 * parses all that it has read, thousands of them: after 500 connections that each sent 2000 requests an off waited 20 s.
 */
const MAX_PARSED = 2 * MAX_UNANSWERED;

/** Node calls `onIncoming` for each request that it has parsed. 2 says that HTTP ends behind it. */
function parseNoMore(socket: Socket & { readonly parser?: { onIncoming: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
}

/** The requests of one connection that are not answered. */
interface Line {
  unanswered: number;
  /** Resolves when the last of them is answered. */
  answered: Promise<void>;
}

/**
 * HTTP requests that wait to be handled. Each turn of the event loop starts a few, its senders in turn. `POST /off`
 * does not wait here, so it waits for those few at most. Requests of one connection are handled one after the other, as
 * Node sends their answers: Node never says of an answer that waits behind others that its connection was lost.
 */
export class Arrivals {
  private readonly turns: Turns;
  /** A lost connection takes its line with it. */
  private readonly lines = new WeakMap<Socket, Line>();

  constructor(pace: Pace) {
    this.turns = new Turns(Number.POSITIVE_INFINITY, pace);
  }

  /** Counts a request until it is answered. Closes a connection that has too many. Resolves when those before are answered. */
  lineUp(socket: Socket, response: ServerResponse): Promise<void> {
    const line = this.count(socket);
    const before = line.answered;
    line.answered = new Promise((resolve) => {
      response.once("close", () => {
        line.unanswered -= 1;
        resolve();
      });
    });
    if (line.unanswered > MAX_UNANSWERED) socket.destroy();
    return before;
  }

  /** Counts a request, also one of a closed connection, which nobody answers. */
  count(socket: Socket): Line {
    const line = this.lines.get(socket) ?? { unanswered: 0, answered: Promise.resolve() };
    this.lines.set(socket, line);
    line.unanswered += 1;
    if (line.unanswered > MAX_PARSED) parseNoMore(socket);
    return line;
  }

  /**
   * Resolves when the request may be handled, which is after `before`. While it waits for its turn, its connection is
   * paused. Rejects if the connection is lost meanwhile.
   */
  async wait({ socket, headers }: IncomingMessage, before?: Promise<void>): Promise<void> {
    await before;
    assertOpen(socket);
    socket.pause();
    await new Promise<void>((resolve, reject) => {
      // the token is not checked yet: it only names whose turn it is
      const leave = this.turns.wait(headers.authorization ?? "", () => {
        socket.off("close", lost);
        resolve();
      });
      const lost = () => {
        leave();
        reject(new ClientLeft());
      };
      socket.once("close", lost);
    });
    assertOpen(socket);
    socket.resume();
  }
}

/** The client closed its connection, or it was closed. */
export class ClientLeft extends Error {
  override readonly name = "ClientLeft";

  constructor() {
    super("the client went away");
  }
}

function assertOpen(socket: Socket): void {
  if (socket.destroyed) throw new ClientLeft();
}

/** How many there are now, by key. Forgets a key that has none. */
export class Counts<Key> {
  private readonly counts = new Map<Key, number>();

  of(key: Key): number {
    return this.counts.get(key) ?? 0;
  }

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

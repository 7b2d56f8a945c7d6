import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Pace } from "./pace.js";
import { Turns } from "./turns.js";

/** Requests of one connection that may wait. A choice: no client of ours sends a request before the last one was answered. */
const MOST_OF_A_SOCKET = 16;

/**
 * HTTP requests that have come in and were not looked at yet: a few are taken up in each turn of the event loop, by turns of who
 * sent them. What does not wait here, `POST /off`, so waits behind a few of them and not behind all. A connection is read
 * no further while a request of it waits.
 */
export class Arrivals {
  private readonly turns: Turns;
  private readonly waiting = new Map<Socket, number>();

  constructor(pace: Pace) {
    this.turns = new Turns(Number.POSITIVE_INFINITY, pace);
  }

  /** Resolves when the request may be looked at. A connection that sends many requests without waiting for answers is cut off. */
  async wait({ socket, headers }: IncomingMessage): Promise<void> {
    if (this.count(socket, 1) > MOST_OF_A_SOCKET) socket.destroy();
    socket.pause();
    // a token that is not known yet can be any text: it says no more than who is to have a turn
    await new Promise<void>((resolve) => this.turns.wait(headers.authorization ?? "", resolve));
    if (this.count(socket, -1) === 0) socket.resume();
  }

  private count(socket: Socket, change: 1 | -1): number {
    const count = (this.waiting.get(socket) ?? 0) + change;
    if (count > 0) this.waiting.set(socket, count);
    else this.waiting.delete(socket);
    return count;
  }
}

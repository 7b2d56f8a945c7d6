import type { Server, Socket } from "node:net";
import type { Clock } from "../../../drivers/ports.js";
import { RateLimit } from "../../tools/rate-limit.js";

/**
 * Handshakes a second, with four seconds' worth at once. A choice: one costs some 3 ms of a PC, several times that of a small
 * Pi, and the event loop has the guard to keep.
 */
const HANDSHAKES_PER_SECOND = 25;
const EVERYBODY = "everybody";

/**
 * Keeps the sockets of a listener within bounds, before any of them costs a handshake: so many in all, half as many from
 * one address, and so many new ones a second.
 */
export class BoundedSockets {
  private readonly open = new Set<Socket>();
  private readonly rate: RateLimit;

  constructor(
    server: Server,
    private readonly most: number,
    clock: Clock,
  ) {
    this.rate = new RateLimit(HANDSHAKES_PER_SECOND, clock);
    server.on("connection", (socket) => this.admit(socket));
  }

  /** Also those that have not finished their handshake, whom no HTTP server knows. */
  destroyAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  private admit(socket: Socket): void {
    if (this.isFullFor(socket) || !this.rate.admits(EVERYBODY)) return void socket.destroy();
    this.open.add(socket);
    socket.once("close", () => this.open.delete(socket));
  }

  private isFullFor({ remoteAddress }: Socket): boolean {
    const same = [...this.open].filter((other) => other.remoteAddress === remoteAddress).length;
    return this.open.size >= this.most || same >= Math.ceil(this.most / 2);
  }
}

import type { Server, Socket } from "node:net";

/**
 * Keeps the sockets of a listener within bounds, before any of them costs a handshake: so many in all, and half as many
 * from one address.
 */
export class BoundedSockets {
  private readonly open = new Set<Socket>();

  constructor(
    server: Server,
    private readonly most: number,
  ) {
    server.on("connection", (socket) => this.admit(socket));
  }

  /** Also those that have not finished their handshake, whom no HTTP server knows. */
  destroyAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  private admit(socket: Socket): void {
    const { remoteAddress } = socket;
    const same = [...this.open].filter((other) => other.remoteAddress === remoteAddress).length;
    if (this.open.size >= this.most || same >= Math.ceil(this.most / 2)) return void socket.destroy();
    this.open.add(socket);
    socket.once("close", () => this.open.delete(socket));
  }
}

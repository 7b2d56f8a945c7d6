import type { Server, Socket } from "node:net";

/** Sockets there may be for each WebSocket, as on the TLS port: it, some HTTP beside it. A choice. */
const SOCKETS_EACH = 4;
/** For those without a WebSocket, above all for `POST /off`, also where no WebSocket is allowed. A choice. */
const SPARE = 16;

/**
 * Keeps the sockets of the plain port within bounds. A newcomer is never turned away, since it may be somebody who switches
 * everything off: of too many, the oldest that nobody is served on gives way, of the address that has most.
 */
export class PlainSockets {
  /** In the order they came. */
  private readonly idle = new Set<Socket>();

  private readonly most: number;

  /** `maxConnections`: WebSockets there may be. */
  constructor(maxConnections: number) {
    this.most = SOCKETS_EACH * maxConnections + SPARE;
  }

  bound(server: Server): void {
    server.on("connection", (socket) => this.welcome(socket));
  }

  /** Somebody with a token is served on it: it does not give way. Returns how to say that this is over. */
  serves(socket: Socket): () => void {
    const isOurs = this.idle.delete(socket); // and not one of the TLS port
    return () => {
      if (isOurs && !socket.destroyed) this.idle.add(socket);
    };
  }

  private welcome(socket: Socket): void {
    this.idle.add(socket);
    socket.once("close", () => this.idle.delete(socket));
    if (this.idle.size > this.most) this.oldestOfMost()?.destroy();
  }

  private oldestOfMost(): Socket | undefined {
    const byAddress = new Map<string, Socket[]>();
    for (const socket of this.idle) {
      const address = socket.remoteAddress ?? "";
      byAddress.set(address, [...(byAddress.get(address) ?? []), socket]);
    }
    return [...byAddress.values()].sort((a, b) => b.length - a.length)[0]?.[0];
  }
}

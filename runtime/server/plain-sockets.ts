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
  /** By address, in the order they came. */
  private readonly idle = new Map<string, Set<Socket>>();
  private count = 0;
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
    const address = socket.remoteAddress ?? "";
    const isOurs = this.remove(address, socket); // and not one of the TLS port
    return () => {
      if (isOurs && !socket.destroyed) this.add(address, socket);
    };
  }

  /** This must not take long: whoever wants to switch off waits for all that came before. */
  private welcome(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    this.add(address, socket);
    socket.once("close", () => this.remove(address, socket));
    if (this.count > this.most) this.oldestOfMost()?.destroy();
  }

  private add(address: string, socket: Socket): void {
    const ofAddress = this.idle.get(address) ?? new Set();
    this.idle.set(address, ofAddress.add(socket));
    this.count += 1;
  }

  private remove(address: string, socket: Socket): boolean {
    const ofAddress = this.idle.get(address);
    if (!ofAddress?.delete(socket)) return false;
    if (ofAddress.size === 0) this.idle.delete(address);
    this.count -= 1;
    return true;
  }

  private oldestOfMost(): Socket | undefined {
    let most: Set<Socket> = new Set();
    for (const ofAddress of this.idle.values()) if (ofAddress.size > most.size) most = ofAddress;
    const [oldest] = most;
    return oldest;
  }
}

import { createServer, type Server, type Socket, connect as tcpConnect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

type Direction = "up" | "down";

/** Between an agent (down) and a runtime (up): a link that can be cut, slowed and reset, byte by byte. */
export class TcpProxy {
  connections = 0;
  /** Milliseconds that every piece takes, each way. */
  latency = 0;
  /** Looks at every piece that is to be passed on; what it returns is how many bytes of it still are, then the link is reset. */
  resetIn: (piece: Buffer, to: Direction) => number | undefined = () => undefined;
  /** Nobody is there: whoever comes is reset. */
  away = false;
  /** Every piece is swallowed, and nobody is told: a link that is open but dead. */
  isDead = false;
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private readonly server: Server = createServer((agent) => this.join(agent));

  constructor(public targetPort: number) {}

  /** Resolves to its port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    const address = this.server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** As a pulled cable that the kernel has noticed: both ends see a reset. */
  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) reset(socket);
    this.pairs.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(agent: Socket): void {
    if (this.away) return void agent.resetAndDestroy();
    this.connections += 1;
    const runtime = tcpConnect(this.targetPort, "127.0.0.1");
    const pair = [agent, runtime] as const;
    this.pairs.add(pair);
    this.pass(agent, runtime, "up");
    this.pass(runtime, agent, "down");
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  }

  private pass(from: Socket, into: Socket, to: Direction): void {
    let before: Promise<unknown> = Promise.resolve();
    from.on("data", (piece: Buffer) => {
      if (this.isDead) return;
      const due = this.latency > 0 ? wait(this.latency) : undefined;
      before = before.then(() => due).then(() => this.forward(piece, into, to));
    });
  }

  private forward(piece: Buffer, into: Socket, to: Direction): void {
    if (into.destroyed) return;
    const bytes = this.resetIn(piece, to);
    if (bytes === undefined) into.write(piece);
    else into.write(piece.subarray(0, bytes), () => this.cut());
  }
}

/** A socket that is just ending can't be reset: Node 20 would keep it for ever, and its process would never exit. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

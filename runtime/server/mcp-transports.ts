import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { TendrilError } from "../errors.js";
import { SCOPES } from "../wire/identity.js";
import { PATHS } from "../wire/names.js";
import type { Admission } from "./authenticator.js";
import type { ServerParts } from "./limits.js";
import type { HttpExchanges } from "./mcp-http-exchanges.js";
import type { Sockets } from "./mcp-websocket.js";
import type { TokenEntry } from "./router.js";

/** The route of MCP over Streamable HTTP. What answers there, with the SDK, is loaded for the first request. */
export class McpOverHttp {
  private exchanges: HttpExchanges | undefined;
  private closing = false;

  constructor(private readonly parts: ServerParts) {}

  /** The methods of Streamable HTTP (MCP 2025-11-25). Every token is let in, since every token may switch off. */
  route(): TokenEntry {
    return {
      methods: ["GET", "POST", "DELETE"],
      path: PATHS.mcp,
      may: { role: "observer", scopes: SCOPES },
      cookie: true,
      handle: async (exchange, admission) => (await this.opened()).serve(exchange, admission),
    };
  }

  /** Ends what is still being answered. */
  async close(): Promise<void> {
    this.closing = true;
    await this.exchanges?.close();
  }

  /** Throws STOPPING after `close`. */
  private async opened(): Promise<HttpExchanges> {
    const { HttpExchanges } = await import("./mcp-http-exchanges.js");
    if (this.closing) throw new TendrilError("STOPPING", "the runtime is stopping");
    this.exchanges ??= new HttpExchanges(this.parts);
    return this.exchanges;
  }
}

/** MCP over WebSocket. What speaks it, with `ws` and the SDK, is loaded for the first connection. */
export class McpOverWebSocket {
  private sockets: Sockets | undefined;
  private closing = false;

  constructor(private readonly parts: ServerParts) {}

  get connections(): number {
    return this.sockets?.size ?? 0;
  }

  /** Throws RATE_LIMITED at the limit of connections, or at half of it for this token; STOPPING after `close`. */
  async accept(request: IncomingMessage, socket: Duplex, head: Buffer, admission: Admission): Promise<void> {
    const { Sockets } = await import("./mcp-websocket.js");
    if (this.closing) throw new TendrilError("STOPPING", "the runtime is stopping");
    this.sockets ??= new Sockets(this.parts);
    this.sockets.accept(request, socket, head, admission);
  }

  /** Closes every connection with code 1001, and cuts off those that have not answered within the grace. */
  async close(): Promise<void> {
    this.closing = true;
    await this.sockets?.close();
  }
}

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import {
  type CallToolResult,
  type JSONRPCMessage,
  Server,
  type ServerContext,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type WebSocket, WebSocketServer } from "ws";
import type { ToolResult } from "../../agent-client/link/tools.js";
import { type Script, ScriptedRuntime } from "./scripted-runtime.js";

export const TOKEN = "correct-horse-battery-staple-0123456789";

export interface SeenCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly key: unknown;
  /** Who says to call. */
  readonly agent: unknown;
}

type Handler = (
  call: SeenCall,
  context: ServerContext,
  socket: WebSocket,
) => Promise<CallToolResult> | CallToolResult;

/** A real MCP server over a real WebSocket whose tools answer from a script. It knows nothing of plants. */
export class FixtureServer {
  readonly calls: SeenCall[] = [];
  connections = 0;
  /** Called in place of the script where a test needs more than an answer. */
  handler: Handler | undefined;
  private readonly script: ScriptedRuntime;
  private readonly http = createServer((_, response) => response.writeHead(404).end());
  private readonly sockets = new WebSocketServer({ noServer: true, maxPayload: 65_536 });

  constructor(script: Script = {}) {
    this.script = new ScriptedRuntime(script);
    this.http.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.upgrade(request, socket, head),
    );
  }

  /** Resolves to its address. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.http.listen(port, "127.0.0.1", resolve));
    return `ws://127.0.0.1:${this.port}/mcp`;
  }

  get port(): number {
    return (this.http.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    if (request.url !== "/mcp") refuse(socket, "404 Not Found");
    else if (request.headers.authorization !== `Bearer ${TOKEN}`) refuse(socket, "401 Unauthorized");
    else this.sockets.handleUpgrade(request, socket, head, (opened) => this.serve(opened));
  }

  private serve(socket: WebSocket): void {
    this.connections += 1;
    serveStdio(() => this.build(socket), { transport: transportOver(socket) });
  }

  private build(socket: WebSocket): Server {
    const server = new Server(
      { name: "fixture", version: "1.0.0" },
      { capabilities: { tools: {} }, instructions: "Be kind." },
    );
    server.setRequestHandler("tools/list", async () => ({ tools: (await this.script.tools()).map(listing) }));
    server.setRequestHandler("tools/call", ({ params }, context) => {
      const call = {
        name: params.name,
        args: params.arguments ?? {},
        key: context.mcpReq._meta?.["tendril/idempotency-key"],
        agent: context.mcpReq._meta?.["tendril/agent"],
      };
      this.calls.push(call);
      return this.handler ? this.handler(call, context, socket) : this.fromScript(call);
    });
    return server;
  }

  async fromScript({ name, args }: SeenCall): Promise<CallToolResult> {
    return onTheWire(await this.script.call(name, args));
  }
}

function refuse(socket: Socket, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const listing = ({
  name,
  description,
  inputSchema,
  readOnly,
}: Awaited<ReturnType<ScriptedRuntime["tools"]>>[number]) => ({
  name,
  description,
  inputSchema: { ...inputSchema, type: "object" as const },
  annotations: { readOnlyHint: readOnly },
});

export function onTheWire(result: ToolResult): CallToolResult {
  if (!result.ok)
    return { isError: true, content: [{ type: "text", text: JSON.stringify({ error: result.error }) }] };
  const text = JSON.stringify(result.value);
  return { content: [{ type: "text", text }], structuredContent: result.value as Record<string, unknown> };
}

function transportOver(socket: WebSocket): Transport {
  const transport: Transport = {
    start: async () => {
      socket.on("message", (data) => transport.onmessage?.(JSON.parse(String(data)) as JSONRPCMessage));
      socket.on("error", () => undefined);
      socket.on("close", () => transport.onclose?.());
    },
    send: async (message) => socket.send(JSON.stringify(message)),
    close: async () => socket.close(),
  };
  return transport;
}

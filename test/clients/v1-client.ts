import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Test } from "tap";
import { WebSocket } from "ws";
import type { Role } from "../../runtime/wire/identity.js";
import type { Served } from "../process.js";
import { answerOf, type ForeignClient } from "./water-once.js";

export interface Connected {
  readonly client: Client;
  readonly transport: WebSocketClientTransport;
}

/** The v1 SDK's client over its own WebSocket transport. */
export async function v1Client(t: Test, runtime: Served, role: Role): Promise<Connected> {
  const restore = useWebSocket(await runtime.token(role));
  const client = new Client({ name: "v1", version: "1" });
  const transport = new WebSocketClientTransport(new URL(runtime.url));
  t.teardown(() => client.close());
  try {
    await client.connect(transport);
  } finally {
    restore();
  }
  return { client, transport };
}

/** That transport dials with the global WebSocket, which is a browser's: Node 20 has none, and none takes a header. */
function useWebSocket(token: string): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, "WebSocket");
  const headers = { Authorization: `Bearer ${token}` };
  class WithToken extends WebSocket {
    constructor(url: URL, protocol: string) {
      super(url, protocol, { headers, allowSynchronousEvents: false });
    }
  }
  Object.defineProperty(globalThis, "WebSocket", { value: WithToken, configurable: true, writable: true });
  return () => {
    if (before) Object.defineProperty(globalThis, "WebSocket", before);
    else Reflect.deleteProperty(globalThis, "WebSocket");
  };
}

/** From its first listing on, this client checks what comes against the tools' output schemas. */
export const foreign = ({ client }: Connected): ForeignClient => ({
  listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args = {}) => answerOf(await client.callTool({ name, arguments: args })),
});

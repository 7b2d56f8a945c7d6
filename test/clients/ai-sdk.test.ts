import { createMCPClient, type MCPClientConfig, type MCPTransport } from "@ai-sdk/mcp";
import t, { type Test } from "tap";
import { WebSocket } from "ws";
import { RuntimeHere } from "../process.js";
import { answerOf, type ForeignClient, refused, waterOnce } from "./water-once.js";

type Message = Parameters<MCPTransport["send"]>[0];

/** What a user of the AI SDK writes to reach a server over WebSocket: the SDK brings HTTP only. */
class WebSocketTransport implements MCPTransport {
  onmessage?: (message: Message) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private socket: WebSocket | undefined;

  constructor(
    private readonly url: string,
    private readonly headers: Record<string, string>,
  ) {}

  start(): Promise<void> {
    const socket = new WebSocket(this.url, ["mcp"], { headers: this.headers });
    this.socket = socket;
    socket.on("message", (data) => this.onmessage?.(JSON.parse(String(data)) as Message));
    socket.on("close", () => this.onclose?.());
    return new Promise((resolve, reject) => socket.once("open", () => resolve()).once("error", reject));
  }

  async send(message: Message): Promise<void> {
    this.socket?.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.socket?.close();
  }
}

/** As a program that hands the tools to a model would use it: by their execute functions. */
async function aiSdkClient(t: Test, transport: MCPClientConfig["transport"]): Promise<ForeignClient> {
  const client = await createMCPClient({ transport });
  t.teardown(() => client.close());
  const tools = await client.tools();
  return {
    listTools: async () => Object.keys(tools),
    call: async (name, args = {}) =>
      answerOf(await tools[name]?.execute(args, { toolCallId: name, messages: [] })),
  };
}

t.test("the AI SDK's MCP client waters a plant", async (t) => {
  const runtime = await RuntimeHere.start();
  t.teardown(() => runtime.stop());
  const headers = { Authorization: `Bearer ${await runtime.token("agent")}` };
  const ways: Record<string, MCPClientConfig["transport"]> = {
    "over HTTP": { type: "http", url: runtime.http, headers },
    "over a WebSocket transport of the user's own": new WebSocketTransport(runtime.url, headers),
  };
  for (const [way, transport] of Object.entries(ways)) {
    t.test(way, async (t) => {
      const client = await aiSdkClient(t, transport);
      await waterOnce(t, client, 20);
      t.equal(await refused(t, client, "dispense_water", { ml: 20 }), "PLAN_EXCEEDED");
      t.equal(await refused(t, client, "dispense_water", { ml: 26 }), "INVALID_ARGUMENT");
    });
  }
});

/** A foreign client as its user runs it: node tls-child.js URL TOKEN. Prints what it read, or why not. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url = "", token = ""] = process.argv.slice(2);
const client = new Client({ name: "v1", version: "1" });
const headers = { Authorization: `Bearer ${token}` };
try {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  const { structuredContent } = await client.callTool({ name: "get_water_usage_24h" });
  process.stdout.write(JSON.stringify(structuredContent));
  await client.close();
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  process.stdout.write(`failed: ${cause instanceof Error && "code" in cause ? cause.code : String(cause)}`);
}

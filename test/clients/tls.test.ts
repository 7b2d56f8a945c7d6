import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import t from "tap";
import { WebSocket } from "ws";
import { RuntimeHere } from "../process.js";
import { spawnNode } from "../spawn-node.js";
import { tendrilHere } from "../tendril-here.js";

const CHILD = fileURLToPath(new URL("./tls-child.js", import.meta.url));

const home = mkdtempSync(join(tmpdir(), "tendril-tls-clients-"));
writeFileSync(join(home, "tendril.yaml"), "server: { tls: { port: 0, host: 127.0.0.1 } }\n");
const runtime = await RuntimeHere.start({ state: home });
t.teardown(() => rmSync(home, { recursive: true, force: true }));
const cert = join(home, "tls", "cert.pem");
const { out } = await tendrilHere(["pair", "--state", home]);
const port = /:(\d+)\/mcp/.exec(out)?.[1];
const token = await runtime.token("agent");

async function client(env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawnNode([CHILD, `https://localhost:${port}/mcp`, token], env);
  const [said] = await Promise.all([text(child.stdout), once(child, "close")]);
  return said;
}

t.test(
  "the v1 SDK's HTTP client reads over TLS where Node is told of the certificate, and not without",
  async (t) => {
    t.match(JSON.parse(await client({ NODE_EXTRA_CA_CERTS: cert })), { used_ml: 0, events: 0 });
    t.equal(await client({}), "failed: DEPTH_ZERO_SELF_SIGNED_CERT");
  },
);

t.test(
  "a foreign WebSocket client that checks names and dates connects with the certificate as its authority",
  async (t) => {
    const socket = new WebSocket(`wss://localhost:${port}/mcp`, ["mcp"], {
      ca: readFileSync(cert),
      headers: { Authorization: `Bearer ${token}` },
    });
    await once(socket, "open");
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    const [answer] = await once(socket, "message");
    t.match(JSON.parse(String(answer)), { result: { serverInfo: { name: "tendril" } } });
    socket.terminate();
  },
);

t.test("its runtime ends in order", async (t) => {
  t.match(await runtime.stop(), { code: 0 });
});

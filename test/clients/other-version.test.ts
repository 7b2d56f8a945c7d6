import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { WebSocketServer } from "ws";
import { SystemClock } from "../../agent-client/clock.js";
import { connect } from "../../agent-client/link/runtime.js";
import { Link } from "../../runtime/bridge/link.js";
import { withRemote } from "../../runtime/cli/remote.js";
import { PATHS } from "../../runtime/wire/names.js";
import { otherVersion, VERSION } from "../../runtime/wire/program.js";
import { proofOf, secretOf } from "../../runtime/wire/proof.js";

const TOKEN = "the-token-of-this-house";

/** Answers requests of MCP as a runtime of this version would begin. */
function answer(version: string, { id, method }: { id: unknown; method: string }): string {
  const result = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    serverInfo: { name: "tendril", version },
  };
  const error = { code: -32601, message: "Method not found" };
  return JSON.stringify({ jsonrpc: "2.0", id, ...(method === "initialize" ? { result } : { error }) });
}

/** A runtime of this version, over HTTP and over WebSocket; its address without the protocol. */
async function runtimeOf(t: Test, version: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://localhost");
    if (url.pathname === PATHS.proof) return response.end(proofTo(request, url.searchParams));
    const asked = JSON.parse((await request.toArray()).join("") || "{}");
    if (asked.id === undefined) return response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json" }).end(answer(version, asked));
  });
  new WebSocketServer({ server }).on("connection", (socket) =>
    socket.on("message", (data) => {
      const asked = JSON.parse(String(data));
      if (asked.id !== undefined) socket.send(answer(version, asked));
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function proofTo({ socket }: IncomingMessage, asked: URLSearchParams): string {
  const { localAddress: address = "", localPort: port = 0 } = socket;
  const challenge = asked.get("challenge") ?? "";
  return JSON.stringify({
    runtime: "this",
    proof: proofOf(secretOf(TOKEN), { challenge, address, port, pin: undefined }, "this"),
  });
}

const agentAt = (address: string) =>
  connect({
    url: `ws://${address}`,
    token: TOKEN,
    patience: { toConnect: 0, toReconnect: 0 },
    signal: new AbortController().signal,
    clock: new SystemClock(),
    random: () => 0,
    onWait: () => undefined,
  });

const WORDS = `the runtime is Tendril 7.4.1, this program is Tendril ${VERSION}`;

t.test("versions fit if their first two numbers are the same; other programs are not judged", async (t) => {
  const [major, minor] = VERSION.split(".");
  for (const version of [VERSION, `${major}.${minor}.99`, `${major}.${minor}.0~git20261126`])
    t.equal(otherVersion({ name: "tendril", version }), undefined, version);
  for (const version of ["7.4.1", `${major}.${Number(minor) + 1}.0`])
    t.match(otherVersion({ name: "tendril", version }), version);
  t.equal(otherVersion({ name: "another", version: "7.4.1" }), undefined);
  t.equal(otherVersion(undefined), undefined);
  const lying = otherVersion({ name: "tendril", version: `7.4\n${"9".repeat(3_000_000)}` });
  t.match(lying, /^the runtime is Tendril 7\.4 9{36}…, this program is Tendril \S+$/);
});

t.test("an agent does not begin with a runtime of another version, and says both", async (t) => {
  await t.rejects(agentAt(await runtimeOf(t, "7.4.1")), {
    name: "LinkError",
    code: "OTHER_VERSION",
    retryable: true,
    message: new RegExp(`${WORDS}: install the same version on both`),
  });
  const runtime = await agentAt(await runtimeOf(t, VERSION));
  await runtime.close();
});

t.test("a bridge takes no jobs of a runtime of another version", async (t) => {
  const link = new Link({ url: `ws://${await runtimeOf(t, "7.4.1")}`, token: TOKEN });
  await t.rejects(link.call("take_jobs", {}), {
    name: "LinkDown",
    message: `${WORDS}: install the same version on both, and restart them`,
  });
});

t.test("the command line says it once, and works all the same", async (t) => {
  const said = t.capture(process.stderr, "write", () => true);
  const tokenFile = `${t.testdir({ token: TOKEN })}/token`;
  const address = { state: t.testdirName, url: `ws://${await runtimeOf(t, "7.4.1")}`, tokenFile };
  t.equal(await withRemote(address, async () => "done"), "done");
  t.equal(await withRemote(address, async () => "done"), "done");
  t.match(
    said().map(({ args }) => args),
    [[`tendril: ${WORDS}: install the same version on both, and restart them\n`]],
  );
});

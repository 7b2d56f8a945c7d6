import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SystemClock } from "../../../agent-client/clock.js";
import type { LinkError } from "../../../agent-client/errors.js";
import { openSocket } from "../../../agent-client/link/link.js";
import { connect } from "../../../agent-client/link/runtime.js";
import { FirstUse, KnownRuntimes, pair, pinned } from "../../../agent-client/link/trust.js";
import { selfSigned } from "../../../runtime/server/tls/certificate.js";
import { newCode } from "../../../runtime/wire/pairing.js";
import { newKey, pemOf } from "../../certificates.js";
import { tokenOf } from "../../runtime/server/fixture-host.js";
import { serverRig } from "../../runtime/server/fixture-rig.js";
import { askTls, ownKeyRig, silent } from "../../runtime/server/tls/fixture-tls.js";
import { TcpProxy } from "../../tcp-proxy.js";
import { peer } from "./fixture-peer.js";

const never = new AbortController().signal;
const clock = new SystemClock();

/** A runtime, and a way to it on which somebody may take its place. */
async function secureRig(t: Test) {
  const rig = await ownKeyRig(t);
  const port = rig.server.tls()?.port ?? 0;
  const proxy = new TcpProxy(port);
  const url = `wss://127.0.0.1:${await proxy.listen()}/mcp`;
  t.teardown(() => proxy.close());
  const trust = new FirstUse(new KnownRuntimes(join(rig.folder, "agent")), () => undefined);
  return { rig, port, proxy, url, trust };
}

t.test("an agent over TLS reads, calls and is told, as over the plain link", async (t) => {
  const { rig, url, trust } = await secureRig(t);
  const waits: LinkError[] = [];
  const runtime = await connect({
    ...{ url, trust, clock, token: await tokenOf(rig.folder, "agent"), signal: never, random: () => 0 },
    patience: { toConnect: 0, toReconnect: 5000 },
    onWait: (error) => waits.push(error),
  });
  t.teardown(() => runtime.close());
  t.match(await runtime.call("read_moisture", {}), { ok: true, value: { value: 0.4321 } });
});

t.test(
  "a reconnect looks again: who has taken the runtime's place gets nothing, and is told of",
  async (t) => {
    const { rig, port, proxy, url, trust } = await secureRig(t);
    const key = newKey();
    const thief = await peer(t, { key: pemOf(key), cert: selfSigned(key, ["localhost"]).toString() });
    const runtime = await connect({
      ...{ url, trust, clock, token: await tokenOf(rig.folder, "agent"), signal: never, random: () => 0 },
      patience: { toConnect: 0, toReconnect: 5000 },
      onWait: () => undefined,
    });
    t.teardown(() => runtime.close());
    await runtime.tools();
    proxy.targetPort = thief.port;
    proxy.cut();
    await t.rejects(runtime.agenda(), { code: "PEER_CHANGED" });
    t.equal(await thief.heard(), "");
    proxy.targetPort = port;
    t.match(
      await runtime.call("read_moisture", {}),
      { ok: true },
      "and when the right one is back, the link is",
    );
  },
);

t.test("a server that sends the agent on to a port without TLS is not followed", async (t) => {
  const heard: unknown[] = [];
  const plain = createServer((request) => heard.push(request.headers)).listen(0, "127.0.0.1");
  plain.on("upgrade", (request) => heard.push(request.headers));
  await once(plain, "listening");
  t.teardown(() => plain.close());
  const { port } = plain.address() as AddressInfo;
  const key = newKey();
  const keys = { key: pemOf(key), cert: selfSigned(key, ["localhost"]).toString() };
  const answer = `HTTP/1.1 307 Temporary Redirect\r\nLocation: ws://127.0.0.1:${port}/mcp\r\nContent-Length: 0\r\n\r\n`;
  const { url } = await peer(t, keys, answer);
  const trust = new FirstUse(new KnownRuntimes(t.testdir()), () => undefined);
  await t.rejects(openSocket({ url, token: "x".repeat(40), trust }, never), {
    code: "NOT_MCP",
    message: /307/,
  });
  t.same(heard, []);
});

t.test("a plain port in the place of the TLS one gets nothing, and the error says what it is", async (t) => {
  const rig = await serverRig(t);
  const url = `wss://127.0.0.1:${rig.server.port}/mcp`;
  await t.rejects(openSocket({ url, token: rig.token }, never), {
    code: "NOT_MCP",
    message: /does not speak TLS 1\.3 \(ERR_SSL_\w+\)/,
  });
  t.notOk(JSON.stringify(rig.lines).includes(rig.token));
});

t.test("who does not answer the handshake is given up when the agent is told to stop", async (t) => {
  const { port } = await silentServer(t);
  const stop = new AbortController();
  const opening = openSocket({ url: `wss://127.0.0.1:${port}/mcp`, token: "x" }, stop.signal);
  (await silent(port)).destroy();
  stop.abort(new Error("told to stop"));
  await t.rejects(opening, { message: "told to stop" });
});

async function silentServer(t: Test) {
  const server = createTcpServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  return server.address() as AddressInfo;
}

t.test(
  "who sits between an agent and its runtime with a key of its own learns no code and no token",
  async (t) => {
    const { rig, proxy, url } = await secureRig(t);
    const human = { Authorization: `Bearer ${await tokenOf(rig.folder, "human")}` };
    const opened = await fetch(`${rig.base}/pairing`, { method: "POST", headers: human });
    const { code } = (await opened.json()) as { code: string };
    const key = newKey();
    const made = { token: "t".repeat(43), name: "agent.x", proof: "p".repeat(43) };
    const body = JSON.stringify(made);
    const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const between = await peer(
      t,
      { key: pemOf(key), cert: selfSigned(key, ["localhost"]).toString() },
      answer,
    );
    const right = proxy.targetPort;
    proxy.targetPort = between.port;
    await t.rejects(pair(url, code.replaceAll("-", ""), never), {
      code: "PAIRING_REFUSED",
      message: /does not know the code/,
    });
    const heard = await between.heard();
    t.match(heard, /POST \/pair/);
    t.notOk(heard.includes(code) || heard.includes(code.replaceAll("-", "")));
    const claim = heard.slice(heard.indexOf("{"));
    const passedOn = await fetch(`${rig.base}/pairing`, { headers: human });
    t.match(await passedOn.text(), /"tries_left":5/);
    proxy.targetPort = right;
    const relayed = await relay(url, claim);
    t.equal(relayed.status, 403, "and what it heard opens nothing at the runtime, whose key is another");
  },
);

/** Says to the runtime what an agent has said to somebody else. */
async function relay(url: string, body: string) {
  return askTls(Number(new URL(url).port), "POST", "/pair", {}, body);
}

t.test(
  "pairing with who is away, who says nothing sensible and who says too much ends in plain words",
  async (t) => {
    const key = newKey();
    const keys = { key: pemOf(key), cert: selfSigned(key, ["localhost"]).toString() };
    await t.rejects(pair("wss://127.0.0.1:1/mcp", newCode(), never), { code: "REFUSED" });
    const html = await peer(t, keys, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>");
    await t.rejects(pair(html.url, newCode(), never), {
      code: "NOT_MCP",
      message: /answered 200 to a pairing code/,
    });
    const long = await peer(t, keys, `HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n${"x".repeat(9000)}`);
    await t.rejects(pair(long.url, newCode(), never), { code: "NOT_MCP", message: /too long/ });
    const steering = '{"error":{"code":"X","message":"\\u001b[2Jgone"}}';
    const hostile = await peer(
      t,
      keys,
      `HTTP/1.1 403 No\r\nContent-Length: ${steering.length}\r\n\r\n${steering}`,
    );
    await t.rejects(pair(hostile.url, newCode(), never), {
      code: "PAIRING_REFUSED",
      message: /says: {2}\[2Jgone/,
    });
  },
);

t.test("a pinned key passes whatever its certificate says: expired, or for another name", async (t) => {
  const { rig, url } = await secureRig(t);
  const trust = pinned(rig.server.tls()?.pin ?? "");
  const socket = await openSocket({ url, trust, token: await tokenOf(rig.folder, "agent") }, never);
  socket.terminate();
});

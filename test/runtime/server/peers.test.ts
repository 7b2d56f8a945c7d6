import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import fc from "fast-check";
import t from "tap";
import type { WebSocket } from "ws";
import { seconds } from "../../../drivers/units.js";
import { tokenOf } from "./fixture-host.js";
import {
  bearer,
  closeOf,
  nextMessage,
  openSocket,
  type Rig,
  refusedUpgrade,
  serverRig,
} from "./fixture-rig.js";

const READ = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "read_moisture", arguments: {} },
};
const BEAT = seconds(15);
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function stillServes(rig: Rig): Promise<boolean> {
  const socket = await openSocket(rig);
  const works = await answers(socket);
  socket.terminate();
  return works;
}

async function answers(socket: WebSocket): Promise<boolean> {
  const answer = nextMessage(socket);
  socket.send(JSON.stringify(READ));
  return "result" in (await answer);
}

const BROKEN: [string, string | Buffer, { code: number; reason: RegExp }][] = [
  ["binary frame", Buffer.from(JSON.stringify(READ)), { code: 1003, reason: /text frames only/ }],
  [
    "frame beyond the limit",
    "x".repeat(1024 * 1024 + 1),
    { code: 1009, reason: /over 1048576 bytes.*HTTP.*\/mcp/ },
  ],
];
for (const [what, frame, expected] of BROKEN) {
  t.test(`a ${what} ends the connection with ${expected.code}, and no other`, async (t) => {
    const rig = await serverRig(t);
    const [socket, other] = await Promise.all([openSocket(rig), openSocket(rig)]);
    const closed = closeOf(socket);
    socket.send(frame);
    t.match(await closed, expected);
    t.ok(await answers(other));
  });
}

t.test("a message as large as the limit is still served", async (t) => {
  const rig = await serverRig(t);
  const socket = await openSocket(rig);
  const frame = JSON.stringify(READ);
  const answer = nextMessage(socket);
  socket.send(frame + " ".repeat(1024 * 1024 - frame.length));
  t.match(await answer, { id: 1, result: {} });
});

t.test("a client without the subprotocol is told so with 1002", async (t) => {
  const rig = await serverRig(t);
  const socket = await openSocket(rig, {}, []);
  t.match(await closeOf(socket), { code: 1002, reason: /subprotocol mcp/ });
  await t.rejects(openSocket(rig, {}, ["chat"]), { message: /no subprotocol/ });
  t.ok(await stillServes(rig));
});

const FAULTS: [string, string, number][] = [
  ["malformed JSON", "{nonsense", -32700],
  ["JSON that is no JSON-RPC", '{"hello":"world"}', -32600],
  ["a batch", JSON.stringify([READ, READ]), -32600],
  [
    "deep nesting",
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'{"a":'.repeat(100_000)}`,
    -32600,
  ],
];
for (const [what, text, code] of FAULTS) {
  t.test(`${what} is answered with ${code}, and the connection goes on`, async (t) => {
    const rig = await serverRig(t);
    const socket = await openSocket(rig);
    const answer = nextMessage(socket);
    socket.send(text);
    t.match(await answer, { jsonrpc: "2.0", id: null, error: { code, message: String } });
    t.ok(await answers(socket));
  });
}

/** Any code points but lone surrogates. fast-check's own, `fc.string({ unit: "binary" })`, first makes a table of all 1.1 million. */
const codePoint = fc.oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));
const anyText = fc.array(codePoint).map((points) => String.fromCodePoint(...points));

t.test(
  "garbage frames with a message now and then neither end their connection nor bring the server down",
  async (t) => {
    const rig = await serverRig(t);
    const socket = await openSocket(rig);
    const edited = fc.constantFrom(...mutations(JSON.stringify(READ)));
    const garbage = fc.oneof(fc.json(), anyText, edited);
    for (const [at, text] of fc.sample(garbage, { numRuns: 500, seed: 8731 }).entries()) {
      if (at % 32 === 0) socket.send(JSON.stringify(READ));
      socket.send(text);
    }
    const reached = once(socket, "pong");
    socket.ping();
    await reached;
    t.equal(socket.readyState, socket.OPEN);
    t.ok(await stillServes(rig));
  },
);

t.test("garbage bytes below the WebSocket never bring the server down", async (t) => {
  const rig = await serverRig(t);
  for (const bytes of fc.sample(fc.uint8Array({ minLength: 1, maxLength: 200 }), {
    numRuns: 60,
    seed: 8731,
  })) {
    const socket = await openSocket(rig);
    const closed = once(socket, "close");
    rawOf(socket).end(bytes);
    await closed;
    const raw = connect(rig.server.port, "127.0.0.1").resume();
    raw.end(bytes);
    await once(raw, "close");
  }
  t.ok(await stillServes(rig));
});

t.test("one connection more than allowed is refused with 503, and one less is welcome again", async (t) => {
  const rig = await serverRig(t, { limits: { maxConnections: 2 } });
  const human = { headers: bearer(await tokenOf(rig.folder, "human")) };
  const first = await openSocket(rig);
  await openSocket(rig, human);
  const refusal = await refusedUpgrade(rig, { headers: bearer(rig.token) });
  t.match(refusal, {
    status: 503,
    body: { error: { code: "RATE_LIMITED", retryable: true, message: /2 connections/ } },
  });
  first.close();
  while (rig.server.connections() > 1) await turn();
  t.ok(await stillServes(rig));
});

t.test("one token takes no more than half of the connections", async (t) => {
  const rig = await serverRig(t, { limits: { maxConnections: 4 } });
  await openSocket(rig);
  await openSocket(rig);
  const refusal = await refusedUpgrade(rig, { headers: bearer(rig.token) });
  t.match(refusal, { status: 503, body: { error: { code: "RATE_LIMITED", message: /this token has 2/ } } });
  await openSocket(rig, { headers: bearer(await tokenOf(rig.folder, "human")) });
  t.equal(rig.server.connections(), 3);
});

t.test("a peer that answers pings stays, one that answers none of two is dropped", async (t) => {
  const rig = await serverRig(t);
  const [alive, dead] = await Promise.all([openSocket(rig), openSocket(rig, { autoPong: false })]);
  const dropped = closeOf(dead);
  for (let beat = 1; beat <= 3; beat += 1) {
    t.equal(rig.server.connections(), 2, `before beat ${beat}`);
    const pinged = beat < 3 && once(alive, "ping");
    await rig.clock.advance(BEAT);
    await pinged;
    t.ok(await answers(alive), "its pong has arrived before this answer was asked for");
  }
  t.match(await dropped, { code: 1006 });
  while (rig.server.connections() > 1) await turn();
  t.ok(await answers(alive));
});

t.test("a connection whose token is revoked ends with 1008 at the next heartbeat", async (t) => {
  const rig = await serverRig(t);
  const socket = await openSocket(rig);
  const closed = closeOf(socket);
  rmSync(`${rig.folder}/tokens/agent`);
  await rig.clock.advance(BEAT);
  t.match(await closed, { code: 1008, reason: "session or token ended" });
  t.match(await refusedUpgrade(rig, { headers: bearer(rig.token) }), { status: 401 });
});

t.test("a peer that does not read is closed as slow, and takes no more memory", async (t) => {
  const rig = await serverRig(t, { limits: { maxBufferedBytes: 256 * 1024 } });
  const socket = await openSocket(rig);
  const closed = closeOf(socket);
  rawOf(socket).pause();
  const ask = { ...READ, params: { name: "fetch_notes", arguments: { length: 512 * 1024 } } };
  for (let id = 1; id <= 64; id += 1) socket.send(JSON.stringify({ ...ask, id }));
  for (let each = 0; each < 200; each += 1) await turn();
  t.ok(rig.host.calls.length < 64, `only ${rig.host.calls.length} of 64 calls were begun for it`);
  let received = 0;
  socket.on("message", () => (received += 1));
  rawOf(socket).resume();
  t.match(await closed, { code: 1013, reason: "slow peer" });
  t.ok(received < 64, `only ${received} of 64 answers were kept for it`);
  t.ok(await stillServes(rig));
});

t.test("closing says 1001 to every peer and takes nobody new", async (t) => {
  const rig = await serverRig(t);
  const sockets = await Promise.all([openSocket(rig), openSocket(rig)]);
  const closes = sockets.map(closeOf);
  await rig.server.close();
  t.match(await Promise.all(closes), [{ code: 1001 }, { code: 1001 }]);
  t.equal(rig.server.connections(), 0);
  await t.rejects(openSocket(rig), { code: "ECONNREFUSED" });
});

t.test("closing waits no longer than the grace for a peer that does not answer", async (t) => {
  const rig = await serverRig(t);
  const socket = await openSocket(rig);
  rawOf(socket).pause();
  let closed = false;
  const closing = rig.server.close().then(() => {
    closed = true;
  });
  await rig.clock.advance(seconds(1.9));
  t.notOk(closed);
  await rig.clock.advance(seconds(0.1));
  await closing;
  rawOf(socket).destroy();
});

/** The TCP socket beneath, which `ws` keeps to itself: reading it is the one way to be a slow or broken peer. */
const rawOf = (socket: WebSocket): Socket => (socket as unknown as { _socket: Socket })._socket;

/** Every single character dropped, doubled or replaced. */
function mutations(text: string): string[] {
  return [...text].flatMap((char, at) => {
    const [before, after] = [text.slice(0, at), text.slice(at + 1)];
    return [before + after, before + char + char + after, `${before}"${after}`, `${before}9${after}`];
  });
}

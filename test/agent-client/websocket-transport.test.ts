import { once } from "node:events";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { type WebSocket, WebSocketServer } from "ws";
import { openSocket, WebSocketTransport } from "../../agent-client/link/link.js";
import { SimulatedClock } from "../../drivers/clock/simulated-clock.js";
import { seconds } from "../../drivers/units.js";

interface Pair {
  readonly transport: WebSocketTransport;
  readonly socket: WebSocket;
  readonly peer: WebSocket;
  readonly clock: SimulatedClock;
  readonly closed: Promise<void>;
}

async function pair(t: Test): Promise<Pair> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const arrived = once(server, "connection");
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new SimulatedClock();
  const socket = await openSocket({ url, token: "t" }, new AbortController().signal);
  const transport = new WebSocketTransport(socket, clock);
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => resolve();
  });
  const [peer] = (await arrived) as [WebSocket];
  t.teardown(() => {
    peer.terminate();
    server.close();
  });
  return { transport, socket, peer, clock, closed };
}

const ping = { jsonrpc: "2.0" as const, id: 1, method: "ping" };

t.test("a message is one text frame, both ways", async (t) => {
  const { transport, peer } = await pair(t);
  await transport.start();
  const [sent, seen] = [once(peer, "message"), new Promise((resolve) => (transport.onmessage = resolve))];
  await transport.send(ping);
  const [data, isBinary] = await sent;
  t.strictSame([JSON.parse(String(data)), isBinary], [ping, false]);
  peer.send(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
  t.match(await seen, { id: 1, result: {} });
});

t.test("a peer that answers no ping is given up, one that does is kept", async (t) => {
  const { transport, socket, peer, clock, closed } = await pair(t);
  await transport.start();
  await once(socket, "pong");
  const asked = once(peer, "ping");
  await clock.advance(seconds(15));
  await asked;
  t.equal(transport.closedByPeer, false, "it answered the first");
  await once(socket, "pong");
  peer.pause();
  await clock.advance(seconds(15));
  await clock.advance(seconds(15));
  await closed;
  t.equal(transport.closedByPeer, true);
});

t.test("garbage is reported and changes nothing, a binary frame ends the connection", async (t) => {
  const { transport, peer, closed } = await pair(t);
  const errors: Error[] = [];
  transport.onerror = (error) => errors.push(error);
  await transport.start();
  const answered = new Promise((resolve) => (transport.onmessage = resolve));
  peer.send("{");
  peer.send('{"hello": 1}');
  peer.send(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
  t.match(await answered, { id: 1 });
  t.equal(errors.length, 2);
  peer.send(Buffer.from([1]));
  const [code] = await once(peer, "close");
  t.equal(code, 1003);
  await closed;
});

t.test("closing says goodbye, and does not wait for a peer that says nothing", async (t) => {
  const polite = await pair(t);
  await polite.transport.start();
  const said = once(polite.peer, "close");
  await polite.transport.close();
  t.equal((await said)[0], 1000);
  t.equal(polite.transport.closedByPeer, false);
  const deaf = await pair(t);
  await deaf.transport.start();
  deaf.peer.pause();
  const closing = deaf.transport.close();
  await deaf.clock.advance(seconds(1));
  await closing;
  await deaf.closed;
  t.pass("cut off");
});

t.test("sending on a closed connection rejects", async (t) => {
  const { transport } = await pair(t);
  await transport.start();
  await transport.close();
  await t.rejects(transport.send(ping), { message: "the WebSocket is closed" });
});

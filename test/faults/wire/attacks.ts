import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import type { Dice } from "../campaign/dice.js";

/** Where an attack goes, and with which token. */
export interface Target {
  readonly port: number;
  readonly token: string;
}

/** One connection that does something no honest client does. Resolves once the runtime has read it all, or has closed it. */
export type Attack = (target: Target, dice: Dice) => Promise<unknown>;

const TOOLS = [
  "dispense_water",
  "turn_on_light",
  "get_recent_thoughts",
  "log_thought",
  "stop_all",
  "__proto__",
  "",
];
const METHODS = [
  "tools/call",
  "tools/list",
  "resources/read",
  "resources/subscribe",
  "initialize",
  "ping",
  "no/such",
];
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  25,
  1e308,
  -1,
  0.1,
  "",
  "\u202e\u0000\n",
  "x".repeat(70_000),
  [],
  {},
  [[[[]]]],
  { __proto__: { role: "human" } },
  { "": "" },
  "tendril://agenda",
  "tendril://photos/../../tokens/human.jpg",
];

/** Also where there was an error before. */
const closing = (socket: Socket | WebSocket): Promise<void> =>
  new Promise((resolve) => socket.once("close", () => resolve()));

const any = (dice: Dice): unknown => dice.of(VALUES);

/** A message that is nearly one, or one that means harm. */
function message(dice: Dice): string {
  const name = dice.chance(0.8) ? dice.of(TOOLS) : any(dice);
  const given = dice.chance(0.5) ? { ml: any(dice), minutes: any(dice), n: any(dice) } : any(dice);
  const meta = {
    "tendril/idempotency-key": any(dice),
    "tendril/stops-before": any(dice),
    progressToken: any(dice),
  };
  const params = dice.chance(0.8) ? { name, arguments: given, uri: any(dice), _meta: meta } : any(dice);
  const method = dice.chance(0.9) ? dice.of(METHODS) : any(dice);
  const id = dice.chance(0.7) ? dice.between(1, 5) : any(dice);
  const shapes = [
    { jsonrpc: "2.0", id, method, params },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } },
    { jsonrpc: "2.0", id, result: any(dice) },
    { jsonrpc: any(dice), id, method, params },
    [{ jsonrpc: "2.0", id, method, params }],
    any(dice),
  ];
  const text = JSON.stringify(dice.of(shapes));
  return dice.chance(0.15) ? text.slice(0, dice.between(0, text.length)) : text;
}

const bearer = (token: string) => `Authorization: Bearer ${token}\r\n`;

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Writes the text in pieces, and waits until the other side has had enough. */
async function writeAll(socket: Socket, text: string, dice: Dice): Promise<void> {
  const closed = closing(socket);
  socket.resume();
  for (let at = 0; at < text.length; ) {
    const size = dice.chance(0.5) ? text.length : dice.between(1, 2000);
    socket.write(text.slice(at, at + size), "latin1");
    at += size;
  }
  socket.end();
  await closed;
}

/** Frames full of messages, the last of them honest: once that is answered, all have been read. */
const frames: Attack = async ({ port, token }, dice) => {
  const headers = { Authorization: `Bearer ${token}` };
  const socket = new WebSocket(`ws://127.0.0.1:${port}/mcp`, ["mcp"], { headers });
  socket.on("error", () => undefined);
  const closed = closing(socket);
  await Promise.race([new Promise((resolve) => socket.once("open", resolve)), closed]);
  for (let left = dice.between(1, 200); left > 0; left -= 1)
    socket.send(dice.chance(0.98) ? message(dice) : "[".repeat(dice.between(1, 100_000)));
  const honest = new Promise<void>((resolve) =>
    socket.on("message", (data) => String(data).includes('"id":"honest"') && resolve()),
  );
  if (socket.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: "honest", method: "tools/list" }));
  if (dice.chance(0.2)) socket.send(Buffer.alloc(dice.of([0, 100, 2_000_000])));
  await Promise.race([honest, closed]);
  socket.terminate();
};

/** Bytes on a WebSocket that are no frames as RFC 6455 has them. */
const rawFrames: Attack = async ({ port, token }, dice) => {
  const socket = await open(port);
  const handshake = `GET /mcp HTTP/1.1\r\nHost: localhost\r\n${bearer(token)}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\nSec-WebSocket-Protocol: mcp\r\n\r\n`;
  const bytes = Array.from({ length: dice.between(1, 300) }, () => String.fromCharCode(dice.between(0, 255)));
  await writeAll(socket, handshake + bytes.join(""), dice);
};

/** HTTP as nobody writes it. */
const rawHttp: Attack = async ({ port, token }, dice) => {
  const method = dice.of(["GET", "POST", "DELETE", "OPTIONS", "PRI", "post", ""]);
  const path = dice.of([
    "/mcp",
    "/healthz",
    "/proof?challenge=0",
    "/photos/../tokens/human",
    "/web/%2e%2e/tokens/human",
    "/metrics",
    "/",
    "//",
    "*",
    "/pair",
    "http://a/",
  ]);
  const lines = [
    "Host: localhost",
    "Host: evil.example",
    `Authorization: Bearer ${token}`,
    "Authorization: Bearer x",
    "Origin: http://evil.example",
    "Content-Length: 5",
    "Content-Length: 99999999",
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    "Upgrade: h2c",
    "Connection: Upgrade",
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `X: ${"y".repeat(dice.between(0, 20_000))}`,
  ].filter(() => dice.chance(0.4));
  const request = `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${message(dice)}`;
  await writeAll(await open(port), request.repeat(dice.chance(0.2) ? 30 : 1), dice);
};

/** A call over HTTP, as it should be but for what it says. */
const httpCalls: Attack = async ({ port, token }, dice) => {
  const calls = Array.from({ length: dice.between(1, 20) }, () => {
    const body = message(dice);
    const headers = {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const over = new AbortController();
    if (dice.chance(0.1)) queueMicrotask(() => over.abort());
    const asked = fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers,
      body,
      signal: over.signal,
    });
    return asked.then((answer) => answer.text());
  });
  await Promise.allSettled(calls);
};

/** Comes, says nothing or half of something, and goes. */
const visits: Attack = async ({ port }, dice) => {
  for (let left = dice.between(1, 50); left > 0; left -= 1) {
    const socket = await open(port);
    if (dice.chance(0.5)) socket.write("POST /mcp HTTP/1.1\r\nHost:");
    socket.destroy();
  }
};

export const ATTACKS: Readonly<Record<string, Attack>> = { frames, rawFrames, rawHttp, httpCalls, visits };

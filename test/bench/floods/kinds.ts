import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { millis } from "../../../drivers/units.js";
import type { Role } from "../../../runtime/wire/identity.js";
import { dial, toolCall } from "../wire.js";

/** Where a flood goes, and with which token. */
export interface Target {
  /** ws://HOST:PORT/mcp */
  readonly url: string;
  readonly token: string;
}

export interface Flood {
  readonly title: string;
  readonly role: Role;
  /** Floods until its process is killed. */
  run(target: Target): Promise<unknown>;
}

const ERA = "2026-07-28";
const META = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": ERA,
    "io.modelcontextprotocol/clientInfo": { name: "flood", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};
const MB = 1_000_000;
const clock = new SystemClock();

const list = (id: number): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "resources/list", params: META });

/** Sends frames as fast as the runtime takes them. */
async function pour({ url, token }: Target, frame: (id: number) => string): Promise<void> {
  const socket = await open(url, token);
  for (let id = 1; socket.readyState === WebSocket.OPEN; id += 1) {
    socket.send(frame(id));
    if (id % 200 === 0) while (socket.bufferedAmount > MB) await clock.sleep(millis(1));
  }
}

/** Keeps so many calls open. */
async function keepOpen({ url, token }: Target, frame: (id: number) => string, most: number): Promise<void> {
  const socket = await open(url, token);
  let next = 1;
  const send = () => socket.send(frame(next++));
  socket.on("message", send);
  while (next <= most) send();
  await once(socket, "close");
}

async function open(url: string, token: string): Promise<WebSocket> {
  const socket = await dial(url, token);
  return socket.setMaxListeners(0).on("error", () => undefined);
}

/** What was cut off begins again. */
async function again(flood: () => Promise<unknown>): Promise<never> {
  for (;;) {
    await flood().catch(() => undefined);
    await clock.sleep(millis(10));
  }
}

const several = (n: number, flood: () => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: n }, () => again(flood)));

/** What a call over HTTP has for headers, but for the tool's name. */
export const headersOf = (token: string) => ({
  Authorization: `Bearer ${token}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  "Mcp-Method": "tools/call",
  "Mcp-Protocol-Version": ERA,
});

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

function post({ url, token }: Target, length: number) {
  const headers = { ...headersOf(token), "Content-Length": length, "Mcp-Name": "save_notes" };
  return request(url.replace("ws:", "http:"), { method: "POST", headers, agent });
}

/** A body that arrives byte by byte. */
async function slowBody(target: Target): Promise<void> {
  const sent = post(target, MB);
  const ended = Promise.race([once(sent, "close"), once(sent, "error")]);
  const drip = setInterval(() => sent.write(" "), 500);
  await ended.finally(() => clearInterval(drip));
}

async function wholeBody(target: Target, body: string): Promise<void> {
  const sent = post(target, Buffer.byteLength(body));
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  await once(answer.resume(), "end");
}

/** Calls without end over HTTP, each on a connection that is kept. */
async function callOverHttp({ url, token }: Target): Promise<void> {
  const keeping = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { ...headersOf(token), "Mcp-Name": "get_current_time" };
  const body = toolCall(ERA, "get_current_time", {})(1);
  for (;;) {
    const sent = request(url.replace("ws:", "http:"), { method: "POST", headers, agent: keeping });
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    await once(answer.resume(), "end");
  }
}

/** A connection that says nothing. */
async function silent({ url }: Target): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** Sends request after request, and leaves with the first answer. */
async function pipelined(target: Target): Promise<void> {
  const socket = await silent(target);
  socket.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(200));
  await Promise.race([once(socket, "data"), once(socket, "close")]);
  socket.resetAndDestroy();
}

/** A call with so many arguments that there are not. */
const manyKeys = (keys: number): string => {
  const many = Object.fromEntries(Array.from({ length: keys }, (_, at) => [`k${at}`, 0]));
  return toolCall(ERA, "save_notes", many)(1);
};

const note = toolCall(ERA, "save_notes", { content: "n".repeat(MB), mode: "append" });
const search = toolCall(ERA, "search_thoughts", { keyword: "a" });
const thoughts = toolCall(ERA, "get_recent_thoughts", { n: 3 });
const unknownTool = toolCall(ERA, "no_such_tool", {});
const history = toolCall(ERA, "get_moisture_history_bucketed", {
  hours: 10_000,
  samples_per_hour: 1,
  aggregation: "count",
  include_empty: true,
});

/** Each is one connection or one careless client unless it says more. */
export const FLOODS: Readonly<Record<string, Flood>> = {
  lists: {
    title: "lists of resources, one connection",
    role: "observer",
    run: (target) => again(() => pour(target, list)),
  },
  "lists-16": {
    title: "lists of resources, 16 connections",
    role: "observer",
    run: (target) => several(16, () => pour(target, list)),
  },
  calls: {
    title: "calls of a tool that there is not, 16 connections",
    role: "observer",
    run: (target) => several(16, () => pour(target, unknownTool)),
  },
  bodies: {
    title: "64 slow bodies",
    role: "observer",
    run: (target) => several(64, () => slowBody(target)),
  },
  searches: {
    title: "`search_thoughts` over 40 MB, 64 at once",
    role: "observer",
    run: (target) => again(() => keepOpen(target, search, 64)),
  },
  histories: {
    title: "histories of 10,000 buckets, 200 at once",
    role: "observer",
    run: (target) => again(() => keepOpen(target, history, 200)),
  },
  "http-200": {
    title: "calls over HTTP, 200 connections",
    role: "observer",
    run: (target) => several(200, () => callOverHttp(target)),
  },
  pages: {
    title: "`get_recent_thoughts` of 960 kB, 64 at once",
    role: "observer",
    run: (target) => again(() => keepOpen(target, thoughts, 64)),
  },
  notes: {
    title: "`save_notes` append of 1 MB, 4 at once",
    role: "agent",
    run: (target) => several(4, () => wholeBody(target, note(1))),
  },
  keys: {
    title: "bodies of 3.4 MB with 300,000 keys, 4 at once",
    role: "agent",
    run: (target) => {
      const body = manyKeys(300_000);
      return several(4, () => wholeBody(target, body));
    },
  },
  "keys-allowed": {
    title: "bodies with as many keys as there may be, 4 at once",
    role: "agent",
    run: (target) => {
      const body = manyKeys(4_900);
      return several(4, () => wholeBody(target, body));
    },
  },
  pipelined: {
    title: "200 requests at once without a token, then gone, 16 connections",
    role: "observer",
    run: (target) => several(16, () => pipelined(target)),
  },
  sockets: {
    title: "1,000 silent connections without a token",
    role: "observer",
    run: (target) =>
      several(1000, async () => {
        await once(await silent(target), "close");
      }),
  },
  connects: {
    title: "new connections, as fast as they come",
    role: "observer",
    run: (target) => several(64, async () => (await silent(target)).destroy()),
  },
};

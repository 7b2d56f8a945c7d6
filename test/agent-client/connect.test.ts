import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { WebSocketServer } from "ws";
import { SystemClock } from "../../agent-client/clock.js";
import type { LinkError } from "../../agent-client/errors.js";
import { connect, type Progress, type Runtime } from "../../agent-client/link/runtime.js";
import { FixtureServer, onTheWire, TOKEN } from "./fixture-server.js";
import { fail, ok } from "./scripted-runtime.js";

interface Given {
  readonly url: string;
  readonly token?: string;
  readonly patience?: { toConnect: number; toReconnect: number };
  readonly waits?: LinkError[];
  readonly signal?: AbortSignal;
}

async function open(
  t: Test,
  { url, token = TOKEN, patience = { toConnect: 0, toReconnect: 5000 }, waits = [], signal }: Given,
): Promise<Runtime> {
  const runtime = await connect({
    url,
    token,
    patience,
    signal: signal ?? new AbortController().signal,
    clock: new SystemClock(),
    random: () => 0.9,
    onWait: (error) => waits.push(error),
  });
  t.teardown(() => runtime.close());
  return runtime;
}

async function serve(t: Test, script = {}): Promise<{ server: FixtureServer; url: string }> {
  const server = new FixtureServer(script);
  const url = await server.listen();
  t.teardown(() => server.close());
  return { server, url };
}

t.test(
  "tools come with schema and whether they only read; results as values, refusals as data",
  async (t) => {
    const { url } = await serve(t, {
      answers: {
        turn_on_light: () => fail("LIGHT_COOLDOWN", { retry_after_s: 700, details: { minutes: 12 } }),
      },
    });
    const runtime = await open(t, { url });
    const tools = await runtime.tools();
    t.match(
      tools.find(({ name }) => name === "read_moisture"),
      { description: "read_moisture", inputSchema: { type: "object" }, readOnly: true },
    );
    t.match(
      tools.find(({ name }) => name === "dispense_water"),
      { readOnly: false },
    );
    t.strictSame(
      await runtime.call("get_water_usage_24h", {}),
      ok({ used_ml: 40, remaining_ml: 460, events: 2 }),
    );
    t.strictSame(
      await runtime.call("turn_on_light", { minutes: 30 }),
      fail("LIGHT_COOLDOWN", { retry_after_s: 700, details: { minutes: 12 } }),
    );
    t.equal(await runtime.instructions(), "Be kind.");
  },
);

t.test(
  "a result that comes as text alone is read as well, and an error without our form keeps its words",
  async (t) => {
    const { server, url } = await serve(t);
    const runtime = await open(t, { url });
    server.handler = ({ name }) => ({
      isError: name === "b",
      content: [{ type: "text", text: name === "a" ? '{"used_ml":1}' : "out of paper" }],
    });
    t.strictSame(await runtime.call("a", {}), ok({ used_ml: 1 }));
    t.match(await runtime.call("b", {}), { ok: false, error: { code: "PROTOCOL", message: "out of paper" } });
  },
);

t.test("an idempotency key travels in _meta, and only where it was given", async (t) => {
  const { server, url } = await serve(t);
  const runtime = await open(t, { url });
  await runtime.call("dispense_water", { ml: 20 }, { idempotencyKey: "k1" });
  await runtime.call("read_moisture", {});
  t.strictSame(
    server.calls.map(({ key }) => key),
    ["k1", undefined],
  );
});

t.test("progress arrives, also the last note, in the order it was sent", async (t) => {
  const { server, url } = await serve(t);
  const runtime = await open(t, { url });
  server.handler = async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? "";
    for (const progress of [5, 10, 20]) {
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 20, message: "watering" },
      });
    }
    return onTheWire(ok({ dispensed: 20 }));
  };
  const notes: Progress[] = [];
  await runtime.call(
    "dispense_water",
    { ml: 20 },
    { idempotencyKey: "k", onProgress: (note) => notes.push(note) },
  );
  t.strictSame(
    notes.map(({ done }) => done),
    [5, 10, 20],
  );
  t.match(notes[0], { total: 20 });
});

t.test("aborting a call cancels it at the runtime", async (t) => {
  const { server, url } = await serve(t);
  const runtime = await open(t, { url });
  const stop = new AbortController();
  const cancelled = new Promise<void>((resolve) => {
    server.handler = (_, { mcpReq }) => {
      mcpReq.signal.addEventListener("abort", () => resolve());
      stop.abort(new Error("enough"));
      return new Promise(() => undefined);
    };
  });
  await t.rejects(runtime.call("dispense_water", { ml: 20 }, { idempotencyKey: "k", signal: stop.signal }), {
    message: "enough",
  });
  await cancelled;
});

t.test(
  "a link that breaks in a dose is opened anew, and the dose asked for again under the same key",
  async (t) => {
    const { server, url } = await serve(t);
    const runtime = await open(t, { url });
    server.handler = (call, _, socket) => {
      if (server.calls.length > 1) return server.fromScript(call);
      socket.terminate();
      return new Promise(() => undefined);
    };
    t.match(await runtime.call("dispense_water", { ml: 20 }, { idempotencyKey: "k7" }), {
      ok: true,
      value: { dispensed: 20 },
    });
    t.strictSame(
      server.calls.map(({ name, key }) => `${name} ${String(key)}`),
      ["dispense_water k7", "dispense_water k7"],
    );
    t.equal(server.connections, 2);
  },
);

t.test("an acting call without a key is never repeated", async (t) => {
  const { server, url } = await serve(t);
  const runtime = await open(t, { url });
  server.handler = (_, __, socket) => {
    socket.terminate();
    return new Promise(() => undefined);
  };
  t.match(await runtime.call("dispense_water", { ml: 20 }), { ok: false, error: { code: "LINK_BROKEN" } });
  t.equal(server.calls.length, 1);
});

t.test("a call that breaks every link is given up after three, and the next call works", async (t) => {
  const { server, url } = await serve(t);
  const runtime = await open(t, { url });
  const note = { content: "x".repeat(100_000) };
  t.match(await runtime.call("save_notes", note, { idempotencyKey: "k" }), {
    ok: false,
    error: { code: "LINK_BROKEN" },
  });
  t.equal(server.connections, 3, "the frame was too large each time");
  t.match(await runtime.call("read_moisture", {}), { ok: true });
});

t.test("a runtime that restarts is waited for, with a word on why", async (t) => {
  const first = new FixtureServer();
  const url = await first.listen();
  const waits: LinkError[] = [];
  const runtime = await open(t, { url, waits });
  await runtime.tools();
  const { port } = first;
  await first.close();
  const answer = runtime.call("read_moisture", {});
  const second = new FixtureServer();
  await new SystemClock().sleep(150);
  await second.listen(port);
  t.teardown(() => second.close());
  t.match(await answer, { ok: true });
  t.ok(waits.length >= 1);
  t.match(waits[0], { code: "REFUSED" });
});

t.test(
  "what keeps a runtime away is told once, however often it is tried, and again only when it is waited for anew",
  async (t) => {
    const waits: LinkError[] = [];
    const server = new FixtureServer();
    const url = await server.listen();
    const runtime = await open(t, { url, waits, patience: { toConnect: 0, toReconnect: 400 } });
    await runtime.tools();
    await server.close();
    for (const breaks of [1, 2]) {
      await t.rejects(runtime.call("read_moisture", {}), { code: "REFUSED" });
      t.equal(waits.length, breaks);
    }
  },
);

t.test("a runtime that stays away ends the wait with an error", async (t) => {
  const server = new FixtureServer();
  const runtime = await open(t, { url: await server.listen(), patience: { toConnect: 0, toReconnect: 50 } });
  await runtime.tools();
  await server.close();
  await t.rejects(runtime.call("read_moisture", {}), { name: "LinkError", code: "REFUSED" });
});

t.test("a stop ends the wait at once", async (t) => {
  const server = new FixtureServer();
  const url = await server.listen();
  await server.close();
  const stop = new AbortController();
  const opening = connect({
    url,
    token: TOKEN,
    signal: stop.signal,
    clock: new SystemClock(),
    random: Math.random,
    patience: { toConnect: Number.POSITIVE_INFINITY, toReconnect: 0 },
    onWait: () => stop.abort(),
  });
  await t.rejects(opening, { name: "AbortError" });
});

t.test("each way not to get through says what happened and what to do", async (t) => {
  const { url } = await serve(t);
  const plain = createServer((_, response) => response.writeHead(200).end("hello"));
  const plainPort = await listening(plain);
  const other = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => false });
  await new Promise((resolve) => other.once("listening", resolve));
  t.teardown(() => plain.close());
  t.teardown(() => other.close());
  const closed = new FixtureServer();
  const nobody = await closed.listen();
  await closed.close();

  const table: [Given, string, RegExp][] = [
    [
      { url: nobody },
      "REFUSED",
      /refused the connection: if it does not come back by itself, start it with `tendril serve`/,
    ],
    [{ url, token: "wrong" }, "UNAUTHORIZED", /answered 401 Unauthorized: use the token from tokens\/agent/],
    [{ url: url.replace("/mcp", "/") }, "NOT_FOUND", /answered 404 Not Found: correct the path in --url/],
    [{ url: `ws://127.0.0.1:${plainPort}/mcp` }, "NOT_MCP", /does not speak MCP/],
    [{ url: `ws://127.0.0.1:${(other.address() as AddressInfo).port}/mcp` }, "NOT_MCP", /does not speak MCP/],
    [
      { url: url.replace("ws:", "http:") },
      "URL_INVALID",
      /give a WebSocket address such as ws:\/\/127\.0\.0\.1:8731\/mcp/,
    ],
    [{ url: "nonsense" }, "URL_INVALID", /"nonsense" is not an address/],
    [{ url: "ws://tendril.invalid:1/mcp" }, "UNREACHABLE", /check the network, and the host/],
  ];
  for (const [given, code, message] of table)
    await t.rejects(open(t, given), { name: "LinkError", code, message });
});

t.test("a 2025-era server is spoken to in its own way", async (t) => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  t.teardown(() => server.close());
  server.on("connection", (socket) => {
    socket.on("message", (data) => {
      const { id, method } = JSON.parse(String(data));
      if (id !== undefined) socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...oldAnswer(method) }));
    });
  });
  const runtime = await open(t, { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` });
  t.match(await runtime.tools(), [{ name: "read_moisture" }]);
});

function oldAnswer(method: string): object {
  const info = {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "old", version: "1" },
  };
  if (method === "initialize") return { result: info };
  if (method === "tools/list")
    return { result: { tools: [{ name: "read_moisture", inputSchema: { type: "object" } }] } };
  return { error: { code: -32601, message: "Method not found" } };
}

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

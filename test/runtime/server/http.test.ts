import { connect } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { millis } from "../../../drivers/units.js";
import { startServer } from "../../../runtime/server/server.js";
import { PHOTO } from "./fixture-host.js";
import { ask, callMcp, codeOf, READ } from "./fixture-http.js";
import { bearer, refusedUpgrade, sdkClient, serverRig } from "./fixture-rig.js";

const real = new SystemClock();

t.test("health is open to all, and says what the host says", async (t) => {
  const answer = await ask(await serverRig(t), "GET", "/healthz");
  t.same(JSON.parse(answer.body), { status: "ok", version: "0.1.0" });
});

t.test("a photo is served by its signed link alone", async (t) => {
  const rig = await serverRig(t);
  const response = await fetch(`${rig.base}/photos/one.jpg?sig=good`);
  t.equal(response.headers.get("content-type"), "image/jpeg");
  t.same(new Uint8Array(await response.arrayBuffer()), PHOTO.bytes);
  for (const path of [
    "/photos/one.jpg",
    "/photos/one.jpg?sig=bad",
    "/photos/../photos/two.jpg",
    "/photos/%2fetc",
  ]) {
    const answer = await ask(rig, "GET", path, bearer(rig.token));
    t.equal(answer.status, 404, path);
    t.equal(codeOf(answer), "NOT_FOUND");
  }
});

t.test("what is not there is a 404 in JSON, for requests and for upgrades", async (t) => {
  const rig = await serverRig(t);
  for (const [method, path] of [
    ["GET", "/index.html"],
    ["POST", "/healthz/x"],
    ["GET", "/mcp/x"],
    ["GET", "/photos"],
    ["GET", "/photos/%2e%2e/x"],
  ] as const) {
    const answer = await ask(rig, method, path);
    t.equal(answer.status, 404, `${method} ${path}`);
    t.equal(codeOf(answer), "NO_ROUTE");
  }
  t.equal((await ask(rig, "OPTIONS", "*")).status, 400);
  t.equal((await ask(rig, "GET", "//evil.example/mcp")).status, 400);
  t.match(await refusedUpgrade(rig, { headers: bearer(rig.token) }, "/other"), {
    status: 404,
    body: { error: { code: "NO_ROUTE" } },
  });
});

t.test("the answer to an unknown route names every route there is, those of modules too", async (t) => {
  const rig = await serverRig(t);
  const { body } = await ask(rig, "GET", "/nowhere");
  const named = [...body.matchAll(/(?<= )\/[\w/]*…?/g)].map(([path]) => path);
  t.same(named, [
    "/nowhere",
    "/off",
    "/mcp",
    "/pair",
    "/pairing",
    "/pairing",
    "/pairing",
    "/sessions",
    "/sessions",
    "/sessions/…",
    "/session",
    "/session",
    "/session",
    "/session/all",
    "/session/all/…",
    "/backups",
    "/backups",
    "/backups/…",
    "/tokens",
    "/tokens/…",
    "/doctor",
    "/media",
    "/",
    "/web/…",
    "/healthz",
    "/proof",
    "/photos/…",
  ]);
});

t.test("a known path with another method is a 405 that says which methods it takes", async (t) => {
  const rig = await serverRig(t);
  for (const [method, path, allow] of [
    ["GET", "/off", "POST"],
    ["POST", "/healthz", "GET, HEAD"],
    ["DELETE", "/photos/one.jpg", "GET, HEAD"],
    ["OPTIONS", "/mcp", "GET, HEAD, POST, DELETE"],
    ["PUT", "/pairing", "POST, GET, HEAD, DELETE"],
  ] as const) {
    const answer = await ask(rig, method, path, bearer(rig.token));
    t.match(answer, { status: 405, headers: { allow } }, `${method} ${path}`);
    t.equal(codeOf(answer), "METHOD_NOT_ALLOWED");
  }
  t.same(rig.host.offs, []);
});

t.test("HEAD answers as GET does, without the body", async (t) => {
  const rig = await serverRig(t);
  for (const path of ["/healthz", "/", "/photos/one.jpg?sig=good"]) {
    const [head, get] = [await ask(rig, "HEAD", path), await ask(rig, "GET", path)];
    t.match(head, { status: 200, body: "", headers: { "content-length": get.headers["content-length"] } });
  }
});

t.test("every answer tells a browser to trust nothing from elsewhere", async (t) => {
  const rig = await serverRig(t);
  const answers = [
    await ask(rig, "GET", "/"),
    await ask(rig, "GET", "/nowhere"),
    await ask(rig, "POST", "/off"),
    await ask(rig, "OPTIONS", "*"),
    await ask(rig, "GET", "/photos/one.jpg?sig=good"),
    await callMcp(rig, {}),
    await callMcp(rig, bearer(rig.token)),
  ];
  for (const { headers } of answers)
    t.match(headers, {
      "content-security-policy": /^default-src 'none'; .*frame-ancestors 'none'$/,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "permissions-policy": /camera=\(\)/,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
});

t.test("an upgrade to something else, or a broken handshake, is a 400 in JSON", async (t) => {
  const rig = await serverRig(t);
  const upgrade = { ...bearer(rig.token), Connection: "Upgrade" };
  const h2c = await ask(rig, "GET", "/mcp", { ...upgrade, Upgrade: "h2c" });
  t.match(h2c, { status: 400, body: /h2c.*INVALID_ARGUMENT/ });
  const keyless = await ask(rig, "GET", "/mcp", { ...upgrade, Upgrade: "websocket" });
  t.match(keyless, { status: 400, body: /handshake failed.*INVALID_ARGUMENT/ });
});

t.test("a note too large for a frame passes over HTTP", async (t) => {
  const rig = await serverRig(t);
  const client = await sdkClient(t, rig, "http", "2026-07-28");
  await client.callTool({ name: "write_plant_status", arguments: { note: "n".repeat(3 * 1024 * 1024) } });
  const [call] = rig.host.calls;
  t.equal((call?.arguments as { note: string } | undefined)?.note.length, 3 * 1024 * 1024);
});

t.test("a body beyond its limit is a 413, announced or not", async (t) => {
  const rig = await serverRig(t, { limits: { maxBodyBytes: 1000 } });
  const large = JSON.stringify({ ...READ, params: { name: "x".repeat(1000) } });
  for (const headers of [{ "Content-Length": String(large.length) }, { "Transfer-Encoding": "chunked" }]) {
    const answer = await callMcp(rig, { ...bearer(rig.token), ...headers }, large);
    t.equal(answer.status, 413);
    t.equal(codeOf(answer), "REQUEST_TOO_LARGE");
  }
  t.match(await callMcp(rig, bearer(rig.token)), { status: 200 });
});

t.test("bodies that are no JSON, or nested deep, are answered as JSON-RPC has it", async (t) => {
  const rig = await serverRig(t);
  t.match(await callMcp(rig, bearer(rig.token), "{nonsense"), { status: 400, body: /"code":-32700/ });
  t.match(await callMcp(rig, bearer(rig.token), ""), { status: 400, body: /"code":-32700/ });
  t.match(await callMcp(rig, bearer(rig.token), "[".repeat(100_000)), { status: 400, body: /"code":-32600/ });
  t.match(await callMcp(rig, bearer(rig.token)), { status: 200 });
});

t.test("more HTTP calls at once than allowed are refused with 503", async (t) => {
  const rig = await serverRig(t, { limits: { maxConnections: 1 } });
  const dose = JSON.stringify({ ...READ, params: { name: "dispense_water", arguments: { ml: 20 } } });
  const called = rig.host.called();
  const running = callMcp(rig, bearer(rig.token), dose);
  await called;
  const refused = await callMcp(rig, bearer(rig.token));
  t.match(refused, { status: 503, headers: { "retry-after": "1" } });
  t.equal(codeOf(refused), "RATE_LIMITED");
  rig.host.finishDoses();
  t.match(await running, { status: 200 });
  t.match(await callMcp(rig, bearer(rig.token)), { status: 200 });
});

t.test("a client that does not finish its request is cut off with a 408", async (t) => {
  const rig = await serverRig(t, { limits: { headersTimeout: millis(100), requestTimeout: millis(100) } });
  const slow = connect(rig.server.port, "127.0.0.1");
  slow.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
  t.match(await text(slow), /^HTTP\/1\.1 408 .*REQUEST_TIMEOUT.*too long to arrive/s);
});

// browsers open spare connections ahead, and take what comes on one as the answer to the next request
t.test("a connection on which nothing came is closed without an answer", async (t) => {
  const rig = await serverRig(t, { limits: { headersTimeout: millis(100), requestTimeout: millis(100) } });
  t.equal(await text(connect(rig.server.port, "127.0.0.1")), "");
});

t.test("a connection may rest between two requests for longer than the usual clients keep it", async (t) => {
  const { http } = await serverRig(t);
  const { headers } = await fetch(http.replace("/mcp", "/healthz"));
  t.equal(headers.get("keep-alive"), "timeout=75");
});

t.test("two servers cannot share a port, and the second says so", async (t) => {
  const rig = await serverRig(t);
  const { host, tokens, server } = rig;
  const again = startServer({
    host,
    tokens,
    clock: real,
    listen: { port: server.port },
    log: () => undefined,
  });
  await t.rejects(again, {
    code: "LISTEN_FAILED",
    message:
      /127\.0\.0\.1 port \d+ \(--port, else server\.port of the configuration\): something else listens there already: choose another/,
  });
  const nowhere = startServer({
    host,
    tokens,
    clock: real,
    listen: { host: "192.0.2.1", port: 0 },
    log: () => undefined,
  });
  await t.rejects(nowhere, { code: "LISTEN_FAILED", message: /192\.0\.2\.1.*EADDRNOTAVAIL/ });
});

t.test("closing ends what is still being answered over HTTP", async (t) => {
  const rig = await serverRig(t);
  const dose = JSON.stringify({ ...READ, params: { name: "dispense_water", arguments: { ml: 20 } } });
  const called = rig.host.called();
  const running = callMcp(rig, bearer(rig.token), dose);
  const ended = running.then(
    () => "answered",
    () => "cut off",
  );
  const signal = (await called).signal();
  await rig.server.close();
  t.equal(await ended, "cut off");
  t.equal(signal.aborted, false, "the call itself is the host's to end");
});

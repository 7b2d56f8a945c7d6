import { rmSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { seconds } from "../../../drivers/units.js";
import { ask, callMcp, codeOf, JSON_TYPE, READ } from "./fixture-http.js";
import { bearer, openSocket, refusedUpgrade, serverRig } from "./fixture-rig.js";

t.test("a call needs a token that the runtime made, in the Authorization header", async (t) => {
  const rig = await serverRig(t);
  const wrong = rig.token.replace(/^./, (first) => (first === "A" ? "B" : "A"));
  for (const headers of [
    {},
    bearer(wrong),
    bearer(""),
    { Authorization: rig.token },
    { Authorization: `Basic ${rig.token}` },
  ]) {
    const answer = await callMcp(rig, headers);
    t.match(answer, { status: 401, headers: { "www-authenticate": "Bearer" } });
    t.equal(codeOf(answer), "UNAUTHORIZED");
    t.match(await refusedUpgrade(rig, { headers }), {
      status: 401,
      body: { error: { code: "UNAUTHORIZED" } },
    });
  }
  t.match(await ask(rig, "POST", `/mcp?token=${rig.token}`, JSON_TYPE, JSON.stringify(READ)), {
    status: 401,
  });
  t.match(await refusedUpgrade(rig, {}, `/mcp?token=${rig.token}`), { status: 401 });
  t.match(await callMcp(rig, bearer(rig.token)), { status: 200, body: /0\.4321/ });
  t.notOk(
    rig.lines.some((line) => line.text.includes(rig.token) || line.text.includes(wrong)),
    "no token in the log",
  );
});

t.test("a foreign Host or Origin is refused before the token is looked at", async (t) => {
  const rig = await serverRig(t, { allowedHosts: ["garden.local"] });
  for (const foreign of [{ Host: "evil.example" }, { Origin: "https://evil.example" }, { Origin: "null" }]) {
    for (const token of [{}, bearer(rig.token)]) {
      const answer = await callMcp(rig, { ...token, ...foreign });
      t.equal(answer.status, 403);
      t.equal(codeOf(answer), "ORIGIN_REFUSED");
    }
    const refusal = await refusedUpgrade(rig, { headers: { ...bearer(rig.token), ...foreign } });
    t.match(refusal, { status: 403, body: { error: { code: "ORIGIN_REFUSED" } } });
    t.match(await ask(rig, "GET", "/healthz", foreign), { status: 403 });
  }
  const known = { Host: "garden.local:8731", Origin: "http://garden.local:8731" };
  t.match(await callMcp(rig, { ...bearer(rig.token), ...known }), { status: 200 });
  const socket = await openSocket(rig, { headers: { ...bearer(rig.token), ...known } });
  socket.terminate();
});

t.test(
  "POST /off works without a token, whatever Host and Origin say, and when all places are taken",
  async (t) => {
    const rig = await serverRig(t, { limits: { maxConnections: 0 } });
    t.match(await ask(rig, "POST", "/off"), { status: 200, body: '{"off":true}' });
    t.match(await ask(rig, "POST", "/off", { Host: "evil", Origin: "https://evil.example" }), {
      status: 200,
    });
    t.equal(rig.host.offs.length, 2);
    t.equal(codeOf(await ask(rig, "GET", "/off")), "METHOD_NOT_ALLOWED");
    t.equal(rig.host.offs.length, 2);
  },
);

t.test("a proxy on this machine, and what it says of its caller, lets nobody in", async (t) => {
  const rig = await serverRig(t);
  const claims = {
    "X-Forwarded-For": "127.0.0.1",
    "X-Real-IP": "::1",
    Forwarded: "for=127.0.0.1;host=localhost",
  };
  for (const headers of [
    {},
    claims,
    { ...claims, "X-Forwarded-Host": "localhost", Host: "garden.example" },
  ]) {
    for (const [method, path] of [
      ["POST", "/mcp"],
      ["POST", "/sessions"],
      ["POST", "/pairing"],
      ["GET", "/session/all"],
      ["GET", "/tokens"],
      ["POST", "/backups"],
      ["POST", "/media?name=a.txt"],
    ] as const) {
      const { status } = await ask(rig, method, path, headers);
      t.ok(status === 401 || status === 403, `${method} ${path}: ${status}`);
    }
  }
  t.same(rig.host.calls, []);
});

t.test("POST /off works without any Host; everything else needs one", async (t) => {
  const rig = await serverRig(t);
  const answerTo = async (head: string) => {
    const socket = connect(rig.server.port, "127.0.0.1");
    socket.end(`${head} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    return text(socket);
  };
  t.match(await answerTo("POST /off"), /^HTTP\/1.1 200 .*\{"off":true\}/s);
  t.equal(rig.host.offs.length, 1);
  t.match(await answerTo("GET /healthz"), /^HTTP\/1.1 403 .*ORIGIN_REFUSED/s);
});

t.test("POST /off says so when switching off failed", async (t) => {
  const rig = await serverRig(t);
  rig.host.switchEverythingOff = () => Promise.reject(new Error("relay board is gone"));
  const answer = await ask(rig, "POST", "/off");
  t.equal(answer.status, 500);
  t.equal(codeOf(answer), "INTERNAL");
  t.ok(rig.lines.some(({ level, text }) => level === "error" && text.includes("relay board is gone")));
});

t.test("an answer that is still on its way over HTTP ends when its token is revoked", async (t) => {
  const rig = await serverRig(t);
  const dose = { ...READ, params: { name: "dispense_water", arguments: { ml: 20 } } };
  const called = rig.host.called();
  const running = callMcp(rig, bearer(rig.token), JSON.stringify(dose));
  const ended = t.rejects(running, { code: "ECONNRESET" });
  const signal = (await called).signal();
  rmSync(`${rig.folder}/tokens/agent`);
  await rig.clock.advance(seconds(15));
  await ended;
  t.equal(signal.aborted, false, "the dose is not the connection's");
});

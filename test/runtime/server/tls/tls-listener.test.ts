import { once } from "node:events";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { SimulatedClock } from "../../../../drivers/clock/simulated-clock.js";
import { millis, seconds } from "../../../../drivers/units.js";
import type { Handlers } from "../../../../runtime/server/http-server.js";
import { DEFAULT_LIMITS } from "../../../../runtime/server/limits.js";
import { TlsListener } from "../../../../runtime/server/tls/tls-listener.js";
import type { TlsTrouble } from "../../../../runtime/wire/tls-trouble.js";
import { newKey } from "../../../certificates.js";
import { ask, callMcp, JSON_TYPE, READ } from "../fixture-http.js";
import { bearer, closeOf, nextMessage } from "../fixture-rig.js";
import {
  askTls,
  CA,
  gone,
  look,
  materialOf,
  OwnersFiles,
  openSecurely,
  shake,
  silent,
  tlsRig,
} from "./fixture-tls.js";

t.test(
  "the TLS port serves what the plain one does: calls, photos, WebSockets, and off for this machine",
  async (t) => {
    const rig = await tlsRig(t);
    const port = rig.portNow();
    const call = { ...JSON_TYPE, ...bearer(rig.token) };
    t.match(await askTls(port, "POST", "/mcp", call, JSON.stringify(READ)), { status: 200, body: /0\.4321/ });
    t.match(await askTls(port, "POST", "/mcp", JSON_TYPE, JSON.stringify(READ)), { status: 401 });
    t.match(await askTls(port, "GET", "/photos/one.jpg?sig=good"), { status: 200 });
    t.match(await askTls(port, "GET", "/healthz", { Host: "evil.example" }), { status: 403 });
    t.match(await askTls(port, "POST", "/off"), { status: 200 });
    const socket = await openSecurely(rig);
    const answer = nextMessage(socket);
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" }));
    t.match(await answer, { id: 7 });
    t.equal(rig.server.connections(), 1, "counted with those of the plain port");
  },
);

t.test(
  "a connection on which nothing came is closed without an answer, with a part of a request it is a 408",
  async (t) => {
    const limits = { headersTimeout: millis(100), requestTimeout: millis(100) };
    const rig = await tlsRig(t, undefined, { limits });
    const [idle, slow] = [await shake(rig.portNow()), await shake(rig.portNow())];
    slow.write("GET /healthz HTTP/1.1\r\n");
    t.equal(await text(idle), "");
    t.match(await text(slow), /^HTTP\/1\.1 408 /);
  },
);

t.test("nothing older than TLS 1.3 is spoken", async (t) => {
  const rig = await tlsRig(t);
  await t.rejects(shake(rig.portNow(), { maxVersion: "TLSv1.2" }), { code: /SSL|ALERT/ });
  t.equal((await shake(rig.portNow())).getProtocol(), "TLSv1.3");
});

t.test(
  "a runtime whose certificate cannot be used starts, and its plain port serves; mended, TLS comes up",
  async (t) => {
    const files = new OwnersFiles();
    const right = files.now;
    files.now = new Error("/etc/tendril/cert.pem cannot be read (ENOENT)");
    const rig = await tlsRig(t, files);
    t.equal(rig.server.tls(), undefined);
    t.match(rig.troubles, [/^TLS is not served: \/etc\/tendril\/cert\.pem cannot be read/]);
    t.match(await ask(rig, "POST", "/off"), { status: 200 });
    t.match(await callMcp(rig, bearer(rig.token)), { status: 200 });
    await look(rig);
    t.equal(rig.troubles.length, 1, "each trouble is told once");
    files.now = right;
    await look(rig);
    t.match(await askTls(rig.portNow(), "GET", "/healthz"), { status: 200 });
    t.ok(rig.lines.some(({ message }) => message === "TLS is well again"));
  },
);

t.test("a name that nobody resolves, or files that cannot be had in time, hold up no start", async (t) => {
  const clock = new SimulatedClock();
  const material = () => new Promise<never>(() => undefined);
  const options = {
    host: "127.0.0.1",
    port: 0,
    material,
    onTrouble: ({ problem }: TlsTrouble) => t.fail(problem.is),
  };
  const lines: string[] = [];
  const log = (_: string, line: string) => void lines.push(line);
  const listener = new TlsListener(options, {} as Handlers, DEFAULT_LIMITS, clock, log);
  let begun = false;
  void listener.begin().then(() => {
    begun = true;
  });
  await clock.advance(seconds(2));
  t.ok(begun);
  t.match(lines, [/^TLS is not up yet/]);
  t.equal(listener.address, undefined);
  await listener.close(Promise.resolve());
});

t.test("a port that something else has does not keep the runtime from starting either", async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port: tlsPort } = other.address() as { port: number };
  const rig = await tlsRig(t, new OwnersFiles(), { tlsPort });
  t.match(rig.troubles, [
    /TLS is not served: .*\(server\.tls\.port of the configuration\): something else listens there already/,
  ]);
  t.match(await ask(rig, "POST", "/off"), { status: 200 });
  other.close();
  await once(other, "close");
  await look(rig);
  t.match(await askTls(tlsPort, "GET", "/healthz"), { status: 200 });
});

t.test("a renewed certificate serves who comes from then on, and who is connected stays", async (t) => {
  const rig = await tlsRig(t);
  const port = rig.portNow();
  const before = (await shake(port)).getPeerX509Certificate()?.serialNumber;
  const socket = await openSecurely(rig);
  const renewed = materialOf();
  rig.files.now = renewed;
  await look(rig);
  t.equal((await shake(port)).getPeerX509Certificate()?.serialNumber, renewed.leaf.serialNumber);
  t.not(before, renewed.leaf.serialNumber);
  const answer = nextMessage(socket);
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 8, method: "ping" }));
  t.match(await answer, { id: 8 });
  t.same(rig.troubles, []);
});

t.test(
  "in the midst of a renewal the earlier certificate serves, and nobody is alarmed before the next look",
  async (t) => {
    const rig = await tlsRig(t);
    rig.files.now = new Error("key.pem is not the key of the first certificate in cert.pem");
    await look(rig);
    t.same(rig.troubles, []);
    t.match(await askTls(rig.portNow(), "GET", "/healthz"), { status: 200 });
    await look(rig);
    t.match(rig.troubles, [/^the earlier certificate still serves: key\.pem is not the key/]);
    t.match(await askTls(rig.portNow(), "GET", "/healthz"), { status: 200 });
  },
);

t.test("an owner's certificate that has expired is told of, and served to who knows its key", async (t) => {
  const rig = await tlsRig(t, new OwnersFiles({ until: "2026-05-01T00:00:00Z" }));
  t.match(rig.troubles, [/certificate expired on 2026-05-01/]);
  await t.rejects(shake(rig.portNow()), { code: "CERT_HAS_EXPIRED" });
  t.match(await askTls(rig.portNow(), "GET", "/healthz"), { status: 200 });
});

t.test("an end that comes near while it runs is told once, two weeks before", async (t) => {
  const rig = await tlsRig(t, new OwnersFiles({ until: "2026-06-15T08:00:30Z" }));
  t.same(rig.troubles, []);
  for (let looks = 0; looks < 4; looks += 1) await look(rig);
  t.match(rig.troubles, [/^the certificate expires on 2026-06-15/]);
});

t.test("garbage in place of a handshake closes that connection, and no other", async (t) => {
  const rig = await tlsRig(t);
  const socket = await openSecurely(rig);
  for (const garbage of ["GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\xff\xff", "\0".repeat(70_000)]) {
    const raw = await silent(rig.portNow());
    raw.end(garbage, "latin1");
    await gone(raw);
  }
  const answer = nextMessage(socket);
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 9, method: "ping" }));
  t.match(await answer, { id: 9 });
  t.notOk(
    rig.lines.some(({ level }) => level === "warn" || level === "error"),
    "and fills no log",
  );
});

t.test("who does not come to the end of a handshake is cut off", async (t) => {
  const rig = await tlsRig(t, new OwnersFiles(), { limits: { handshakeTimeout: seconds(0.1) } });
  const slow = await silent(rig.portNow());
  slow.write(Buffer.from("1603010200", "hex")); // a record's head, and nothing behind it
  await gone(slow);
});

t.test("one address cannot take all sockets, and the plain port stays free however many come", async (t) => {
  const rig = await tlsRig(t, new OwnersFiles(), { limits: { maxConnections: 2 } });
  const held = await Promise.all(Array.from({ length: 4 }, () => silent(rig.portNow())));
  const fifth = await silent(rig.portNow());
  await gone(fifth);
  t.match(await ask(rig, "POST", "/off"), { status: 200 });
  for (const socket of held) socket.destroy();
  while (!(await answers(rig.portNow()))) await new Promise((resolve) => setImmediate(resolve));
});

const answers = (port: number) =>
  askTls(port, "GET", "/healthz").then(
    () => true,
    () => false,
  );

t.test("stopping says goodbye over TLS too, and does not wait for who is still shaking hands", async (t) => {
  const rig = await tlsRig(t);
  const port = rig.portNow();
  const [socket, slow] = [await openSecurely(rig), await silent(port)];
  const [goodbye, cut] = [closeOf(socket), gone(slow)];
  await rig.server.close();
  t.match(await goodbye, { code: 1001 });
  await cut;
  await t.rejects(shake(port), { code: "ECONNREFUSED" });
});

t.test("another key in the same files is what is served, since the owner put it there", async (t) => {
  const rig = await tlsRig(t);
  const { pin } = rig.server.tls() ?? {};
  rig.files.now = materialOf({ key: newKey() });
  await look(rig);
  t.not(rig.server.tls()?.pin, pin);
  t.ok((await shake(rig.portNow(), { ca: CA })).authorized);
});

t.test(
  "handshakes by the hundred are refused before they cost anything, until time has passed",
  async (t) => {
    const rig = await tlsRig(t);
    const port = rig.portNow();
    const shaken = async (count: number) => {
      let done = 0;
      for (let tries = 0; tries < count; tries += 1) {
        const socket = await shake(port).catch(() => undefined);
        if (!socket) continue;
        done += 1;
        socket.destroy();
      }
      return done;
    };
    t.equal(await shaken(120), 100);
    t.match(await ask(rig, "POST", "/off"), { status: 200 }, "the plain port has no such limit");
    await rig.clock.advance(seconds(1));
    t.equal(await shaken(30), 25);
  },
);

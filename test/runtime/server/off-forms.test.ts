import { connect } from "node:net";
import { text } from "node:stream/consumers";
import t from "tap";
import { type Rig, serverRig } from "./fixture-rig.js";

const HOST = "Host: localhost\r\n";
const cookie = (bytes: number) => `Cookie: a=${"x".repeat(bytes)}\r\n`;

/** What is answered to bytes as they are. The connection stays open until the answer has begun, as long as the test says. */
async function raw(rig: Rig, bytes: string, isWhole = true): Promise<string> {
  const socket = connect(rig.server.port, "127.0.0.1");
  socket.write(bytes);
  const answered = text(socket);
  if (!isWhole) await new Promise((resolve) => socket.once("readable", resolve));
  if (!isWhole) socket.end();
  return answered;
}

const CLOSE = "Connection: close\r\n";
/** Requests that switch off, though Node or we refused them, or waited for their rest. */
const FORMS = {
  "a cookie of 100 kB": `POST /off HTTP/1.1\r\n${HOST}${CLOSE}${cookie(100_000)}\r\n`,
  "fifty cookies of 4 kB": `POST /off HTTP/1.1\r\n${HOST}${CLOSE}${cookie(4096).repeat(50)}\r\n`,
  "an expectation": `POST /off HTTP/1.1\r\n${HOST}${CLOSE}Expect: foo\r\n\r\n`,
  "an upgrade": `POST /off HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  "an upgrade with a body": `POST /off HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\n{}`,
  "a whole address": `POST http://localhost:1/off HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
  "a whole address with a slash and a query": `POST HTTP://localhost/off/?now HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
  "a slash at the end": `POST /off/ HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
  "a slash too many": `POST //off// HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
  "no Host": `POST /off HTTP/1.1\r\n${CLOSE}\r\n`,
};
for (const [what, bytes] of Object.entries(FORMS))
  t.test(`POST /off with ${what} switches off`, async (t) => {
    const rig = await serverRig(t);
    t.match(await raw(rig, bytes), /^HTTP\/1\.1 200 OK\r\n.*\{"off":true\}$/s);
    t.equal(rig.host.offs.length, 1);
  });

t.test("POST /off acts on its headers: it waits for no body", async (t) => {
  const rig = await serverRig(t);
  for (const length of ["Content-Length: 10", "Content-Length: 99999999999", "Transfer-Encoding: chunked"])
    t.match(await raw(rig, `POST /off HTTP/1.1\r\n${HOST}${length}\r\n\r\n`, false), /^HTTP\/1\.1 200 OK/);
  t.equal(rig.host.offs.length, 3);
});

t.test("the page opens with 100 kB of other services' cookies", async (t) => {
  const rig = await serverRig(t);
  t.match(await raw(rig, `GET / HTTP/1.1\r\n${HOST}${CLOSE}${cookie(100_000)}\r\n`), /^HTTP\/1\.1 200 OK/);
});

t.test("nothing but POST switches off, and other requests get no further by these forms", async (t) => {
  const rig = await serverRig(t);
  const statusOf = async (line: string, more = "") =>
    (await raw(rig, `${line} HTTP/1.1\r\n${HOST}${CLOSE}${more}\r\n`)).slice(9, 12);
  for (const method of ["GET", "HEAD", "PUT", "OPTIONS"])
    for (const target of ["/off", "/off/", "//off", "http://localhost/off"])
      t.equal(await statusOf(`${method} ${target}`), "405", `${method} ${target}`);
  t.equal(await statusOf("POST /office"), "404");
  t.equal(await statusOf("POST /off/x"), "404");
  t.equal(await statusOf("POST http://localhost/mcp"), "400");
  t.equal(await statusOf("POST /mcp", "Expect: foo\r\n"), "417");
  t.equal(await statusOf("GET /", cookie(300_000)), "400");
  t.same(rig.host.offs, []);
});

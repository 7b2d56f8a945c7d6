import { request } from "node:http";
import { connect } from "node:net";
import t, { type Test } from "tap";
import { tokenOf } from "./fixture-host.js";
import { ask, codeOf, cookieOf, PAGE } from "./fixture-http.js";
import { bearer, type Rig, serverRig } from "./fixture-rig.js";

/** Uploads: who may, what a page of another origin can do, and what is cut, too large, or too much at once. */

const PATH = "/media?name=fern.jpg";

t.test(
  "a person uploads by page and by token; an observer, an agent and a stranger do not",
  async (t: Test) => {
    const rig = await serverRig(t);
    const own = await cookieOf(rig, "human");
    t.match(await ask(rig, "POST", PATH, own, "abc"), { status: 200, body: '{"count":1}' });
    t.match(await ask(rig, "POST", PATH, bearer(await tokenOf(rig.folder, "human")), "d"), { status: 200 });
    t.same(
      rig.host.files.map(({ name, bytes, by }) => [name, String(bytes), by.name]),
      [
        ["fern.jpg", "abc", "human"],
        ["fern.jpg", "d", "human"],
      ],
    );
    for (const headers of [await cookieOf(rig, "observer"), bearer(await tokenOf(rig.folder, "agent"))])
      t.equal(codeOf(await ask(rig, "POST", PATH, headers, "abc")), "FORBIDDEN");
    t.equal(codeOf(await ask(rig, "POST", PATH, {}, "abc")), "UNAUTHORIZED");
    t.equal(rig.host.files.length, 2);
  },
);

t.test("a page of another origin, or without the page's header, uploads nothing", async (t) => {
  const rig = await serverRig(t);
  const { Cookie } = await cookieOf(rig, "human");
  for (const headers of [
    { Cookie, Origin: rig.base },
    { Cookie, Origin: "http://127.0.0.1:1", ...PAGE },
    { Cookie, ...PAGE },
    { Cookie, Origin: rig.base.replace("http:", "https:"), ...PAGE },
  ])
    t.equal(codeOf(await ask(rig, "POST", PATH, headers, "abc")), "PAGE_REFUSED");
  t.equal(
    codeOf(await ask(rig, "POST", PATH, { Cookie, Origin: "http://evil.test", ...PAGE })),
    "ORIGIN_REFUSED",
  );
  t.same(rig.host.files, []);
});

t.test("what is too large is refused, whether it says so or not", async (t) => {
  const rig = await serverRig(t);
  const own = await cookieOf(rig, "human");
  const most = await ask(rig, "POST", PATH, own, "x".repeat(1000));
  t.equal(most.status, 200);
  for (const more of [{}, { "Transfer-Encoding": "chunked" }])
    t.match(await ask(rig, "POST", PATH, { ...own, ...more }, "x".repeat(1001)), { status: 413 });
  t.equal(rig.host.files.length, 1);
});

/** Sends the head and a part of the body, and leaves. */
function cut(rig: Rig, headers: Record<string, string>, length: string): Promise<void> {
  const lines = Object.entries({ Host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`);
  const socket = connect(rig.server.port, "127.0.0.1");
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
    socket.write(`POST ${PATH} HTTP/1.1\r\n${lines.join("\r\n")}\r\n${length}\r\n\r\n`);
    socket.write(length.startsWith("T") ? "3\r\nabc\r\n" : "abc", () => socket.destroy());
  });
}

t.test("an upload that is cut in the middle is not handed on, and the next one works", async (t) => {
  const rig = await serverRig(t);
  const token = bearer(await tokenOf(rig.folder, "human"));
  for (const length of ["Content-Length: 10", "Transfer-Encoding: chunked"]) {
    await cut(rig, token, length);
    t.match(await ask(rig, "POST", PATH, token, "whole"), { status: 200 });
  }
  t.same(
    rig.host.files.map(({ bytes }) => String(bytes)),
    ["whole", "whole"],
  );
});

t.test("of three files at once one waits its turn, and is told so", async (t) => {
  const rig = await serverRig(t);
  const headers = bearer(await tokenOf(rig.folder, "human"));
  const slow = [1, 2].map(() => request({ port: rig.server.port, method: "POST", path: PATH, headers }));
  for (const each of slow) each.on("error", () => undefined).write("a");
  await t.resolves(untilFull(rig, headers));
  for (const each of slow) each.destroy();
});

/** Both heads have been read when the third is refused. */
async function untilFull(rig: Rig, headers: Record<string, string>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await ask(rig, "POST", PATH, headers, "b");
    if (answer.status !== 200 && codeOf(answer) === "RATE_LIMITED") return;
  }
  throw new Error("a third upload was never refused");
}

t.test("a file that is on its way when its token or session ends is not taken", async (t) => {
  const rig = await serverRig(t);
  const token = bearer((await rig.tokens.issue("human", "anna")).token);
  const page = await cookieOf(rig, "human");
  const slow = [token, page].map((headers) =>
    request({ host: "127.0.0.1", port: rig.server.port, method: "POST", path: PATH, headers }),
  );
  const cutOff = slow.map(
    (each) =>
      new Promise<boolean>((resolve) =>
        each.on("error", () => resolve(true)).on("response", () => resolve(false)),
      ),
  );
  for (const each of slow) each.write("a");
  const owner = bearer(await tokenOf(rig.folder, "human"));
  await untilFull(rig, owner);
  const { length } = rig.host.files;
  t.match(await ask(rig, "DELETE", "/tokens/human.anna", owner), { status: 200 });
  t.match(await ask(rig, "DELETE", "/session", page), { status: 200 });
  for (const each of slow) each.end("b");
  t.same(await Promise.all(cutOff), [true, true]);
  t.equal(rig.host.files.length, length);
});

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as realWait } from "node:timers/promises";
import t, { type Test } from "tap";
import { minutes, seconds } from "../../../drivers/units.js";
import { Sessions } from "../../../runtime/server/sessions.js";
import { TokenUses } from "../../../runtime/server/token-files.js";
import { tokenOf } from "./fixture-host.js";
import { ask, callMcp, codeOf, PAGE } from "./fixture-http.js";
import { bearer, closeOf, openSocket, type Rig, refusedUpgrade, serverRig } from "./fixture-rig.js";
import { askTls, ownKeyRig } from "./tls/fixture-tls.js";

const DAY = 24 * 60;

/** What the page of this runtime sends with each request. */
const own = (rig: Rig) => ({ Origin: rig.base, ...PAGE });

async function codeFor(rig: Rig, token = "human"): Promise<string> {
  const human = bearer(await tokenOf(rig.folder, "human"));
  const { body } = await ask(rig, "POST", "/sessions", human, JSON.stringify({ token }));
  return (JSON.parse(body) as { code: string }).code;
}

const exchange = (rig: Rig, code: string, headers: Record<string, string> = own(rig)) =>
  ask(rig, "POST", "/session", headers, JSON.stringify({ code }));

interface Browser {
  readonly id: string;
  /** What the browser sends: its cookie alone. */
  readonly cookie: { readonly Cookie: string };
  readonly setCookie: string;
}

async function browser(rig: Rig, token = "human"): Promise<Browser> {
  const { headers, body } = await exchange(rig, await codeFor(rig, token));
  const [setCookie = ""] = (headers["set-cookie"] as string[] | undefined) ?? [];
  const { id } = JSON.parse(body) as { id: string };
  return { id, cookie: { Cookie: setCookie.split(";")[0] ?? "" }, setCookie };
}

const socketOf = (rig: Rig, { cookie }: Browser, origin = rig.base) =>
  openSocket(rig, { headers: { ...cookie, Origin: origin } });

const listed = async (rig: Rig) => {
  const { body } = await ask(rig, "GET", "/sessions", bearer(await tokenOf(rig.folder, "human")));
  return (JSON.parse(body) as { sessions: { id: string; role: string; token: string }[] }).sessions;
};

const end = async (rig: Rig, id: string) =>
  ask(rig, "DELETE", `/sessions/${id}`, bearer(await tokenOf(rig.folder, "human")));

const isLetIn = async (rig: Rig, { cookie }: Browser) =>
  (await ask(rig, "GET", "/session", { ...cookie, ...own(rig) })).status === 200;

t.test("a link begins one session, whose cookie calls tools as its token", async (t) => {
  const rig = await serverRig(t);
  const code = await codeFor(rig);
  t.match(code, /^[\w-]{22}$/, "128 bits");
  const first = await exchange(rig, code);
  t.match(first, { status: 200, body: /"role":"human"/ });
  t.equal(codeOf(await exchange(rig, code)), "SESSION_REFUSED");
  const { cookie } = await browser(rig);
  t.match(await callMcp(rig, { ...cookie, ...own(rig) }), { status: 200 });
});

t.test(
  "the cookie is out of reach of scripts and other sites, and only its hash is on the disk",
  async (t) => {
    const rig = await serverRig(t);
    const { setCookie, cookie } = await browser(rig);
    t.match(
      setCookie,
      /^tendril-[0-9a-f]{8}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=31536000$/,
    );
    const file = `${rig.folder}/sessions.json`;
    t.equal(statSync(file).mode & 0o777, 0o600);
    const secret = cookie.Cookie.split("=")[1] ?? "nothing";
    t.notMatch(readFileSync(file, "utf8"), secret);
    t.notOk(rig.lines.some(({ text, message }) => (text + message).includes(secret)));
  },
);

t.test("a wrong cookie of the same name beside the right one keeps nobody out", async (t) => {
  const rig = await serverRig(t);
  const { cookie } = await browser(rig);
  const wrong = `${cookie.Cookie.split("=")[0]}=${"x".repeat(43)}`;
  for (const Cookie of [`${wrong}; ${cookie.Cookie}`, `${cookie.Cookie}; ${wrong}`])
    t.match(await callMcp(rig, { Cookie, ...own(rig) }), { status: 200 });
  const many = `${`${wrong}; `.repeat(20)}${cookie.Cookie}`;
  t.match(await callMcp(rig, { Cookie: many, ...own(rig) }), { status: 401 }, "some are looked at");
});

t.test("under TLS the cookie has the prefix __Host-, and one without it does not count", async (t) => {
  const rig = await ownKeyRig(t);
  const port = rig.server.tls()?.port ?? 0;
  const page = { Origin: `https://127.0.0.1:${port}`, Host: `127.0.0.1:${port}`, ...PAGE };
  const { headers } = await askTls(
    port,
    "POST",
    "/session",
    page,
    JSON.stringify({ code: await codeFor(rig) }),
  );
  const [setCookie = ""] = (headers["set-cookie"] as string[] | undefined) ?? [];
  t.match(setCookie, /^__Host-tendril-[0-9a-f]{8}=.*; Path=\/; .*; Secure$/);
  const Cookie = setCookie.split(";")[0] ?? "";
  t.match(await askTls(port, "GET", "/session", { ...page, Cookie }), { status: 200 });
  const bare = Cookie.replace("__Host-", "");
  t.match(await askTls(port, "GET", "/session", { ...page, Cookie: bare }), { status: 401 });
});

t.test("a page on another port, scheme or host of the same machine acts for nobody", async (t) => {
  const rig = await serverRig(t, { allowedHosts: ["garden.local"] });
  const mine = await browser(rig);
  const { port } = new URL(rig.base);
  for (const Origin of [
    "http://127.0.0.1:1",
    "http://127.0.0.1",
    `https://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://garden.local:${port}`,
    "null",
  ]) {
    const answer = await callMcp(rig, { ...mine.cookie, ...PAGE, Origin });
    t.match(answer, { status: 403 }, Origin);
    const upgrade = await refusedUpgrade(rig, { headers: { ...mine.cookie, Origin } });
    t.equal(upgrade.status, 403, `WebSocket from ${Origin}`);
    t.match(await exchange(rig, await codeFor(rig), { ...PAGE, Origin }), { status: 403 });
  }
  const longer = { Host: "127.0.0.1", Origin: rig.base };
  t.match(await callMcp(rig, { ...mine.cookie, ...PAGE, ...longer }), { status: 403 }, "begins alike");
  const without = await refusedUpgrade(rig, { headers: mine.cookie });
  t.equal(without.body.error.code, "PAGE_REFUSED", "a WebSocket without an Origin");
  t.equal(rig.host.calls.length, 0);
});

t.test("an Origin that equals a foreign Host proves nothing", async (t) => {
  const rig = await serverRig(t);
  const { cookie } = await browser(rig);
  const rebound = { Host: "evil.example", Origin: "http://evil.example", ...PAGE };
  t.equal(codeOf(await callMcp(rig, { ...cookie, ...rebound })), "ORIGIN_REFUSED");
});

t.test("a cookie without the page's header changes nothing and reads nothing", async (t) => {
  const rig = await serverRig(t);
  const { cookie } = await browser(rig);
  const Origin = rig.base;
  t.equal(codeOf(await callMcp(rig, { ...cookie, Origin })), "PAGE_REFUSED");
  for (const method of ["GET", "DELETE"])
    t.equal(codeOf(await ask(rig, method, "/session", { ...cookie, Origin })), "PAGE_REFUSED", method);
  t.equal(codeOf(await exchange(rig, await codeFor(rig), { Origin })), "PAGE_REFUSED");
});

t.test("a token and a cookie together are refused", async (t) => {
  const rig = await serverRig(t);
  const { cookie } = await browser(rig, "observer");
  const both = { ...cookie, ...own(rig), ...bearer(await tokenOf(rig.folder, "human")) };
  for (const [method, path] of [
    ["POST", "/mcp"],
    ["GET", "/pairing"],
    ["GET", "/session"],
  ] as const)
    t.match(await ask(rig, method, path, both), { status: 400, body: /both a token and/ }, path);
});

t.test("a session makes neither links nor pairing codes", async (t) => {
  const rig = await serverRig(t);
  const { cookie } = await browser(rig);
  for (const [method, path] of [
    ["POST", "/sessions"],
    ["GET", "/sessions"],
    ["DELETE", "/sessions/x"],
    ["POST", "/pairing"],
  ] as const)
    t.match(await ask(rig, method, path, { ...cookie, ...own(rig) }), { status: 401 }, `${method} ${path}`);
});

t.test(
  "a person's session sees and ends the others, without their secrets; an observer's does not",
  async (t) => {
    const rig = await serverRig(t);
    const [mine, lost, wall] = [await browser(rig), await browser(rig), await browser(rig, "observer")];
    const by = ({ cookie }: Browser) => ({ ...cookie, ...own(rig) });
    const { status, body } = await ask(rig, "GET", "/session/all", by(mine));
    t.equal(status, 200);
    t.equal((JSON.parse(body) as { sessions: object[] }).sessions.length, 3);
    for (const { cookie } of [mine, lost, wall]) t.notOk(body.includes(cookie.Cookie.split("=")[1] ?? ""));
    t.match(await ask(rig, "GET", "/session/all", by(wall)), { status: 403 });
    t.match(await ask(rig, "DELETE", `/session/all/${lost.id}`, by(wall)), { status: 403 });
    const foreign = { ...mine.cookie, ...PAGE, Origin: "http://127.0.0.1:1" };
    t.match(await ask(rig, "DELETE", `/session/all/${lost.id}`, foreign), { status: 403 });
    t.ok(await isLetIn(rig, lost));
    const closed = closeOf(await socketOf(rig, lost));
    t.match(await ask(rig, "DELETE", `/session/all/${lost.id}`, by(mine)), { status: 200 });
    t.match(await closed, { code: 1008 });
    t.notOk(await isLetIn(rig, lost));
  },
);

t.test("a session that somebody ends loses its WebSocket at once", async (t) => {
  const rig = await serverRig(t);
  const [lost, kept] = [await browser(rig), await browser(rig)];
  const closed = closeOf(await socketOf(rig, lost));
  const open = await socketOf(rig, kept);
  t.equal((await listed(rig)).length, 2);
  t.match(await end(rig, lost.id), { status: 200 });
  t.match(await closed, { code: 1008, reason: "session or token ended" });
  t.notOk(await isLetIn(rig, lost));
  t.ok(await isLetIn(rig, kept));
  t.equal(open.readyState, open.OPEN);
  t.match(await end(rig, lost.id), { status: 404 });
});

t.test("who asks to be told of the end of a session that is over already is told at once", async (t) => {
  const { clock, tokens } = await serverRig(t);
  const log = () => undefined;
  const sessions = await Sessions.open(tokens, await TokenUses.open(tokens, clock, log), clock, log);
  const { key = "" } = (await tokens.named("human")) ?? {};
  const { view } = await sessions.begin({ token: "human", key }, "a phone");
  await sessions.end(view.id);
  let ends = 0;
  sessions.onEnd(view.id, () => ends++)();
  t.equal(ends, 1);
});

t.test("before a person is erased, the browsers of that person's tokens are let out for good", async (t) => {
  const rig = await serverRig(t);
  const [theirs, other] = [await browser(rig, "human"), await browser(rig, "observer")];
  const [ended, stays] = [await socketOf(rig, theirs), await socketOf(rig, other)];
  const waiting = await codeFor(rig);
  const closed = closeOf(ended);
  await rig.host.erase((token) => token === "human");
  t.match(await closed, { code: 1008, reason: "session or token ended" });
  t.notOk(await isLetIn(rig, theirs), "the cookie is refused");
  t.equal(codeOf(await exchange(rig, waiting)), "SESSION_REFUSED", "nor does a link that waits open one");
  t.ok(await isLetIn(rig, other), "others stay");
  t.equal(stays.readyState, stays.OPEN);
  const file = readFileSync(`${rig.folder}/sessions.json`, "utf8");
  t.notMatch(file, theirs.id, "its record is erased");
  t.match(file, other.id);
});

t.test("a browser that does not take note of the end of its session is not heard any more", async (t) => {
  const rig = await serverRig(t);
  const mine = await browser(rig);
  const socket = await socketOf(rig, mine);
  socket.pause(); // its side of the closing handshake never comes
  t.teardown(() => socket.terminate());
  const call = (name: string, id: number) =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } });
  const names = () => rig.host.calls.map(({ name }) => name);
  socket.send(call("write_plant_status", 1));
  while (names().length === 0) await realWait(5);
  t.match(await end(rig, mine.id), { status: 200 });
  socket.send(call("fetch_notes", 2));
  // a turn of HTTP from the same process comes after what was sent before it
  for (let turn = 0; turn < 5; turn += 1) await isLetIn(rig, mine);
  t.same(names(), ["write_plant_status"]);
});

t.test("logging out takes the cookie away and ends the session at the server", async (t) => {
  const rig = await serverRig(t);
  const mine = await browser(rig);
  const closed = closeOf(await socketOf(rig, mine));
  const { status, headers } = await ask(rig, "DELETE", "/session", { ...mine.cookie, ...own(rig) });
  t.equal(status, 200);
  t.match(headers["set-cookie"], [/^tendril-[0-9a-f]{8}=; .*Max-Age=0/]);
  t.match(await closed, { code: 1008 });
  t.notOk(await isLetIn(rig, mine));
});

t.test("a session dies with its token, and a new token of the same name does not revive it", async (t) => {
  const rig = await serverRig(t);
  const path = await rig.tokens.add("human", "anna");
  await rig.clock.advance(seconds(2));
  const mine = await browser(rig, "human.anna");
  const closed = closeOf(await socketOf(rig, mine));
  rmSync(path);
  await rig.clock.advance(seconds(16));
  t.match(await closed, { code: 1008 });
  t.notOk(await isLetIn(rig, mine));
  await rig.tokens.add("human", "anna");
  await rig.clock.advance(seconds(2));
  t.notOk(await isLetIn(rig, mine));
});

t.test(
  "a session outlives the runtime, and a file that cannot be read costs only the sessions",
  async (t) => {
    const first = await serverRig(t);
    const mine = await browser(first);
    const second = await serverRig(t, { folder: first.folder });
    t.ok(await isLetIn(second, mine));
    writeFileSync(`${first.folder}/sessions.json`, "{");
    const third = await serverRig(t, { folder: first.folder });
    t.notOk(await isLetIn(third, mine));
    t.ok(await isLetIn(third, await browser(third)));
  },
);

t.test("two instances on one machine have cookies of different names", async (t) => {
  const [one, other] = [await browser(await serverRig(t)), await browser(await serverRig(t))];
  t.not(one.cookie.Cookie.split("=")[0], other.cookie.Cookie.split("=")[0]);
});

t.test("an unused session is over after 60 days, an open page keeps it, and a year ends each", async (t) => {
  const rig = await serverRig(t, { limits: { heartbeat: minutes(DAY) } });
  const [idle, busy] = [await browser(rig), await browser(rig)];
  for (let day = 0; day < 61; day += 1) {
    await rig.clock.advance(minutes(DAY));
    t.ok(await isLetIn(rig, busy));
  }
  t.notOk(await isLetIn(rig, idle));
  for (let day = 61; day < 365; day += 1) {
    await rig.clock.advance(minutes(DAY));
    await isLetIn(rig, busy);
  }
  t.notOk(await isLetIn(rig, busy));
});

t.test("guesses are slowed down and logged, and never cost the person the link", async (t) => {
  const rig = await serverRig(t);
  const code = await codeFor(rig);
  const answers: string[] = [];
  for (let guess = 0; guess < 30; guess += 1)
    answers.push(codeOf(await exchange(rig, `${guess}`.padStart(22, "x"))));
  t.ok(answers.includes("SESSION_REFUSED") && answers.at(-1) === "RATE_LIMITED");
  t.ok(rig.lines.some(({ level, message }) => level === "warn" && /link to the page/.test(message)));
  t.match(await exchange(rig, code), { status: 200 });
  t.notOk(rig.lines.some(({ text, message }) => (text + message).includes(code)));
});

t.test("a person's own token makes links for itself and for observers, and none for the owner", async (t) => {
  const rig = await serverRig(t);
  await rig.tokens.add("human", "ben");
  await rig.tokens.add("human", "anna");
  await rig.clock.advance(seconds(2));
  const ben = bearer(await tokenOf(rig.folder, "human.ben"));
  const link = (token: string) => ask(rig, "POST", "/sessions", ben, JSON.stringify({ token }));
  t.equal((await link("human.ben")).status, 200);
  t.equal((await link("observer")).status, 200);
  for (const token of ["human", "human.anna"]) t.equal(codeOf(await link(token)), "FORBIDDEN");
  rig.host.persons.set("human.ben", "ben").set("observer", "anna");
  t.equal(codeOf(await link("observer")), "FORBIDDEN", "it shows what is Anna's alone");
  rig.host.persons.set("observer", "ben");
  t.equal((await link("observer")).status, 200);
});

t.test("a link that waits is over when its token is renewed", async (t) => {
  const rig = await serverRig(t);
  const path = await rig.tokens.add("human", "anna");
  await rig.clock.advance(seconds(2));
  const code = await codeFor(rig, "human.anna");
  rmSync(path);
  await rig.clock.advance(seconds(2));
  await rig.tokens.add("human", "anna");
  await rig.clock.advance(seconds(2));
  t.equal(codeOf(await exchange(rig, code)), "SESSION_REFUSED");
});

t.test("a link is over after ten minutes; several may wait at once", async (t) => {
  const rig = await serverRig(t);
  const [phone, tablet] = [await codeFor(rig), await codeFor(rig, "observer")];
  t.match(await exchange(rig, phone), { status: 200 });
  await rig.clock.advance(minutes(10));
  t.equal(codeOf(await exchange(rig, tablet)), "SESSION_REFUSED");
});

t.test("a browser becomes a human or an observer, never an agent", async (t) => {
  const rig = await serverRig(t);
  const human = bearer(await tokenOf(rig.folder, "human"));
  const link = (token: string) => ask(rig, "POST", "/sessions", human, JSON.stringify({ token }));
  t.match(await link("agent"), { status: 400, body: /a human or an observer/ });
  t.match(await link("human.nobody"), { status: 404 });
  const wall = await browser(rig, "observer");
  await callMcp(rig, { ...wall.cookie, ...own(rig) }, notesBody());
  t.match(rig.host.calls, [{ name: "fetch_notes", identity: { name: "observer", role: "observer" } }]);
});

const notesBody = () =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "fetch_notes", arguments: { length: 1 } },
  });

t.test("a new link in the same browser replaces its session", async (t: Test) => {
  const rig = await serverRig(t);
  const before = await browser(rig);
  await exchange(rig, await codeFor(rig, "observer"), { ...own(rig), ...before.cookie });
  t.match(await listed(rig), [{ role: "observer", token: "observer" }]);
});

t.test("the page itself is never kept by a cache, and no address carries a token", async (t) => {
  const rig = await serverRig(t);
  const { headers } = await ask(rig, "GET", "/");
  t.equal(headers["cache-control"], "no-store");
  t.match(
    String(headers["content-security-policy"]),
    /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/,
  );
  t.notMatch(String(headers["content-security-policy"]), /unsafe|https?:|\*/);
  const token = await tokenOf(rig.folder, "human");
  t.match(await ask(rig, "GET", `/session?token=${token}`, own(rig)), { status: 401 });
});

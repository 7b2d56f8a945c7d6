import { existsSync, readFileSync, writeFileSync } from "node:fs";
import t from "tap";
import { minutes, seconds } from "../../../drivers/units.js";
import { tokenOf } from "./fixture-host.js";
import { ask, codeOf, cookieOf } from "./fixture-http.js";
import { bearer, closeOf, openSocket, type Rig, serverRig } from "./fixture-rig.js";

/** What the owner alone does on the page: seeing and revoking tokens, and asking the doctor. */

interface Listed {
  readonly name: string;
  readonly role: string;
  readonly made: string;
  readonly used: string | null;
}

async function listed(rig: Rig, headers: Record<string, string>): Promise<Listed[]> {
  return (JSON.parse((await ask(rig, "GET", "/tokens", headers)).body) as { tokens: Listed[] }).tokens;
}

t.test("the owner sees each token with its role and last use, and no secret", async (t) => {
  const rig = await serverRig(t);
  const owner = await cookieOf(rig, "human");
  const before = (await listed(rig, owner)).find(({ name }) => name === "agent");
  t.equal(before?.used, null, "nobody has called with it");
  await ask(rig, "GET", "/healthz", {});
  (await openSocket(rig, { headers: bearer(rig.token) })).close();
  const answer = await ask(rig, "GET", "/tokens", owner);
  const { tokens } = JSON.parse(answer.body) as { tokens: Listed[] };
  t.same(
    tokens.map(({ name, role, used }) => [name, role, used !== null]),
    [
      ["agent", "agent", true],
      ["human", "human", true],
      ["observer", "observer", false],
    ],
  );
  t.notOk(answer.body.includes(rig.token), "no secret");
  t.equal(answer.headers["cache-control"], "no-store");
});

t.test(
  "a token's use is known after a restart, without its secret; a damaged file costs no start",
  async (t) => {
    const first = await serverRig(t);
    await listed(first, bearer(await tokenOf(first.folder, "human")));
    await first.clock.advance(seconds(1));
    const file = `${first.folder}/token-uses.json`;
    await first.stop(); // which waits for what is written
    t.ok(existsSync(file));
    t.notOk(readFileSync(file, "utf8").includes(await tokenOf(first.folder, "human")));
    const second = await serverRig(t, { folder: first.folder });
    const used = async (rig: Rig) =>
      (await listed(rig, bearer(await tokenOf(first.folder, "human")))).find(({ name }) => name === "human")
        ?.used;
    t.ok(await used(second));
    await second.stop();
    writeFileSync(file, "{");
    const third = await serverRig(t, { folder: first.folder });
    t.ok(third.lines.some(({ message }) => message === "when tokens were last used is lost"));
  },
);

t.test("a revoked token counts no more, and its sockets and sessions close at once", async (t) => {
  const rig = await serverRig(t);
  const owner = await cookieOf(rig, "human");
  const wall = await cookieOf(rig, "observer");
  const sockets = [
    await openSocket(rig, { headers: bearer(rig.token) }),
    await openSocket(rig, { headers: wall }),
  ];
  const closed = sockets.map(closeOf);
  t.equal((await ask(rig, "DELETE", "/tokens/agent", owner)).status, 200);
  t.equal((await ask(rig, "DELETE", "/tokens/observer", owner)).status, 200);
  for (const close of closed) t.match(await close, { code: 1008 }, "by no clock: at once");
  t.equal(codeOf(await ask(rig, "POST", "/mcp", bearer(rig.token), "{}")), "UNAUTHORIZED");
  t.equal((await ask(rig, "GET", "/session", wall)).status, 401);
  t.notOk(existsSync(`${rig.folder}/tokens/agent`));
  t.same(
    (await listed(rig, owner)).map(({ name }) => name),
    ["human"],
  );
  t.equal(codeOf(await ask(rig, "DELETE", "/tokens/agent", owner)), "NOT_FOUND");
  for (const name of ["..%2Fsessions.json", "%E0%A4%A", "", "tokens%2Fhuman"])
    t.equal(codeOf(await ask(rig, "DELETE", `/tokens/${name}`, owner)), "NOT_FOUND", name);
});

t.test("a token that is revoked while its connection is being opened gets none", async (t) => {
  const rig = await serverRig(t);
  const identify = rig.tokens.identify.bind(rig.tokens);
  rig.tokens.identify = async (token) => {
    const identity = await identify(token);
    if (identity?.name === "agent") await rig.tokens.revoke("agent");
    return identity;
  };
  t.match(await closeOf(await openSocket(rig, { headers: bearer(rig.token) })), { code: 1008 });
});

t.test("the owner's own token goes only if the request says that it is meant", async (t) => {
  const rig = await serverRig(t);
  const owner = await cookieOf(rig, "human");
  t.equal(codeOf(await ask(rig, "DELETE", "/tokens/human", owner)), "OWN_WAY_IN");
  t.equal(codeOf(await ask(rig, "DELETE", "/tokens/human?sure=yes", owner)), "OWN_WAY_IN");
  t.equal((await ask(rig, "GET", "/session", owner)).status, 200, "nothing has changed");
  t.equal((await ask(rig, "DELETE", "/tokens/human?sure=human", owner)).status, 200);
  t.equal((await ask(rig, "GET", "/session", owner)).status, 401);
});

t.test("nobody but the owner sees or revokes tokens, or asks the doctor", async (t) => {
  const rig = await serverRig(t);
  await rig.tokens.add("human", "anna");
  await rig.clock.advance(minutes(1));
  for (const headers of [
    await cookieOf(rig, "human.anna"),
    await cookieOf(rig, "observer"),
    bearer(rig.token),
  ])
    for (const [method, path] of [
      ["GET", "/tokens"],
      ["DELETE", "/tokens/agent"],
      ["POST", "/doctor"],
    ] as const)
      t.equal(codeOf(await ask(rig, method, path, headers)), "FORBIDDEN", `${method} ${path}`);
  t.ok(existsSync(`${rig.folder}/tokens/agent`));
  const { Cookie } = await cookieOf(rig, "human");
  t.equal(codeOf(await ask(rig, "POST", "/doctor", { Cookie, Origin: rig.base })), "PAGE_REFUSED");
  t.equal(codeOf(await ask(rig, "POST", "/doctor", await cookieOf(rig, "human"))), "DOCTOR_FAILED");
});

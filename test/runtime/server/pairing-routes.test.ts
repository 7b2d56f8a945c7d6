import { randomBytes } from "node:crypto";
import { renameSync, symlinkSync } from "node:fs";
import t from "tap";
import { pair } from "../../../agent-client/link/trust.js";
import { minutes } from "../../../drivers/units.js";
import { newCode, pairingCode } from "../../../runtime/wire/pairing.js";
import { tokenOf } from "./fixture-host.js";
import { ask, callMcp, codeOf } from "./fixture-http.js";
import { bearer, type Rig, serverRig } from "./fixture-rig.js";
import { askTls, ownKeyRig } from "./tls/fixture-tls.js";

const never = new AbortController().signal;
const urlOf = (rig: Rig) => `wss://127.0.0.1:${rig.server.tls()?.port}/mcp`;

async function openCode(rig: Rig, body: object = {}): Promise<string> {
  const human = bearer(await tokenOf(rig.folder, "human"));
  const { body: text } = await ask(rig, "POST", "/pairing", human, JSON.stringify(body));
  return pairingCode((JSON.parse(text) as { code: string }).code);
}

t.test("a person opens a code on the machine, an agent gets its token and the key for it", async (t) => {
  const rig = await ownKeyRig(t);
  const { token, pin, name } = await pair(urlOf(rig), await openCode(rig, { name: "attic" }), never);
  t.equal(name, "agent.attic");
  t.equal(pin, rig.server.tls()?.pin);
  t.match(await callMcp(rig, bearer(token)), { status: 200 });
});

t.test("a wrong code, and one that was used, are refused by their code, and tell no more", async (t) => {
  const rig = await ownKeyRig(t);
  const code = await openCode(rig);
  const refused = { code: "PAIRING_REFUSED", message: /does not take this code: make a new code/ };
  await t.rejects(pair(urlOf(rig), newCode(), never), refused);
  await pair(urlOf(rig), code, never);
  await t.rejects(pair(urlOf(rig), code, never), refused);
});

t.test("of two that race for one code, one is paired", async (t) => {
  const rig = await ownKeyRig(t);
  const code = await openCode(rig);
  const answers = await Promise.allSettled([pair(urlOf(rig), code, never), pair(urlOf(rig), code, never)]);
  t.same(answers.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

t.test("only the role human opens, sees or voids a code, and none without a token", async (t) => {
  const rig = await ownKeyRig(t);
  for (const method of ["POST", "GET", "DELETE"]) {
    t.match(await ask(rig, method, "/pairing"), { status: 401 });
    for (const role of ["agent", "observer"]) {
      const answer = await ask(rig, method, "/pairing", bearer(await tokenOf(rig.folder, role)));
      t.match(answer, { status: 403 });
      t.equal(codeOf(answer), "FORBIDDEN");
    }
  }
});

t.test("a token that may be revoked opens no code, and still sees and voids one", async (t) => {
  const rig = await ownKeyRig(t);
  const human = bearer(await tokenOf(rig.folder, "human"));
  await openCode(rig);
  renameSync(`${rig.folder}/tokens`, `${rig.folder}/away`);
  symlinkSync("tokens", `${rig.folder}/tokens`); // a loop: ELOOP
  await rig.clock.advance(minutes(1));
  const refused = await ask(rig, "POST", "/pairing", human, "{}");
  t.match(refused, { status: 503 });
  t.equal(codeOf(refused), "TOKENS_UNREAD");
  for (const method of ["GET", "DELETE"])
    t.match(await ask(rig, method, "/pairing", human), { status: 200 }, method);
});

t.test("an open code is seen with everything but itself, and can be voided", async (t) => {
  const rig = await ownKeyRig(t);
  const human = bearer(await tokenOf(rig.folder, "human"));
  const seen = async () => JSON.parse((await ask(rig, "GET", "/pairing", human)).body) as object;
  t.same(await seen(), { open: null });
  const code = await openCode(rig, { role: "observer", name: "wall" });
  t.same(await seen(), { open: { role: "observer", name: "wall", expires_in_s: 600, tries_left: 5 } });
  await rig.clock.advance(minutes(4));
  t.match(await seen(), { open: { expires_in_s: 360 } });
  t.match(await ask(rig, "DELETE", "/pairing", human), { body: '{"voided":true}' });
  t.same(await seen(), { open: null });
  await t.rejects(pair(urlOf(rig), code, never), { code: "PAIRING_REFUSED" });
});

t.test("without TLS there is no pairing: no code is made, and none is taken", async (t) => {
  const rig = await serverRig(t);
  const human = bearer(await tokenOf(rig.folder, "human"));
  const opening = await ask(rig, "POST", "/pairing", human);
  t.match(opening, { status: 403 });
  t.equal(codeOf(opening), "PAIRING_UNAVAILABLE");
  t.match(opening.body, /tls: \{\}/);
  t.equal(codeOf(await ask(rig, "POST", "/pair", {}, "{}")), "PAIRING_UNAVAILABLE");
});

t.test("the plain port takes no code of a runtime that has both", async (t) => {
  const rig = await ownKeyRig(t);
  await openCode(rig);
  t.equal(codeOf(await ask(rig, "POST", "/pair", {}, "{}")), "PAIRING_UNAVAILABLE");
});

t.test(
  "what is no claim is refused as such, costs no try, and a web page of another host gets nowhere",
  async (t) => {
    const rig = await ownKeyRig(t);
    await openCode(rig);
    const port = rig.server.tls()?.port ?? 0;
    const right = { nonce: "n".repeat(43), name: "x", role: "agent", proof: "p".repeat(43) };
    for (const body of [
      "",
      "{",
      "[]",
      "null",
      "{}",
      { ...right, nonce: 7 },
      { ...right, extra: 1 },
      { ...right, proof: "p" },
    ]) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      t.match(await askTls(port, "POST", "/pair", {}, text), { status: 400, body: /INVALID_ARGUMENT/ }, text);
    }
    t.match(await askTls(port, "POST", "/pair", {}, "x".repeat(2000)), { status: 413 });
    const foreign = { Origin: "https://evil.example" };
    t.match(await askTls(port, "POST", "/pair", foreign, JSON.stringify(right)), {
      status: 403,
      body: /ORIGIN/,
    });
    const human = bearer(await tokenOf(rig.folder, "human"));
    t.match((await ask(rig, "GET", "/pairing", human)).body, /"tries_left":5/);
    t.match(await askTls(port, "POST", "/pair", {}, JSON.stringify(right)), {
      status: 403,
      body: /PAIRING_REFUSED/,
    });
    t.match((await ask(rig, "GET", "/pairing", human)).body, /"tries_left":4/);
  },
);

t.test("guesses by the dozen get one answer, and a voided code", async (t) => {
  const rig = await ownKeyRig(t);
  const code = await openCode(rig);
  const port = rig.server.tls()?.port ?? 0;
  const guess = () => {
    const [nonce, proof] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
    return askTls(port, "POST", "/pair", {}, JSON.stringify({ nonce, name: "x", role: "agent", proof }));
  };
  const answers = new Set<string>();
  for (let round = 0; round < 6; round += 1)
    for (const { body } of await Promise.all(Array.from({ length: 10 }, guess))) answers.add(body);
  t.equal(answers.size, 1);
  await t.rejects(pair(urlOf(rig), code, never), { code: "PAIRING_REFUSED" });
  t.notOk(rig.lines.some(({ text, message }) => (text + message).includes(code)));
});

t.test(
  "a person's own token pairs observers alone: any other token would see more than it does",
  async (t) => {
    const rig = await ownKeyRig(t);
    await rig.tokens.add("human", "ben");
    await rig.clock.advance(minutes(1));
    rig.host.persons.set("human.ben", "ben").set("human", "anna");
    const ben = bearer(await tokenOf(rig.folder, "human.ben"));
    const open = (by: Record<string, string>, role: string) =>
      ask(rig, "POST", "/pairing", by, JSON.stringify({ role }));
    for (const role of ["agent", "human"]) t.equal(codeOf(await open(ben, role)), "FORBIDDEN", role);
    t.equal((await open(ben, "observer")).status, 200);
    const owner = bearer(await tokenOf(rig.folder, "human"));
    t.equal((await open(owner, "agent")).status, 200, "the owner's token may, whose person's it ever is");
  },
);

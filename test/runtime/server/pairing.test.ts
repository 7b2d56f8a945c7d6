import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { millis, minutes } from "../../../drivers/units.js";
import { MAX_TRIES, Pairing } from "../../../runtime/server/pairing.js";
import { TokenStore } from "../../../runtime/server/tokens.js";
import type { Role } from "../../../runtime/wire/identity.js";
import {
  type Claim,
  clientProof,
  newCode,
  pairingCode,
  serverProof,
  spelled,
} from "../../../runtime/wire/pairing.js";

const PIN = `sha256:${"A".repeat(43)}=`;
const CLAIM: Claim = { nonce: "n".repeat(43), name: "attic", role: "agent" };
const REFUSED = { code: "PAIRING_REFUSED" };

async function pairingRig(t: Test) {
  const folder = `${t.testdir()}/tokens`;
  const clock = new SimulatedClock();
  const lines: string[] = [];
  const log = (level: string, message: string, fields = {}) =>
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const tokens = await TokenStore.open(folder, clock, log);
  const pairing = new Pairing(tokens, clock, log);
  const claim = (code: string, claim = CLAIM, pin = PIN) =>
    pairing.claim(claim, clientProof(code, pin, claim), PIN);
  return { folder, clock, lines, tokens, pairing, claim };
}

const opened = async ({ pairing }: { pairing: Pairing }, role: Role = "agent", name?: string) =>
  pairingCode((await pairing.begin(role, name)).code);

t.test(
  "a code has 75 random bits and a check letter, in four groups, and is read however it is typed",
  async (t) => {
    const codes = Array.from({ length: 200 }, newCode);
    t.equal(new Set(codes).size, codes.length);
    for (const code of codes) {
      t.match(spelled(code), /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
      t.equal(pairingCode(spelled(code)), code);
      t.equal(
        pairingCode(` ${spelled(code).toLowerCase().replaceAll("0", "o").replaceAll("1", "l")} `),
        code,
      );
    }
  },
);

t.test(
  "who proves to know the code gets a token of its own, named after it, that counts at once",
  async (t) => {
    const rig = await pairingRig(t);
    const code = await opened(rig);
    const { token, name, proof } = await rig.claim(code);
    t.equal(name, "agent.attic");
    t.equal(proof, serverProof(code, PIN, CLAIM, { token, name }), "and the runtime proves the same");
    t.same(await rig.tokens.identify(token), { name, role: "agent" });
    t.equal(readFileSync(`${rig.folder}/agent.attic`, "utf8").trim(), token);
    t.equal(statSync(`${rig.folder}/agent.attic`).mode & 0o777, 0o600);
  },
);

t.test("a code works once: said again, or said by two at once, it makes one token", async (t) => {
  const rig = await pairingRig(t);
  const code = await opened(rig);
  const answers = await Promise.allSettled([rig.claim(code), rig.claim(code), rig.claim(code)]);
  t.same(
    answers.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected"],
  );
  await t.rejects(rig.claim(code), REFUSED);
  t.same(readdirSync(rig.folder), ["agent", "agent.attic", "human", "observer"]);
});

t.test("after ten minutes of the monotonic clock it is dead, whatever the wall clock does", async (t) => {
  const rig = await pairingRig(t);
  const code = await opened(rig);
  rig.clock.stepWall(minutes(-60));
  await rig.clock.advance(millis(minutes(10) - 1));
  t.match(rig.pairing.view(), { expires_in_s: 1 });
  await rig.clock.advance(millis(1));
  t.equal(rig.pairing.view(), undefined);
  await t.rejects(rig.claim(code), REFUSED);
});

t.test("five wrong tries void it, and the log says so; four leave it alive", async (t) => {
  const rig = await pairingRig(t);
  const first = await opened(rig);
  for (let tries = 1; tries < MAX_TRIES; tries += 1) await t.rejects(rig.claim(newCode()), REFUSED);
  t.match(rig.pairing.view(), { tries_left: 1 });
  t.match(await rig.claim(first), { name: "agent.attic" });
  const second = await opened(rig);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) await t.rejects(rig.claim(newCode()), REFUSED);
  await t.rejects(rig.claim(second), REFUSED);
  t.match(rig.lines.at(-1), /^warn the pairing code is void after 5 wrong tries/);
});

t.test("no answer tells what was wrong: the code, the key, the time, or that none is open", async (t) => {
  const rig = await pairingRig(t);
  const whatOf = (claim: Promise<unknown>) =>
    claim.then(
      () => "",
      (error: Error) => error.message,
    );
  const said = [await whatOf(rig.claim(newCode()))];
  const code = await opened(rig);
  const changed = code.replace(/^./, (letter) => (letter === "0" ? "1" : "0"));
  const changedLate = code.replace(/.$/, (letter) => (letter === "0" ? "1" : "0"));
  for (const wrong of [changed, changedLate, newCode()]) said.push(await whatOf(rig.claim(wrong)));
  said.push(await whatOf(rig.claim(code, CLAIM, `sha256:${"B".repeat(43)}=`)));
  await rig.clock.advance(minutes(10));
  said.push(await whatOf(rig.claim(code)));
  t.equal(new Set(said).size, 1);
});

t.test("a proof holds for its own key, nonce, name and role alone", async (t) => {
  const rig = await pairingRig(t);
  const code = await opened(rig);
  const proof = clientProof(code, PIN, CLAIM);
  for (const other of [{ nonce: "m".repeat(43) }, { name: "cellar" }, { role: "human" as const }])
    await t.rejects(rig.pairing.claim({ ...CLAIM, ...other }, proof, PIN), REFUSED);
  await t.rejects(rig.pairing.claim(CLAIM, proof, `sha256:${"B".repeat(43)}=`), REFUSED);
  t.match(await rig.pairing.claim(CLAIM, proof, PIN), { name: "agent.attic" });
});

t.test("a code for a person is no agent's, and is not spent by one that asks", async (t) => {
  const rig = await pairingRig(t);
  const code = await opened(rig, "human");
  await t.rejects(rig.claim(code), {
    code: "INVALID_ARGUMENT",
    message: /for the role human, not for agent/,
  });
  t.match(await rig.claim(code, { ...CLAIM, role: "human" }), { name: "human.attic" });
});

t.test("there is one code at a time, and it can be voided", async (t) => {
  const rig = await pairingRig(t);
  const first = await opened(rig);
  const second = await opened(rig);
  await t.rejects(rig.claim(first), REFUSED);
  t.equal(rig.pairing.cancel(), true);
  t.equal(rig.pairing.cancel(), false);
  await t.rejects(rig.claim(second), REFUSED);
});

t.test("another process has no codes of this one", async (t) => {
  const rig = await pairingRig(t);
  const code = await opened(rig);
  const restarted = new Pairing(rig.tokens, rig.clock, () => undefined);
  await t.rejects(restarted.claim(CLAIM, clientProof(code, PIN, CLAIM), PIN), REFUSED);
});

t.test(
  "a name of the person's goes before the client's, and is refused where it is taken or none",
  async (t) => {
    const rig = await pairingRig(t);
    t.match(await rig.claim(await opened(rig, "agent", "balcony")), { name: "agent.balcony" });
    await t.rejects(rig.pairing.begin("agent", "balcony"), {
      code: "INVALID_ARGUMENT",
      message: /exists already/,
    });
    await t.rejects(rig.pairing.begin("agent", "../human"), {
      code: "INVALID_ARGUMENT",
      message: /1–64 characters/,
    });
  },
);

t.test("whatever a client calls itself, its token is a file in the folder that no other had", async (t) => {
  const rig = await pairingRig(t);
  const nameFor = async (name: string) => (await rig.claim(await opened(rig), { ...CLAIM, name })).name;
  t.equal(await nameFor("Attic PC (old)"), "agent.Attic-PC-old-");
  t.equal(await nameFor("../../human"), "agent.-human");
  t.equal(await nameFor(""), "agent.paired");
  t.equal(await nameFor(""), "agent.paired-2");
  t.equal(await nameFor("x".repeat(64)), `agent.${"x".repeat(48)}`);
  for (const file of readdirSync(rig.folder)) t.match(file, /^(agent|human|observer)(\.[\w-]+)?$/);
});

t.test("a code whose token cannot be written is spent, and there is none that nobody has", async (t) => {
  const rig = await pairingRig(t);
  const code = await opened(rig);
  rmSync(rig.folder, { recursive: true });
  writeFileSync(rig.folder, "");
  await t.rejects(rig.claim(code), { code: "ENOTDIR" });
  await t.rejects(rig.claim(code), REFUSED);
});

t.test("neither codes nor tokens are in the log", async (t) => {
  const rig = await pairingRig(t);
  const code = await opened(rig);
  await rig.claim(newCode()).catch(() => undefined);
  const { token } = await rig.claim(code);
  const text = rig.lines.join("\n");
  t.match(text, /a pairing code waits[\s\S]*paired/);
  for (const secret of [code, spelled(code), token]) t.notOk(text.includes(secret));
});

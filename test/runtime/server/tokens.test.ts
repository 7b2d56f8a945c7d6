import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open, stat } from "node:fs/promises";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { seconds } from "../../../drivers/units.js";
import { TokenStore } from "../../../runtime/server/tokens.js";
import type { Role } from "../../../runtime/wire/identity.js";
import { secretOf, tokenKeyOf } from "../../../runtime/wire/proof.js";

const OWN = "Zz9_Zz9_Zz9_Zz9_Zz9_Zz9_Zz9_Zz9_Zz9_Zz9_";
const modeOf = (path: string) => statSync(path).mode & 0o777;
const read = (path: string) => readFileSync(path, "utf8");
const put = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 });

async function storeRig(t: Test) {
  const folder = `${t.testdir()}/state/tokens`;
  const clock = new SimulatedClock();
  const lines: string[] = [];
  const log = (_level: string, message: string, fields = {}) =>
    lines.push(`${message} ${JSON.stringify(fields)}`);
  const open = () => TokenStore.open(folder, clock, log);
  return { folder, clock, lines, open, store: await open() };
}

function isInDoubt(store: TokenStore): boolean {
  try {
    store.assertSure();
    return false;
  } catch {
    return true;
  }
}

t.test("the first start makes one token a role, for the owner's eyes only", async (t) => {
  const { folder, store } = await storeRig(t);
  t.equal(modeOf(folder), 0o700);
  t.same(readdirSync(folder), ["agent", "human", "observer"]);
  for (const role of ["agent", "human", "observer"] as Role[]) {
    t.equal(modeOf(`${folder}/${role}`), 0o600);
    t.match(read(`${folder}/${role}`), /^[\w-]{43}\n$/, "32 bytes of base64url, alone on one line");
    t.same(await store.identify(read(`${folder}/${role}`).trim()), { name: role, role });
  }
  t.equal(new Set(readdirSync(folder).map((name) => read(`${folder}/${name}`))).size, 3);
  t.same(readdirSync(`${folder}/..`), ["tokens"], "nothing is left beside it");
});

t.test("a later start keeps the tokens, also when one was taken away", async (t) => {
  const { folder, open } = await storeRig(t);
  const token = read(`${folder}/agent`).trim();
  rmSync(`${folder}/observer`);
  const store = await open();
  t.same(readdirSync(folder), ["agent", "human"]);
  t.match(await store.identify(token), { role: "agent" });
});

t.test(
  "a token with a scope lies beside tokens/, which holds roles alone: the version before this one starts",
  async (t) => {
    const { folder, clock, open, store } = await storeRig(t);
    const paths = [await store.add("metrics", "prometheus"), await store.add("bridge")];
    const scoped = `${folder}-scoped`;
    t.same(paths, [`${scoped}/metrics.prometheus`, `${scoped}/bridge`]);
    t.same(readdirSync(folder), ["agent", "human", "observer"]);
    t.equal(modeOf(scoped), 0o700);
    t.equal(modeOf(`${scoped}/bridge`), 0o600);
    await clock.advance(seconds(1));
    const token = read(`${scoped}/metrics.prometheus`).trim();
    for (const each of [store, await open()])
      t.same(await each.identify(token), { name: "metrics.prometheus", role: "metrics" });
    rmSync(`${scoped}/metrics.prometheus`);
    await clock.advance(seconds(1));
    t.equal(await store.identify(token), undefined);
  },
);

t.test(
  "tokens with a scope do not stand for those of the roles: the first start makes these all the same",
  async (t) => {
    const { folder, open, store } = await storeRig(t);
    await store.add("metrics");
    rmSync(folder, { recursive: true });
    await open();
    t.same(readdirSync(folder), ["agent", "human", "observer"]);
  },
);

t.test("no other text is anybody's token", async (t) => {
  const { folder, store } = await storeRig(t);
  const token = read(`${folder}/agent`).trim();
  for (const wrong of ["", "x", token.slice(1), `${token}x`, token.toUpperCase(), `${token}\n`]) {
    t.equal(await store.identify(wrong), undefined);
  }
});

t.test("added, changed and removed tokens count without a restart, a second later", async (t) => {
  const { folder, clock, store } = await storeRig(t);
  const agent = read(`${folder}/agent`).trim();
  put(`${folder}/observer.wall`, `${OWN}\n`);
  rmSync(`${folder}/agent`);
  t.ok(await store.identify(agent), "files are read once a second at most");
  await clock.advance(seconds(1));
  t.equal(await store.identify(agent), undefined);
  t.same(await store.identify(OWN), { name: "observer.wall", role: "observer" });
  put(`${folder}/observer.wall`, `${OWN}-2\n`);
  await clock.advance(seconds(1));
  t.equal(await store.identify(OWN), undefined);
  t.ok(await store.identify(`${OWN}-2`));
});

t.test("a folder that is gone lets nobody in", async (t) => {
  const { folder, clock, store } = await storeRig(t);
  const agent = read(`${folder}/agent`).trim();
  rmSync(folder, { recursive: true });
  await clock.advance(seconds(1));
  t.equal(await store.identify(agent), undefined);
});

t.test("a folder that others can enter lets nobody in while they can", async (t) => {
  const { folder, clock, lines, store } = await storeRig(t);
  const agent = read(`${folder}/agent`).trim();
  chmodSync(folder, 0o755);
  await clock.advance(seconds(1));
  t.equal(await store.identify(agent), undefined);
  t.match(lines, [/chmod 700/]);
  chmodSync(folder, 0o700);
  await clock.advance(seconds(1));
  t.ok(await store.identify(agent));
});

t.test("a folder that cannot be read for another reason changes nothing and is reported once", async (t) => {
  const { folder, clock, lines, store } = await storeRig(t);
  const agent = read(`${folder}/agent`).trim();
  rmSync(folder, { recursive: true });
  symlinkSync(folder, folder); // a loop: ELOOP, also for root
  await clock.advance(seconds(1));
  t.ok(await store.identify(agent));
  await clock.advance(seconds(1));
  t.ok(await store.identify(agent));
  t.equal(lines.length, 1);
  t.match(lines[0], /ELOOP/);
});

const BAD: Record<string, { spoil: (folder: string) => void; says: RegExp }> = {
  "a file that others can read": {
    spoil: (folder) => chmodSync(`${folder}/agent`, 0o640),
    says: /chmod 600 .*tokens\/agent/,
  },
  "a folder that others can enter": {
    spoil: (folder) => chmodSync(folder, 0o755),
    says: /chmod 700 .*tokens/,
  },
  "a file that names no role": {
    spoil: (folder) => put(`${folder}/admin.x`, OWN),
    says: /admin\.x .*observer, agent, human/,
  },
  "a scope among the roles": {
    spoil: (folder) => put(`${folder}/metrics.x`, OWN),
    says: /tokens\/metrics\.x does not begin with a role \(observer, agent, human\)/,
  },
  "a role among the scopes": {
    spoil: (folder) => {
      mkdirSync(`${folder}-scoped`, { mode: 0o700 });
      put(`${folder}-scoped/human.x`, OWN);
    },
    says: /tokens-scoped\/human\.x does not begin with a scope \(bridge, metrics\)/,
  },
  "an empty file": { spoil: (folder) => put(`${folder}/agent`, ""), says: /agent does not hold one token/ },
  "a short token": {
    spoil: (folder) => put(`${folder}/agent`, "secret-but-short"),
    says: /at least 32 characters/,
  },
  "two lines": {
    spoil: (folder) => put(`${folder}/agent`, `${OWN}\n${OWN}\n`),
    says: /does not hold one token/,
  },
  "one token for two": {
    spoil: (folder) => {
      put(`${folder}/agent`, OWN);
      put(`${folder}/human`, OWN);
    },
    says: /agent and .*human hold the same token/,
  },
};

for (const [what, { spoil, says }] of Object.entries(BAD)) {
  t.test(`${what} is refused at the start, and the error tells no token`, async (t) => {
    const { folder, open } = await storeRig(t);
    spoil(folder);
    await t.rejects(open(), { code: "TOKENS_INVALID", message: says });
    await open().catch(({ message }: Error) => t.notMatch(message, /Zz9|secret-but/));
  });
}

t.test(
  "while running, a bad file costs only its own token and is reported once, without the token",
  async (t) => {
    const { folder, clock, lines, store } = await storeRig(t);
    const human = read(`${folder}/human`).trim();
    const agent = read(`${folder}/agent`).trim();
    chmodSync(`${folder}/agent`, 0o644);
    put(`${folder}/admin`, OWN);
    for (let again = 0; again < 3; again += 1) {
      await clock.advance(seconds(1));
      t.ok(await store.identify(human));
      t.equal(await store.identify(agent), undefined);
      t.equal(await store.identify(OWN), undefined);
    }
    t.equal(lines.length, 1);
    t.match(lines[0], /chmod 600/);
    t.notMatch(lines[0], /Zz9/);
  },
);

t.test("while running, two files with one token are nobody's", async (t) => {
  const { folder, clock, lines, store } = await storeRig(t);
  const agent = read(`${folder}/agent`).trim();
  const human = read(`${folder}/human`).trim();
  put(`${folder}/human.copy`, agent);
  await clock.advance(seconds(1));
  t.equal(await store.identify(agent), undefined);
  t.ok(await store.identify(human));
  t.match(lines, [/agent and .*human\.copy hold the same token/]);
});

t.test("tokens can be added by role and name, and never overwrite one", async (t) => {
  const { folder, clock, store } = await storeRig(t);
  t.equal(await store.add("agent", "balcony"), `${folder}/agent.balcony`);
  const token = read(`${folder}/agent.balcony`).trim();
  t.equal(modeOf(`${folder}/agent.balcony`), 0o600);
  await clock.advance(seconds(1));
  t.same(await store.identify(token), { name: "agent.balcony", role: "agent" });
  await t.rejects(store.add("agent", "balcony"), { code: "INVALID_ARGUMENT", message: /exists already/ });
  await t.rejects(store.add("human"), { code: "INVALID_ARGUMENT" });
  for (const name of ["", "../x", "a b", "a.b", "x".repeat(65)]) {
    await t.rejects(store.add("agent", name), { code: "INVALID_ARGUMENT" });
  }
  t.equal(read(`${folder}/agent.balcony`).trim(), token);
});

t.test(
  "the token of a scope is made once, and counts at once, also while the folder is being read",
  async (t) => {
    const { folder, clock, store } = await storeRig(t);
    await clock.advance(seconds(1));
    const reading = store.identify("any");
    const path = await store.fileOf("bridge");
    await reading;
    t.equal(path, `${folder}-scoped/bridge`);
    const token = read(path).trim();
    t.same(await store.identify(token), { name: "bridge", role: "bridge" });
    t.equal(await store.fileOf("bridge"), path);
    t.equal(read(path).trim(), token);
  },
);

t.test("whether a token is there is known as of the last call that came in", async (t) => {
  const { folder, clock, store } = await storeRig(t);
  t.same([store.has("agent"), store.has("agent.attic")], [true, false]);
  rmSync(`${folder}/agent`);
  await clock.advance(seconds(2));
  await store.identify("any");
  t.equal(store.has("agent"), false);
});

t.test("a token whose file is taken away is not listed, also before the files are read again", async (t) => {
  const { folder, store } = await storeRig(t);
  rmSync(`${folder}/observer`);
  t.same(
    (await store.list()).map(({ identity }) => identity.name),
    ["agent", "human"],
  );
});

t.test(
  "revoking takes away the token that counts, also where a file of its name lies in the wrong folder",
  async (t) => {
    const { folder, store } = await storeRig(t);
    put(`${folder}/bridge`, OWN);
    const path = await store.add("bridge");
    const token = read(path).trim();
    const { token: other } = await store.issue("agent", "attic"); // what is new counts at once
    t.ok(await store.identify(other));
    t.ok(await store.identify(token));
    await store.revoke("bridge");
    t.equal(await store.identify(token), undefined);
    t.throws(() => statSync(path), { code: "ENOENT" });
  },
);

t.test("who asks to be told of the end of a token that is gone already is told at once", async (t) => {
  const { store } = await storeRig(t);
  let ends = 0;
  const cancel = store.onRevoke("agent", () => ends++);
  await store.revoke("agent");
  cancel();
  t.equal(ends, 1);
  store.onRevoke("agent", () => ends++)();
  t.equal(ends, 2);
});

t.test(
  "a token that is revoked while the files are read counts no more, until its file is there again",
  async (t) => {
    const { folder, clock, store } = await storeRig(t);
    for (let other = 0; other < 100; other += 1) put(`${folder}/observer.${other}`, `${OWN}${other}`);
    // in some of these rounds the reading has had the file, and has not ended yet
    for (let turns = 0; turns < 70; turns += 10) {
      put(`${folder}/agent.a`, OWN);
      await clock.advance(seconds(1));
      t.ok(await store.identify(OWN));
      await clock.advance(seconds(1));
      const reading = store.identify("any");
      for (let turn = 0; turn < turns; turn += 1) await stat(folder); // as long as the reading needs for so much
      await store.revoke("agent.a");
      await reading;
      t.equal(await store.identify(OWN), undefined);
    }
  },
);

t.test("a pipe among the tokens is not opened: what is revoked beside it counts no more", async (t) => {
  const { folder, clock, lines, open, store } = await storeRig(t);
  const token = read(`${folder}/agent`).trim();
  t.equal(spawnSync("mkfifo", ["-m", "600", `${folder}/agent.zz`]).status, 0);
  await clock.advance(seconds(2));
  t.ok(await store.identify(token));
  t.match(lines, [/agent\.zz is no file/]);
  await store.revoke("agent");
  t.equal(await store.identify(token), undefined);
  store.assertSure();
  await t.rejects(open(), { code: "TOKENS_INVALID", message: /agent\.zz is no file/ });
});

t.test("a token file of gigabytes is named, and never read", async (t) => {
  const { folder, clock, lines, open, store } = await storeRig(t);
  const token = read(`${folder}/agent`).trim();
  writeFileSync(`${folder}/agent.zz`, "", { mode: 0o600 });
  truncateSync(`${folder}/agent.zz`, 3e9);
  await clock.advance(seconds(2));
  t.ok(await store.identify(token));
  t.match(lines, [/agent\.zz is no file, or has more than 65536 bytes/]);
  await t.rejects(open(), { code: "TOKENS_INVALID", message: /agent\.zz/ });
});

t.test("a file among the tokens that no one may open puts no other token in doubt", async (t) => {
  const { folder, clock, lines, open, store } = await storeRig(t);
  const token = read(`${folder}/agent`).trim();
  symlinkSync(`${folder}/human.loop`, `${folder}/human.loop`); // ELOOP: root, who runs tests too, may open anything else
  await clock.advance(seconds(2));
  t.ok(await store.identify(token));
  t.match(lines, [/human\.loop/]);
  store.assertSure();
  await store.revoke("agent");
  t.equal(await store.identify(token), undefined);
  await t.rejects(open(), { code: "TOKENS_INVALID", message: /human\.loop/ });
});

t.test(
  "a call that acts on an open connection reads the tokens anew, and finds out at once that a disk is well again",
  async (t) => {
    const { folder, clock, store } = await storeRig(t);
    t.equal(store.confirm(), undefined, "they were just read");
    await clock.advance(seconds(2));
    rmSync(`${folder}/agent`);
    await store.confirm();
    t.equal(store.has("agent"), false);
    renameSync(folder, `${folder}.away`);
    symlinkSync(folder, folder); // a loop: ELOOP
    await clock.advance(seconds(2));
    await store.confirm();
    t.throws(() => store.assertSure(), { code: "TOKENS_UNREAD" });
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
    await clock.advance(seconds(2));
    await store.confirm();
    store.assertSure();
  },
);

t.test("a call that comes at the very end of a reading leaves no doubt behind", async (t) => {
  const { folder, clock } = await storeRig(t);
  const calls: Promise<unknown>[] = [];
  const store = await TokenStore.open(folder, clock, () => void calls.push(store.identify("any")));
  chmodSync(`${folder}/human`, 0o644); // a complaint: the log is told at the end of the reading
  await clock.advance(seconds(2));
  await store.identify("any");
  await Promise.all(calls);
  t.equal(calls.length, 1);
  await clock.advance(seconds(60));
  store.assertSure();
});

t.test("tokens that cannot be read anew are in doubt at once, and are not once they can", async (t) => {
  const { folder, clock, store } = await storeRig(t);
  renameSync(folder, `${folder}.away`);
  symlinkSync(folder, folder); // a loop: ELOOP
  await clock.advance(seconds(1));
  await store.identify("any");
  t.throws(() => store.assertSure(), { code: "TOKENS_UNREAD", message: /cannot be read anew/ });
  rmSync(folder);
  renameSync(`${folder}.away`, folder);
  await clock.advance(seconds(1));
  await store.identify("any");
  store.assertSure();
});

t.test("a disk that hangs keeps nobody out: what was read before it counts on", async (t) => {
  const { folder, clock, store } = await storeRig(t);
  const token = read(`${folder}/human`).trim();
  const key = tokenKeyOf(secretOf(token));
  const pipes = ["one", "two", "three", "four"].map((name) => `${folder}/../${name}`);
  t.equal(spawnSync("mkfifo", pipes).status, 0);
  // to open a pipe that nobody writes to takes a thread of Node's pool: there are four
  const hung = pipes.map((pipe) => open(pipe, "r"));
  let revoked: Promise<void> | undefined;
  try {
    await clock.advance(seconds(2));
    const first = store.identify(token);
    const others = store.identify("x".repeat(43));
    await clock.advance(seconds(1));
    t.match(await first, { role: "human" });
    t.equal(await others, undefined);
    t.match(await store.identify(token), { role: "human" }, "the next waits no more");
    const asked = { challenge: "00", address: "127.0.0.1", port: 1, pin: undefined };
    t.ok(await store.prove(key, asked, "here"), "and commands find this runtime");
    store.assertSure(); // a slow card is no doubt yet
    let waiting = 0;
    // calls that come meanwhile put nothing off, and wait for the rest of that time alone
    for (let second = 1; second < 8; second += 1) {
      store.assertSure();
      waiting += 1;
      void store.confirm()?.then(() => --waiting);
      await clock.advance(seconds(1));
      await store.identify(token);
    }
    await new Promise((resolve) => setImmediate(resolve));
    t.equal(waiting, 0);
    t.throws(() => store.assertSure(), { code: "TOKENS_UNREAD" });
    revoked = store.revoke("observer");
    t.equal(store.has("observer"), false, "what is revoked counts no more, though its file is still there");
  } finally {
    // open until each has its thread: one that begins later would wait for ever
    const ends = pipes.map((pipe) => openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
    for (const each of hung) await (await each).close();
    for (const each of ends) closeSync(each);
  }
  await revoked;
  t.notOk(readdirSync(folder).includes("observer"));
  while (isInDoubt(store)) await new Promise((resolve) => setImmediate(resolve)); // the disk answers in real time
  rmSync(`${folder}/human`);
  await clock.advance(seconds(2));
  t.equal(await store.identify(token), undefined, "a change counts again");
  store.assertSure();
});

t.test("whose token is gone is told, also where another program removed or replaced its file", async (t) => {
  const { folder, clock, store } = await storeRig(t);
  const told: string[] = [];
  store.onRevoke("observer", () => told.push("a connection of observer"));
  const cancel = store.watchGone((name) => told.push(name));
  await store.revoke("agent");
  t.same(told.splice(0), ["agent"]);
  rmSync(`${folder}/observer`);
  await clock.advance(seconds(2));
  await store.identify("x".repeat(43));
  t.same(told.splice(0), ["a connection of observer", "observer"]);
  writeFileSync(`${folder}/human`, `${"y".repeat(43)}\n`);
  await clock.advance(seconds(2));
  await store.identify("x".repeat(43));
  t.same(told.splice(0), ["human"]);
  cancel();
});

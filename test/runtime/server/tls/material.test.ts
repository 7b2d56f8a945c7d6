import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../../drivers/clock/simulated-clock.js";
import {
  expiryTrouble,
  ownFiles,
  ownMaterial,
  readMaterial,
} from "../../../../runtime/server/tls/material.js";
import { authority, newKey, pemOf, signedBy } from "../../../certificates.js";

const NAMES = ["attic", "attic.local", "localhost", "127.0.0.1"];
const by = authority();

function files(t: Test, { key, cert }: { key: string; cert: string }) {
  const folder = t.testdir({ "cert.pem": cert });
  writeFileSync(join(folder, "key.pem"), key, { mode: 0o600 });
  return { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
}

t.test("the first start makes a key for the owner's eyes only, and a certificate for it", async (t) => {
  const state = t.testdir();
  const made = await ownMaterial(state, NAMES);
  const own = ownFiles(state);
  t.equal(statSync(own.folder).mode & 0o777, 0o700);
  t.equal(statSync(own.key).mode & 0o777, 0o600);
  t.match(made.leaf.subjectAltName, /DNS:attic, DNS:attic\.local, DNS:localhost, IP Address:127\.0\.0\.1/);
});

t.test("a later start has the same key and the same certificate", async (t) => {
  const state = t.testdir();
  const first = await ownMaterial(state, NAMES);
  t.same(await ownMaterial(state, NAMES), first);
});

t.test(
  "other names, and a certificate that is gone or is none, change the wrapping and not the key",
  async (t) => {
    const state = t.testdir();
    const { pin } = await ownMaterial(state, NAMES);
    const renamed = await ownMaterial(state, ["cellar"]);
    t.match(renamed, { pin, leaf: { subjectAltName: "DNS:cellar" } });
    rmSync(ownFiles(state).cert);
    t.match(await ownMaterial(state, NAMES), { pin });
    writeFileSync(ownFiles(state).cert, "no certificate");
    t.match(await ownMaterial(state, NAMES), { pin });
  },
);

t.test(
  "a key of ours that is damaged or open is refused, and never replaced: agents know us by it",
  async (t) => {
    const state = t.testdir();
    await ownMaterial(state, NAMES);
    const { key } = ownFiles(state);
    chmodSync(key, 0o644);
    await t.rejects(ownMaterial(state, NAMES), {
      code: "TLS_FAILED",
      message: /key\.pem is open.*chmod o-rwx/,
    });
    chmodSync(key, 0o600);
    writeFileSync(key, "torn");
    await t.rejects(ownMaterial(state, NAMES), { code: "TLS_FAILED", message: /holds no private key/ });
    t.equal(readFileSync(key, "utf8"), "torn");
  },
);

t.test("a key of the owner's may be read by its group, and not by everybody", async (t) => {
  const own = files(t, signedBy({ by }));
  chmodSync(own.key, 0o640);
  t.match(await readMaterial(own.cert, own.key), { pin: /^sha256:/ });
  for (const mode of [0o644, 0o602, 0o601]) {
    chmodSync(own.key, mode);
    await t.rejects(readMaterial(own.cert, own.key), {
      code: "TLS_FAILED",
      message: /open to every user/,
      problem: { is: "open_to_all", file: own.key },
    });
  }
});

t.test("what does not fit together is named", async (t) => {
  const right = signedBy({ by });
  const refused = async (pair: { key: string; cert: string }, message: RegExp) => {
    const own = files(t, pair);
    await t.rejects(readMaterial(own.cert, own.key), { code: "TLS_FAILED", message });
  };
  await refused({ ...right, key: pemOf(newKey()) }, /key\.pem is not the key of the first certificate/);
  await refused({ ...right, cert: by.certificate.toString() + right.cert }, /is not the key/);
  await refused({ ...right, cert: "" }, /cert\.pem holds no certificate/);
  await refused({ ...right, cert: right.key }, /cert\.pem holds no certificate/);
  const locked = newKey().export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" });
  await refused({ ...right, key: String(locked) }, /protected by a passphrase/);
  const own = files(t, right);
  rmSync(own.cert);
  t.equal(spawnSync("mkfifo", [own.cert]).status, 0);
  await t.rejects(
    readMaterial(own.cert, own.key),
    { message: /cert\.pem cannot be read/ },
    "a pipe is not opened",
  );
  await t.rejects(readMaterial("/nowhere/cert.pem", "/nowhere/key.pem"), {
    code: "TLS_FAILED",
    message: /\/nowhere\/cert\.pem cannot be read \(ENOENT\)/,
  });
});

t.test("a chain is served whole", async (t) => {
  const right = signedBy({ by });
  const own = files(t, { ...right, cert: right.cert + by.certificate.toString() });
  t.equal((await readMaterial(own.cert, own.key)).cert, right.cert + by.certificate.toString());
});

t.test(
  "an end that is near, past, or a beginning to come is told, where the clock can be believed",
  async (t) => {
    const clock = new SimulatedClock("2026-06-01T08:00:00Z");
    const told = (from: string, until: string) => expiryTrouble(signedBy({ by, from, until }).leaf, clock);
    t.equal(told("2026-05-01T00:00:00Z", "2026-06-16T00:00:00Z"), undefined);
    const soon = told("2026-05-01T00:00:00Z", "2026-06-15T00:00:00Z");
    t.same(soon, { is: "expires_soon", day: "2026-06-15" });
    const past = told("2026-05-01T00:00:00Z", "2026-06-01T08:00:00Z");
    t.same(past, { is: "expired", day: "2026-06-01" });
    const early = told("2026-06-02T00:00:00Z", "2026-07-01T00:00:00Z");
    t.same(early, { is: "not_yet_valid", day: "2026-06-02" });
    const unset = { now: () => clock.now(), synchronised: () => false };
    t.equal(expiryTrouble(signedBy({ by, until: "2021-01-01T00:00:00Z" }).leaf, unset), undefined);
  },
);

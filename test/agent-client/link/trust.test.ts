import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { openSocket } from "../../../agent-client/link/link.js";
import { FirstUse, KnownRuntimes, pinned, type Trust } from "../../../agent-client/link/trust.js";
import { selfSigned } from "../../../runtime/server/tls/certificate.js";
import { asPin, pinOf } from "../../../runtime/wire/proof.js";
import type { Peer } from "../../../runtime/wire/secure-socket.js";
import { authority, newKey, pemOf, signedBy } from "../../certificates.js";
import { peer } from "./fixture-peer.js";

const never = new AbortController().signal;
const TOKEN = "secret-token-0123456789-0123456789";
const own = (key = newKey()) => ({ key: pemOf(key), cert: selfSigned(key, ["localhost"]).toString() });

/** What an agent with this folder makes of who answers there, in a new process each. */
function agentIn(folder: string) {
  const told: string[] = [];
  const trust = (anew = false) => new FirstUse(new KnownRuntimes(folder), (text) => told.push(text), anew);
  const dial = (url: string, how: Trust = trust()) =>
    openSocket({ url, token: TOKEN, trust: how }, never).then(
      (socket) => socket.terminate(),
      (error: Error) => error,
    );
  return { told, trust, dial };
}

const presented = (problem: string | undefined, key = newKey()): Peer => {
  return { url: "wss://attic.local:8732/mcp", certificate: selfSigned(key, ["attic.local"]), problem };
};

t.test(
  "a wrong server sees a handshake and not a byte of the request: no token, no header, no path",
  async (t) => {
    const wrong = await peer(t, own());
    const { dial } = agentIn(t.testdir());
    t.match(await dial(wrong.url, pinned(pinOf(selfSigned(newKey(), ["x"])))), { code: "PEER_CHANGED" });
    t.match(await openSocket({ url: wrong.url, token: TOKEN }, never).catch((error: unknown) => error), {
      code: "PEER_UNTRUSTED",
    });
    t.equal(wrong.connections(), 2);
    t.equal(await wrong.heard(), "");
  },
);

t.test("the right server sees the request with the token: so the test above would notice one", async (t) => {
  const key = newKey();
  const right = await peer(t, own(key), "HTTP/1.1 401 Unauthorized\r\n\r\n");
  const { dial } = agentIn(t.testdir());
  t.match(await dial(right.url, pinned(pinOf(selfSigned(key, ["any name"])))), { code: "UNAUTHORIZED" });
  t.match(await right.heard(), new RegExp(`Bearer ${TOKEN}`));
});

t.test(
  "the first key that is met is told and kept, for the owner's eyes; the same passes, another does not",
  async (t) => {
    const folder = join(t.testdir(), "agent");
    const key = newKey();
    const [first, second] = [agentIn(folder), agentIn(folder)];
    first.trust().admit(presented("DEPTH_ZERO_SELF_SIGNED_CERT", key));
    t.match(first.told, [/^attic\.local:8732 is known by its key sha256:\S+ from now on; `tendril tls`/]);
    t.equal(statSync(join(folder, "runtimes.json")).mode & 0o777, 0o600);
    second.trust().admit(presented("CERT_HAS_EXPIRED", key));
    t.throws(() => second.trust().admit(presented("DEPTH_ZERO_SELF_SIGNED_CERT")), {
      code: "PEER_CHANGED",
      message: /shows the key sha256:\S+, but before it was sha256:\S+:.*--repin/,
    });
    t.same(second.told, []);
  },
);

t.test("a key that was met is not replaced by any authority's word", async (t) => {
  const { trust } = agentIn(t.testdir());
  trust().admit(presented("DEPTH_ZERO_SELF_SIGNED_CERT"));
  t.throws(() => trust().admit(presented(undefined)), { code: "PEER_CHANGED" });
});

t.test("--repin trusts another key, once, and then that one alone", async (t) => {
  const { trust, told } = agentIn(t.testdir());
  const [old, fresh] = [newKey(), newKey()];
  trust().admit(presented("DEPTH_ZERO_SELF_SIGNED_CERT", old));
  const anew = trust(true);
  anew.admit(presented("DEPTH_ZERO_SELF_SIGNED_CERT", fresh));
  t.equal(told.length, 2);
  for (const each of [anew, trust()]) {
    each.admit(presented("DEPTH_ZERO_SELF_SIGNED_CERT", fresh));
    t.throws(() => each.admit(presented("DEPTH_ZERO_SELF_SIGNED_CERT", old)), { code: "PEER_CHANGED" });
  }
});

t.test("a runtime that an authority vouched for needs one ever after, whatever key it has", async (t) => {
  const { trust, told } = agentIn(t.testdir());
  trust().admit(presented(undefined));
  trust().admit(presented(undefined));
  t.same(told, []);
  for (const problem of ["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"])
    t.throws(() => trust().admit(presented(problem)), {
      code: "PEER_UNTRUSTED",
      message: new RegExp(problem),
    });
});

t.test("a certificate of a known authority's that does not hold is no first use", async (t) => {
  const folder = t.testdir();
  const { trust } = agentIn(folder);
  const certificate = signedBy({ by: authority() }).leaf;
  for (const problem of ["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "CERT_NOT_YET_VALID"])
    t.throws(() => trust().admit({ url: "wss://attic:8732/mcp", certificate, problem }), {
      code: "PEER_UNTRUSTED",
    });
  t.equal(new KnownRuntimes(folder).find("attic:8732"), undefined);
});

t.test("a certificate that signs itself is met by its key also where a clock is wrong", async (t) => {
  const { trust, told } = agentIn(t.testdir());
  trust().admit(presented("CERT_NOT_YET_VALID"));
  t.equal(told.length, 1);
});

t.test("each runtime is known by host and port", async (t) => {
  const { trust } = agentIn(t.testdir());
  const [one, other] = [presented("DEPTH_ZERO_SELF_SIGNED_CERT"), presented("DEPTH_ZERO_SELF_SIGNED_CERT")];
  trust().admit(one);
  trust().admit({ ...other, url: "wss://attic.local:9000/mcp" });
  trust().admit({ ...other, url: "wss://cellar.local:8732/mcp" });
  t.throws(() => trust().admit({ ...other, url: "wss://ATTIC.local:8732/other" }), { code: "PEER_CHANGED" });
});

t.test("a file of known runtimes that cannot be understood is never taken for an empty one", async (t) => {
  const folder = t.testdir();
  for (const text of ["", "{", '{"version":2,"runtimes":{}}', '{"version":1}']) {
    writeFileSync(join(folder, "runtimes.json"), text);
    t.throws(() => agentIn(folder).trust().admit(presented("DEPTH_ZERO_SELF_SIGNED_CERT")), {
      name: "UsageError",
      message: /runtimes\.json is damaged/,
    });
  }
});

t.test("a name such as __proto__ is nobody's", async (t) => {
  const known = new KnownRuntimes(t.testdir());
  known.trust("attic:8732", "authorities");
  for (const at of ["__proto__", "constructor", "toString"]) t.equal(known.find(at), undefined);
});

t.test("meeting a key again keeps the token that was got for it", async (t) => {
  const folder = t.testdir();
  const known = new KnownRuntimes(folder);
  known.paired("attic:8732", { trust: "authorities", url: "wss://attic:8732/mcp", token: TOKEN });
  known.trust("attic:8732", "authorities");
  t.match(known.find("attic:8732"), { token: TOKEN });
  t.match(known.onlyPaired(), { url: "wss://attic:8732/mcp" });
  known.paired("cellar:8732", { trust: "authorities", url: "wss://cellar:8732/mcp", token: TOKEN });
  t.equal(known.onlyPaired(), undefined, "of two neither is meant");
  t.ok(readFileSync(join(folder, "runtimes.json"), "utf8").includes("cellar"));
});

t.test("a runtime that was paired with again, by another address, is one: the newest counts", async (t) => {
  const known = new KnownRuntimes(t.testdir());
  const trust = pinOf(selfSigned(newKey(), ["x"]));
  for (const [host, token] of [
    ["attic", "first"],
    ["192.168.1.20", "second"],
    ["attic", "third"],
  ] as const)
    known.paired(`${host}:8732`, { trust, url: `wss://${host}:8732/mcp`, token });
  t.match(known.onlyPaired(), { url: "wss://attic:8732/mcp", token: "third" });
  t.match(known.find("192.168.1.20:8732"), { token: "second" });
});

t.test("a pin is told from what is none", async (t) => {
  const pin = pinOf(selfSigned(newKey(), ["x"]));
  t.equal(asPin(pin), pin);
  for (const wrong of ["", "sha256:", pin.slice(7), pin.slice(0, -1), `${pin}=`, pin.replace("256", "1")])
    t.throws(() => asPin(wrong), /sha256: and 44 characters/);
});

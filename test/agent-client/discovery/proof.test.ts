import { rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { SystemClock } from "../../../agent-client/clock.js";
import { provenAt } from "../../../agent-client/discovery/find-runtime.js";
import { seconds } from "../../../drivers/units.js";
import { proofOf, secretOf, tokenKeyOf } from "../../../runtime/wire/proof.js";
import { ask, codeOf } from "../../runtime/server/fixture-http.js";
import { bearer, serverRig } from "../../runtime/server/fixture-rig.js";
import { TcpProxy } from "../../tcp-proxy.js";

const around = { clock: new SystemClock(), signal: new AbortController().signal };

async function impostor(t: Test, answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

t.test("a proof is for one challenge, one address and one key", async (t) => {
  const secret = secretOf("a token");
  const asked = { challenge: "00", address: "192.168.1.20", port: 8731, pin: undefined };
  // by hand, with openssl dgst -hmac: a runtime and an agent of different versions must agree
  t.equal(tokenKeyOf(secret), "1086ed5d7b391cd9");
  const proof = proofOf(secret, asked, "run");
  t.equal(proof, "10c96773d190798ce105f60b3d6eae722ada376becdb799bc868c29fa8303c72");
  for (const other of [{ challenge: "01" }, { address: "192.168.1.2" }, { port: 8732 }, { pin: "sha256:x" }])
    t.not(proofOf(secret, { ...asked, ...other }, "run"), proof);
});

t.test("a runtime shows that it knows a token of its own, and no other", async (t) => {
  const rig = await serverRig(t);
  t.match(await provenAt(rig.server.url, rig.token, around), { runtime: String, pin: undefined });
  t.equal(await provenAt(rig.server.url, `${rig.token}x`, around), undefined);
});

t.test("an impostor that hands the question on to the runtime is found out", async (t) => {
  const rig = await serverRig(t);
  const proxy = new TcpProxy(rig.server.port);
  const port = await proxy.listen();
  t.teardown(() => proxy.close());
  t.equal(await provenAt(`ws://127.0.0.1:${port}/mcp`, rig.token, around), undefined);
  t.equal(proxy.connections, 1);
});

t.test("what is asked tells neither the token nor its hash", async (t) => {
  const asked: string[] = [];
  const url = await impostor(t, (request, response) => {
    asked.push(`${request.url} ${JSON.stringify(request.headers)}`);
    response.end("{}");
  });
  const token = "a-token-of-thirty-two-characters-";
  t.equal(await provenAt(url, token, around), undefined);
  t.match(asked, [/^\/proof\?key=[0-9a-f]{16}&challenge=[0-9a-f]{64} /]);
  const hash = secretOf(token).toString("hex");
  t.notOk(asked.join().includes(token) || asked.join().includes(hash.slice(0, 16)));
});

t.test("who answers at length, elsewhere, not at all or drop by drop does not know it", async (t) => {
  const answers: Record<string, RequestListener> = {
    "at length": (_, response) => response.end("x".repeat(1_000_000)),
    elsewhere: (_, response) => response.writeHead(302, { Location: "http://127.0.0.1:1/proof" }).end(),
    "drop by drop": (_, response) => {
      const drop = setInterval(() => response.write("x"), 50);
      response.on("close", () => clearInterval(drop));
    },
    "by hanging up": (request) => request.socket.destroy(),
  };
  for (const [how, answer] of Object.entries(answers))
    t.equal(await provenAt(await impostor(t, answer), "a token", around), undefined, how);
});

t.test("the runtime wants 64 digits, and says no more of a token that it does not know", async (t) => {
  const rig = await serverRig(t);
  const refused = async (query: string) => codeOf(await ask(rig, "GET", `/proof?${query}`));
  t.equal(await refused("key=00&challenge=00"), "INVALID_ARGUMENT");
  t.equal(await refused(`key=00&challenge=${"0".repeat(64)}`), "NOT_FOUND");
  const foreign = { ...bearer(rig.token), Host: "evil.example" };
  t.equal(codeOf(await ask(rig, "GET", "/proof", foreign)), "ORIGIN_REFUSED");
});

t.test("a token that was taken back is known no more", async (t) => {
  const rig = await serverRig(t);
  await rm(`${rig.folder}/tokens/agent`);
  await rig.clock.advance(seconds(2));
  t.equal(await provenAt(rig.server.url, rig.token, around), undefined);
});

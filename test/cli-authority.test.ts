import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { selfSigned } from "../runtime/server/tls/certificate.js";
import { pinOf } from "../runtime/wire/proof.js";
import { authority, newKey, pemOf, signedBy } from "./certificates.js";
import { RuntimeHere } from "./process.js";
import { endOf } from "./run-tendril.js";
import { folders } from "./secured-runtime.js";
import { spawnNode } from "./spawn-node.js";
import { AGENT, tendrilHere } from "./tendril-here.js";

t.test(
  "an owner's certificate needs no pin while its authority's word holds, and nothing else does in its place",
  async (t) => {
    const { home, state, own, file } = folders(t);
    const by = authority();
    const [cert, key, ca] = ["cert.pem", "key.pem", "ca.pem"].map((name) => join(home, name));
    writeFileSync(ca ?? "", by.certificate.toString());
    let port = 0;
    const serving = async (keys: { cert: string; key: string }) => {
      writeFileSync(cert ?? "", keys.cert);
      writeFileSync(key ?? "", keys.key, { mode: 0o600 });
      writeFileSync(
        file,
        `server: { tls: { port: ${port}, host: 127.0.0.1, cert: ${cert}, key: ${key} } }\n`,
      );
      const runtime = await RuntimeHere.start({ state, args: ["--config", file] });
      t.teardown(() => runtime.stop());
      const { out } = await tendrilHere(["pair", "--state", state]);
      port = Number(/:(\d+)\/mcp/.exec(out)?.[1]);
      return runtime;
    };
    const agent = (...args: string[]) => {
      const to = ["--url", `wss://localhost:${port}/mcp`, "--token-file", join(state, "tokens", "agent")];
      const env = { NODE_EXTRA_CA_CERTS: ca }; // read by Node at the start of a process
      return endOf(spawnNode([AGENT, "--once", "--agent-state", own, ...to, ...args], env));
    };

    const first = await serving(signedBy({ by }));
    const met = await agent();
    t.match(met, { code: 0 }, met.err);
    t.notMatch(met.out, /trusted/, "nobody has to compare anything");
    t.match(readFileSync(join(own, "runtimes.json"), "utf8"), /"trust":"authorities"/);
    await first.stop();

    const renewed = await serving(signedBy({ by }));
    t.match(await agent(), { code: 0 }, "another key, as ACME has it, is the same runtime");
    await renewed.stop();

    const expired = signedBy({ by, until: "2021-01-01T00:00:00Z" });
    const late = await serving(expired);
    t.match(await agent(), { code: 5, err: /\(CERT_HAS_EXPIRED\).*renew.*PEER_UNTRUSTED/ });
    t.match(await agent("--pin", pinOf(expired.leaf)), { code: 0 }, "but a pin is a pin");
    await late.stop();

    const other = newKey();
    const posing = await serving({ key: pemOf(other), cert: selfSigned(other, ["localhost"]).toString() });
    t.match(await agent(), { code: 5, err: /\(DEPTH_ZERO_SELF_SIGNED_CERT\).*PEER_UNTRUSTED/ });
    const { log } = await posing.stop();
    t.notMatch(log, /connected client=agent/, "and was sent nothing");
  },
);

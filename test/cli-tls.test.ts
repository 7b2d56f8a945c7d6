import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SystemClock } from "../drivers/clock/system-clock.js";
import { seconds } from "../drivers/units.js";
import { RuntimeHere } from "./process.js";
import { failsClearly, tendrilTold } from "./run-tendril.js";
import { secured, TLS } from "./secured-runtime.js";
import { agentHere } from "./tendril-here.js";

const clock = new SystemClock();

t.test(
  "one command on each side pairs an agent, which needs neither code nor token afterwards",
  async (t) => {
    const { on, own, state, agent, code, runtime } = await secured(t);
    const { spelled, url, pin, out } = await code();
    t.match(
      out,
      /^([0-9A-Z]{4}-){3}[0-9A-Z]{4}\n\nWorks once, within 10 minutes, for the role agent\. On the other/,
    );
    const first = await agent("--url", url, "--pair", spelled.toLowerCase());
    t.equal(first.code, 0, first.err);
    t.match(
      first.out,
      /paired +with 127\.0\.0\.1:\d+ as agent\.[\w-]+; the next start needs\s+no\s+code[\s\S]*completed/,
    );
    const kept = join(own, "runtimes.json");
    t.equal(statSync(kept).mode & 0o777, 0o600);
    t.match(JSON.parse(readFileSync(kept, "utf8")), {
      runtimes: { [new URL(url).host]: { trust: pin, url } },
    });
    t.match(await agent(), { code: 0, out: /completed/ }, "not even the address");
    const again = await agent("--url", url, "--pair", spelled);
    t.match(again, { code: 4, err: /does not take this code: make a new code with `tendril pair`/ });
    const [paired = ""] = readdirSync(join(state, "tokens")).filter((name) => name.startsWith("agent."));
    t.match(await on("token", "list"), { out: new RegExp(`^agent +since .*\\n${paired} +since \\d{4}-`) });
    t.match(await on("token", "revoke", paired), { code: 0, out: /is revoked/ });
    await clock.sleep(seconds(1));
    t.match(await agent(), { code: 4, err: /UNAUTHORIZED/ });
    failsClearly(t, await on("token", "revoke", "../runtime.json"), /there is no token/);
    const { log } = await runtime.stop();
    for (const secret of [spelled, spelled.replaceAll("-", "")])
      t.notOk(log.includes(secret), "no code in the log");
  },
);

t.test("a code may come on standard input, and none is asked for in vain", async (t) => {
  const { own, code } = await secured(t);
  const { spelled, url } = await code();
  const args = ["--url", url, "--pair", "--agent-state", own, "--once"];
  const typed = (text: string) => agentHere(args, {}, text).ended;
  t.match(await typed(""), { code: 2, err: /no code was given/ });
  t.match(await typed(`${spelled.slice(0, -1)}U\n`), { code: 2, err: /--pair: must be 16 letters/ });
  t.match(await tendrilTold(["agent", ...args], [spelled]), { code: 0, out: /completed/ });
});

t.test(
  "another key than before ends the agent with 5 before the token is sent; --repin trusts it",
  async (t) => {
    const { agent, code, own, runtime, state, file } = await secured(t);
    const { url, spelled, port } = await code();
    t.match(await agent("--url", url, "--pair", spelled), { code: 0 });
    await runtime.stop();
    rmSync(join(state, "tls"), { recursive: true });
    writeFileSync(file, TLS.replace("port: 0", `port: ${port}`));
    const other = await RuntimeHere.start({ state, args: ["--config", file] });
    t.teardown(() => other.stop());
    const changed = await agent();
    t.match(changed, {
      code: 5,
      err: /shows the key sha256:\S+, but before it was sha256:.*--repin.*\(PEER_CHANGED\)/,
    });
    t.match(await agent("--repin"), { code: 0, out: /trusted +127\.0\.0\.1:\d+ is known by its key/ });
    t.match(await agent(), { code: 0 });
    t.match(await agent("--pin", `sha256:${"A".repeat(43)}=`), { code: 5, err: /--pin says/ });
    t.match(await agent("--pin", "sha1:abc"), { code: 2, err: /44 characters of base64/ });
    t.ok(readFileSync(join(own, "runtimes.json"), "utf8").includes("sha256:"));
  },
);

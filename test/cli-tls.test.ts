import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SystemClock } from "../drivers/clock/system-clock.js";
import { seconds } from "../drivers/units.js";
import { authority, newKey, pemOf, signedBy } from "./certificates.js";
import { RuntimeProcess } from "./process.js";
import { endOf, failsClearly, TENDRIL, tendril } from "./run-tendril.js";
import { PLAIN_NODE } from "./spawn-node.js";

const clock = new SystemClock();
const TLS = "server: { tls: { port: 0, host: 127.0.0.1 } }\n";

function folders(t: Test) {
  const home = mkdtempSync(join(tmpdir(), "tendril-tls-"));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  return { home, state: join(home, "state"), own: join(home, "agent"), file: join(home, "tendril.yaml") };
}

/** A runtime with TLS, and an agent with a folder of its own on what could be another computer. */
async function secured(t: Test) {
  const { state, own, file } = folders(t);
  writeFileSync(file, TLS);
  const runtime = await RuntimeProcess.start({ state, args: ["--config", file] });
  t.teardown(() => runtime.stop());
  const on = (...args: string[]) => tendril([...args, "--state", state]);
  const agent = (...args: string[]) =>
    tendril(["agent", "--state", "/nowhere", "--agent-state", own, "--once", ...args]);
  /** What `tendril pair` says, taken apart. */
  const code = async (...args: string[]) => {
    const { out } = await on("pair", ...args);
    const [, spelled = "", port = "", pin = ""] =
      /^(\S+)\n[\s\S]*:(\d+)\/mcp[\s\S]*(sha256:\S+)/.exec(out) ?? [];
    return { out, spelled, pin, port: Number(port), url: `wss://127.0.0.1:${port}/mcp` };
  };
  return { state, own, file, runtime, on, agent, code };
}

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
      /paired +with 127\.0\.0\.1:\d+ as agent\.[\w-]+; the next start needs no code[\s\S]*completed/,
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
    t.match(await on("token", "revoke", paired), { code: 0, out: /is taken back/ });
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
  const typed = (text: string) => {
    const [command, ...before] = PLAIN_NODE;
    const args = [TENDRIL, "agent", "--url", url, "--pair", "--agent-state", own, "--once"];
    const child = spawn(command, [...before, ...args], { stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.end(text);
    return endOf(child);
  };
  t.match(await typed(""), { code: 2, err: /no code was given/ });
  t.match(await typed(`${spelled.slice(0, -1)}U\n`), { code: 2, err: /--pair: must be 16 letters/ });
  t.match(await typed(`${spelled}\n`), { code: 0, out: /completed/ });
});

t.test("a code is seen and voided from the machine, and is for TLS alone", async (t) => {
  const { on, agent, code, runtime } = await secured(t);
  t.match(await on("pair", "--list"), { out: "no code is open\n" });
  const { spelled, url } = await code("--name", "attic");
  t.match(await on("pair", "--list"), { out: /role agent is open for another 10 minutes, 5 tries left/ });
  t.match(await on("pair", "--cancel"), { out: "the code is void\n" });
  t.match(await agent("--url", url, "--pair", spelled), { code: 4 });
  t.match(await agent("--url", runtime.url, "--pair", spelled), {
    code: 2,
    err: /--pair needs a wss:\/\/ address/,
  });
  const mistyped = spelled.slice(0, -1) + (spelled.endsWith("0") ? "1" : "0");
  t.match(await agent("--url", url, "--pair", mistyped), { code: 2, err: /has a typing mistake/ });
});

t.test("a runtime without TLS makes no code, and says what to add", async (t) => {
  const { state } = folders(t);
  const runtime = await RuntimeProcess.start({ state });
  t.teardown(() => runtime.stop());
  failsClearly(t, await tendril(["pair", "--state", state]), /by TLS alone.*`tls: \{\}` under server/);
  t.match(await tendril(["tls", "--state", state]), { code: 0, out: /TLS is off: add/ });
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
    const other = await RuntimeProcess.start({ state, args: ["--config", file] });
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

t.test("a person's commands go over TLS to whom they know: the folder's own key, or a pin", async (t) => {
  const { on, code, state, file } = await secured(t);
  const { url, pin } = await code();
  const https = url.replace("wss:", "https:");
  t.match(await on("status", "--url", https), { code: 0, out: /Basil/ });
  const token = ["--token-file", join(state, "tokens", "human")];
  const away = (...args: string[]) =>
    tendril(["status", "--state", "/nowhere", "--url", https, ...token, ...args]);
  failsClearly(t, await away(), /nobody here vouches for.*sha256:.*--pin/);
  failsClearly(t, await away("--pin", `sha256:${"A".repeat(43)}=`), /not the one that --pin names/);
  t.match(await away("--pin", pin), { code: 0, out: /Basil/ });
  t.match(await on("tls", "--config", file), {
    code: 0,
    out: new RegExp(`key +${pin.replaceAll("+", "\\+")}`),
  });
});

t.test(
  "a certificate that cannot be used does not keep the runtime from starting, and the person is told",
  async (t) => {
    const { state, file, home } = folders(t);
    const [cert, key] = [join(home, "cert.pem"), join(home, "key.pem")];
    const tls = `{ port: 0, host: 127.0.0.1, cert: ${cert}, key: ${key} }`;
    writeFileSync(file, `server: { tls: ${tls} }\n`);
    const runtime = await RuntimeProcess.start({ state, args: ["--config", file] });
    t.teardown(() => runtime.stop());
    const { out } = await tendril(["messages", "--state", state]);
    t.match(out, /TLS is not served: .*cert\.pem cannot be read \(ENOENT\).*TLS_FAILED/s);
    t.match(await tendril(["off", "--state", state]), { code: 0 });
    failsClearly(t, await tendril(["tls", "--state", state, "--config", file]), /cannot be read/);
    const expired = signedBy({ by: authority(), until: "2021-01-01T00:00:00Z" });
    writeFileSync(cert, expired.cert);
    writeFileSync(key, pemOf(newKey()), { mode: 0o600 });
    failsClearly(
      t,
      await tendril(["tls", "--state", state, "--config", file]),
      /is not the key of the first/,
    );
    writeFileSync(key, expired.key);
    t.match(await tendril(["tls", "--state", state, "--config", file]), {
      code: 0,
      out: /valid until +Jan {2}1 .*2021/,
    });
  },
);

t.test("who turns TLS on does not leave the other port open by accident", async (t) => {
  const { state, file } = folders(t);
  writeFileSync(file, `${TLS.replace(" }\n", ", host: 0.0.0.0 }\n")}`);
  const serve = ["serve", "--bench", "--state", state, "--port", "0", "--config", file];
  failsClearly(t, await tendril(serve), /server\.host: 0\.0\.0\.0 would leave the port without TLS open/);
  writeFileSync(file, TLS);
  t.match(await tendril([...serve, "--host", "0.0.0.0"]), { code: 2, err: /--host 0\.0\.0\.0 would leave/ });
});

t.test(
  "a person joins from another computer, and every command there goes to that runtime from then on",
  async (t) => {
    const { code, on } = await secured(t);
    const { state: away } = folders(t);
    const { spelled, port, out } = await code("--role", "human", "--name", "phone");
    t.match(
      out,
      /for the role human, which may do everything\. On the other computer:\n {2}tendril join https:\/\/\S+ /,
    );
    const url = `https://127.0.0.1:${port}`;
    const join = (...args: string[]) => tendril(["join", ...args, "--state", away]);
    failsClearly(
      t,
      await join(url, spelled, "--role", "observer"),
      /this code is for the role human, not for observer/,
    );
    failsClearly(
      t,
      await join(
        url,
        spelled.replace(/^./, (letter) => (letter === "0" ? "1" : "0")),
      ),
      /typing mistake/,
    );
    failsClearly(t, await join(url.replace("https", "http"), spelled), /must be https/);
    t.match(await join(url, spelled), { code: 0, out: /^joined 127\.0\.0\.1:\d+ as human\.phone; commands/ });
    t.equal(statSync(`${away}/joined.json`).mode & 0o777, 0o600);
    t.match(await tendril(["status", "--state", away]), { code: 0, out: /Basil/ });
    t.match(await tendril(["off", "--state", away]), { code: 0, out: /everything is off and on hold/ });
    failsClearly(t, await join(url, spelled), /gives no token: no code that is open fits/);
    t.match(await on("token", "revoke", "human.phone"), { code: 0 });
    await clock.sleep(seconds(1));
    failsClearly(t, await tendril(["status", "--state", away]), /does not know this token/);
  },
);

t.test("whose key is another than the one that was joined is sent nothing", async (t) => {
  const { state } = folders(t);
  const other = await secured(t);
  const { url } = await other.code();
  const joined = {
    url: url.replace("wss", "https"),
    pin: `sha256:${"A".repeat(43)}=`,
    token: "x".repeat(43),
  };
  mkdirSync(state);
  writeFileSync(join(state, "joined.json"), JSON.stringify(joined));
  failsClearly(t, await tendril(["status", "--state", state]), /shows the key sha256:/);
  writeFileSync(join(state, "joined.json"), "{");
  failsClearly(t, await tendril(["status", "--state", state]), /joined\.json cannot be understood/);
});

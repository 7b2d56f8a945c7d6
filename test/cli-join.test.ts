import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { SystemClock } from "../drivers/clock/system-clock.js";
import { seconds } from "../drivers/units.js";
import { authority, newKey, pemOf, signedBy } from "./certificates.js";
import { RuntimeHere } from "./process.js";
import { failsClearly, tendril } from "./run-tendril.js";
import { folders, secured, TLS } from "./secured-runtime.js";
import { tendrilHere } from "./tendril-here.js";

const clock = new SystemClock();

t.test("a code is seen and voided from the machine, and is for TLS alone", async (t) => {
  const { on, agent, code, runtime } = await secured(t);
  t.match(await on("pair", "--list"), { out: "no code is open\n" });
  const { spelled, url } = await code("--name", "attic");
  t.match(await on("pair", "--list"), { out: /role agent is open for another 10 minutes, 5 tries left/ });
  t.match(await on("pair", "--cancel"), { out: "the code is cancelled\n" });
  t.match(await agent("--url", url, "--pair", spelled), { code: 4 });
  t.match(await agent("--url", runtime.url, "--pair", spelled), {
    code: 2,
    err: /--pair needs a wss:\/\/ address/,
  });
  const mistyped = spelled.slice(0, -1) + (spelled.endsWith("1") ? "2" : "1");
  t.match(await agent("--url", url, "--pair", mistyped), { code: 2, err: /has a typing mistake/ });
});

t.test("a runtime without TLS makes no code, and says what to add", async (t) => {
  const { state } = folders(t);
  const runtime = await RuntimeHere.start({ state });
  t.teardown(() => runtime.stop());
  failsClearly(t, await tendrilHere(["pair", "--state", state]), /over TLS only.*`tls: \{\}` under server/);
  t.match(await tendrilHere(["tls", "--state", state]), { code: 0, out: /TLS is off: add/ });
});

t.test("a person's commands go over TLS to whom they know: the folder's own key, or a pin", async (t) => {
  const { on, code, state, file } = await secured(t);
  const { url, pin } = await code();
  const https = url.replace("wss:", "https:");
  t.match(await on("status", "--url", https), { code: 0, out: /Basil/ });
  const token = ["--token-file", join(state, "tokens", "human")];
  const away = (...args: string[]) =>
    tendrilHere(["status", "--state", "/nowhere", "--url", https, ...token, ...args]);
  failsClearly(t, await away(), /this computer does not trust.*sha256:.*--pin/);
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
    const runtime = await RuntimeHere.start({ state, args: ["--config", file] });
    t.teardown(() => runtime.stop());
    const { out } = await tendrilHere(["messages", "--state", state]);
    t.match(out, /TLS is not served: .*cert\.pem cannot be read \(ENOENT\).*TLS_FAILED/s);
    t.match(await tendrilHere(["off", "--state", state]), { code: 0 });
    failsClearly(t, await tendrilHere(["tls", "--state", state, "--config", file]), /cannot be read/);
    const expired = signedBy({ by: authority(), until: "2021-01-01T00:00:00Z" });
    writeFileSync(cert, expired.cert);
    writeFileSync(key, pemOf(newKey()), { mode: 0o600 });
    failsClearly(
      t,
      await tendrilHere(["tls", "--state", state, "--config", file]),
      /is not the key of the first/,
    );
    writeFileSync(key, expired.key);
    t.match(await tendrilHere(["tls", "--state", state, "--config", file]), {
      code: 0,
      out: /valid until +Jan {2}1 .*2021/,
    });
  },
);

t.test("who turns TLS on does not leave the other port open by accident", async (t) => {
  const { state, file } = folders(t);
  writeFileSync(file, `${TLS.replace(" }\n", ", host: 0.0.0.0 }\n")}`);
  const serve = ["serve", "--bench", "--state", state, "--port", "0", "--config", file];
  failsClearly(t, await tendrilHere(serve), /server\.host: 0\.0\.0\.0 would leave the port without TLS open/);
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
    const join = (...args: string[]) => tendrilHere(["join", ...args, "--state", away]);
    failsClearly(
      t,
      await join(url, spelled, "--role", "observer"),
      /this code is for the role human, not for observer/,
    );
    failsClearly(
      t,
      await join(
        url,
        // the check letter: another mistake passes it once in 32 times
        spelled.replace(/.$/, (letter) => (letter === "1" ? "2" : "1")),
      ),
      /typing mistake/,
    );
    failsClearly(t, await join(url.replace("https", "http"), spelled), /must be https/);
    t.match(await join(url, spelled), { code: 0, out: /^joined 127\.0\.0\.1:\d+ as human\.phone; commands/ });
    t.equal(statSync(`${away}/joined.json`).mode & 0o777, 0o600);
    t.match(await tendrilHere(["status", "--state", away]), { code: 0, out: /Basil/ });
    failsClearly(
      t,
      await tendrilHere(["pair", "--state", away]),
      /a runtime does this on its own machine\s+only/,
    );
    t.match(await tendrilHere(["off", "--state", away]), { code: 0, out: /everything is off and on hold/ });
    failsClearly(t, await join(url, spelled), /gives no token: the code is wrong, used or expired/);
    t.match(await on("token", "revoke", "human.phone"), { code: 0 });
    await clock.sleep(seconds(1));
    failsClearly(t, await tendrilHere(["status", "--state", away]), /does not know this token/);
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
  failsClearly(t, await tendrilHere(["status", "--state", state]), /shows the key sha256:/);
  writeFileSync(join(state, "joined.json"), "{");
  failsClearly(t, await tendrilHere(["status", "--state", state]), /joined\.json cannot be read/);
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SMTPServerOptions } from "smtp-server";
import t, { type Test } from "tap";
import { seconds } from "../../../drivers/units.js";
import { authority, signedBy } from "../../certificates.js";
import { servedWithTokens } from "../../contract/served.js";
import { type Rig, rigFor } from "../../rig.js";
import { allText, bridgeFolder, spawnBridge, until } from "./bridge-process.js";
import { MailServer, refusal } from "./mail-server.js";

const CONFIG = `server: { calls_per_second: 100000 }
people: [{ id: anna, email: anna@example.org }]
mail: {}`;
const MAIL = { to: "anna@example.org", subject: "The basil", body: "It is well." };
const PASSWORD = "correct-horse-battery";

const isConnected = async (rig: Rig): Promise<true | undefined> => {
  const { bridge } = await rig.get("get_overview", {}, { as: "human" });
  return (bridge as { connected: boolean }).connected || undefined;
};

/** A runtime, a bridge as a process, and a mail server with TLS whose authority the bridge is told to trust. */
async function withBridge(t: Test, security: "tls" | "starttls", more: SMTPServerOptions = {}) {
  const ca = authority();
  const { key, cert } = signedBy({ by: ca });
  const server = await MailServer.start(t, {
    ...{ key, cert, secure: security === "tls", disabledCommands: [], authOptional: false },
    onAuth: ({ password, username }, _, done) =>
      password === PASSWORD ? done(null, { user: String(username) }) : done(refusal(535)),
    ...more,
  });
  const rig = await rigFor(t, { config: CONFIG, peopleToo: true });
  const { url } = await servedWithTokens(t, rig);
  const settings = { server: "127.0.0.1", port: server.port, security, from: "tendril@home.example" };
  const folder = await bridgeFolder(
    t,
    JSON.stringify({ mail: { ...settings, user: "house", password: PASSWORD } }), // JSON is YAML
  );
  await writeFile(join(folder, "ca.pem"), ca.certificate.toString());
  const token = join(rig.state, "tokens-scoped", "bridge");
  const started = spawnBridge(["--url", url, "--token-file", token, "--state", folder], {
    NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
  });
  t.teardown(() => started.child.kill("SIGKILL"));
  await until(() => isConnected(rig));
  return { rig, server, ...started };
}

for (const security of ["tls", "starttls"] as const)
  t.test(
    `a mail goes by ${security} through a real bridge, logged in; the password stays with it`,
    async (t) => {
      const { rig, server, child, ended } = await withBridge(t, security);
      t.match(await rig.get("sendEmail", MAIL), { accepted: true, server: "127.0.0.1" });
      t.match(server.received, [{ to: ["anna@example.org"], user: "house", mail: { subject: "The basil" } }]);
      child.kill("SIGTERM");
      const { code, out, err } = await ended;
      t.equal(code, 0, err);
      t.notMatch(`${await allText(rig.state)}${rig.log.join("\n")}${out}${err}`, /correct-horse/);
    },
  );

t.test(
  "a bridge that is killed when the server has the mail leaves one mail, and a person is told",
  async (t) => {
    let taken = 0;
    const { rig, child, ended } = await withBridge(t, "tls", {
      onData: (stream) => {
        // it has the mail, and never says so
        stream.resume().once("end", () => {
          taken += 1;
        });
      },
    });
    const call = rig.call("sendEmail", MAIL, { key: "one" });
    await until(() => (taken > 0 ? true : undefined));
    child.kill("SIGKILL");
    await ended;
    for (let at = 0; at < 4; at += 1) await rig.pass(seconds(5));
    t.match(await call, { ok: false, error: { code: "JOB_UNKNOWN" } });
    t.match(await rig.refused("sendEmail", MAIL, { key: "one" }), { code: "OUTCOME_UNKNOWN" });
    const { notifications } = await rig.get("list_notifications", {}, { as: "human" });
    t.match(notifications, [{ kind: "job_unknown", data: { adapter: "mail" } }]);
    t.equal(taken, 1);
  },
);

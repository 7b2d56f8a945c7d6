import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Scrubber, secretsOf } from "../../../runtime/support/secrets.js";

function folderFor(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "tendril-secrets-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

t.test(
  "the token that was got by joining is known as one of its own, wherever it lies in its file",
  async (t) => {
    const state = folderFor(t);
    const token = "kx".repeat(22);
    mkdirSync(join(state, "tokens"));
    writeFileSync(join(state, "tokens", "agent"), "a".repeat(43));
    writeFileSync(join(state, "joined.json"), JSON.stringify({ url: "https://pi:8732/mcp", pin: "", token }));
    const secrets = await secretsOf({ state, env: {}, root: state });
    for (const secret of [token, "a".repeat(43)]) t.ok(secrets.has(secret));
  },
);

t.test("what the bridge's file keeps secret is known, and its servers' names are not removed", async (t) => {
  const root = folderFor(t);
  mkdirSync(join(root, "etc/tendril"), { recursive: true });
  writeFileSync(
    join(root, "etc/tendril/bridge.yaml"),
    `mail: { host: mail.example, user: "ann-of-mail", password: "three little words" }
ntfy: { topic: green-basil }
calendar: { family: "https://cal.example/ical/ann/private-abcdef/basic.ics" }
`,
  );
  const scrubber = new Scrubber(await secretsOf({ state: root, env: {}, root }));
  t.equal(
    scrubber.scrub("mail.example refused ann-of-mail (three little words) for green-basil"),
    "mail.example refused [removed] ([removed]) for [removed]",
  );
  t.equal(
    scrubber.scrub("cal.example answered 404 to /ical/ann/private-abcdef/basic.ics"),
    "cal.example answered 404 to [removed]",
  );
});

t.test(
  "on a bench the bridge's file is beside the state; what stands below a secret key is secret",
  async (t) => {
    const state = join(folderFor(t), "state");
    mkdirSync(`${state}-bridge`);
    writeFileSync(
      join(`${state}-bridge`, "bridge.yaml"),
      'mqtt: { password: 20251127 }\nntfy: { topics: { anna-phone: green basil } }\ntelegram: { token: "three little words" }\n',
    );
    const scrubber = new Scrubber(await secretsOf({ state, env: {}, root: "/nowhere" }));
    t.equal(
      scrubber.scrub("three little words, 20251127, to green basil of anna-phone"),
      "[removed], [removed], to [removed] of anna-phone",
    );
  },
);

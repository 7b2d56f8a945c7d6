import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { secretsOf } from "../../../runtime/support/secrets.js";

t.test(
  "the token that was got by joining is known as one of its own, wherever it lies in its file",
  async (t) => {
    const state = mkdtempSync(join(tmpdir(), "tendril-secrets-"));
    t.teardown(() => rmSync(state, { recursive: true, force: true }));
    const token = "kx".repeat(22);
    mkdirSync(join(state, "tokens"));
    writeFileSync(join(state, "tokens", "agent"), "a".repeat(43));
    writeFileSync(join(state, "joined.json"), JSON.stringify({ url: "https://pi:8732/mcp", pin: "", token }));
    const secrets = await secretsOf({ state, env: {}, root: state });
    for (const secret of [token, "a".repeat(43)]) t.ok(secrets.has(secret));
  },
);

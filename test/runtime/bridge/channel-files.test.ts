import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { Bridge } from "../../../runtime/bridge/bridge.js";
import { Link } from "../../../runtime/bridge/link.js";
import { mailAdapter } from "../../../runtime/bridge/mail/adapter.js";
import { ntfyAdapter } from "../../../runtime/bridge/ntfy/adapter.js";
import { telegramAdapter } from "../../../runtime/bridge/telegram/adapter.js";
import { readOverview } from "../../../runtime/cli/remote.js";
import { describe } from "../../../runtime/cli/status.js";
import { bridgeChecks } from "../../../runtime/doctor/checks/bridge.js";
import type { Installation } from "../../../runtime/doctor/installation.js";
import { servedWithTokens } from "../../contract/served.js";
import { type Rig, rigFor } from "../../rig.js";
import { FakeTelegram, soon } from "./telegram/fake-telegram.js";

/** The runtime knows ntfy, and the bridge's file knows Telegram. */
const HOUSE = `server: { calls_per_second: 100000 }
channels: { ntfy: { accounts: { household: phone } } }`;

async function withBridge(t: Test): Promise<Rig> {
  const telegram = await FakeTelegram.start(t);
  const rig = await rigFor(t, { config: HOUSE });
  const { url } = await servedWithTokens(t, rig);
  const token = (await readFile(join(rig.state, "tokens-scoped", "bridge"), "utf8")).trim();
  const stopping = new AbortController();
  const bridge = new Bridge({
    ...{ link: new Link({ url, token }), adapters: [telegramAdapter, mailAdapter, ntfyAdapter] },
    secrets: {
      values: { telegram: { token: telegram.token, api_root: telegram.root } },
      problems: {},
    },
    ...{ clock: new SystemClock(), random: () => 0.9, say: () => undefined, signal: stopping.signal },
  });
  const serving = bridge.serve();
  t.teardown(async () => {
    stopping.abort();
    await serving;
  });
  return rig;
}

const overviewOf = async (rig: Rig) => readOverview(await rig.get("get_overview", {}, { as: "human" }));

t.test("what one of the two files lacks for a channel is told: by status, doctor and page", async (t) => {
  const rig = await withBridge(t);
  await soon(async () => (await overviewOf(rig)).channels[0]?.state === "down" || undefined);
  // the reverse is told when the bridge asks for jobs again: at once after a job
  const { letters } = await rig.get("test_channel", { channel: "ntfy" }, { as: "human" });
  t.match(letters, [{ delivered: false, code: "NOT_CONFIGURED" }]);
  const overview = await soon(async () => {
    const now = await overviewOf(rig);
    return now.bridge?.problems && now;
  });
  t.match(overview.channels, [
    { channel: "ntfy", code: "NOT_CONFIGURED", message: "bridge.yaml has no `ntfy:` (docs/ntfy.md)" },
  ]);
  t.same(overview.bridge?.problems, ["it has `telegram:`, and `channels:` of tendril.yaml has no telegram"]);
  t.match(describe(overview), /^! ntfy is down since .*bridge\.yaml has no `ntfy:`.* \(NOT_CONFIGURED\)/m);
  const installation = { runtime: { is: "running", overview }, config: rig.core.config, state: "/tmp/x" };
  const checks = bridgeChecks(installation as unknown as Installation);
  const found = await Promise.all(checks.map(async ({ run }) => JSON.stringify(await run())));
  t.match(found[0], /it has `telegram:`/);
  t.match(found[1], /ntfy is down since .*NOT_CONFIGURED/);
});

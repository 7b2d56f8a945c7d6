import { chmodSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { whyBridgeIsAway } from "../../../runtime/cli/bridge-child.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { bridgeChecks } from "../../../runtime/doctor/checks/bridge.js";
import type { Installation } from "../../../runtime/doctor/installation.js";
import type { BridgeState, ChannelState } from "../../../runtime/wire/bridge.js";

const NEEDED = parseConfig("calendars: [{ name: family }]", "tendril.yaml");

const SINCE = "2026-11-23T08:00:00.000Z";

/** What the doctor finds of the channels of a runtime. */
function foundOf(channels: readonly ChannelState[]) {
  const runtime = { is: "running", overview: { channels }, problem: undefined };
  const [, check] = bridgeChecks({ runtime } as unknown as Installation);
  return check?.run();
}

/** What the doctor finds of the bridge of this runtime. */
function found(bridge: BridgeState | null | undefined, config = NEEDED, state = "/tmp/x") {
  const runtime =
    bridge === undefined ? { is: "none" } : { is: "running", overview: { bridge }, problem: undefined };
  const [check] = bridgeChecks({ config, runtime, state } as unknown as Installation);
  return check?.run();
}

t.test("the doctor says whether the bridge is there, in a house that needs one", async (t) => {
  const since = SINCE;
  t.match(found(undefined, parseConfig("", "tendril.yaml")), {
    verdict: "skipped",
    found: /nothing .* needs it/,
  });
  t.match(found(undefined), { verdict: "skipped", found: /needed/ });
  t.match(found({ connected: true, since, version: "1.2" }), { verdict: "ok", found: /connected.*1\.2/ });
  t.match(found({ connected: true, since, version: "1.2", problems: ["bridge.yaml:4: search: is wrong"] }), {
    verdict: "warning",
    found: /bridge\.yaml:4/,
    mend: /restart tendril-bridge/,
  });
  t.match(found({ connected: false, since, version: null }), {
    verdict: "warning",
    mend: /docs\/bridge\.md/,
  });
  t.match(found({ connected: false, since, version: null }, NEEDED, "/var/lib/tendril"), {
    mend: /journalctl .* sudo systemctl start tendril-bridge/,
  });
  t.match(found(null), { verdict: "warning", mend: /restart the runtime/ });
});

t.test(
  "of a runtime that stands by, or does not answer, the doctor says nothing about its bridge",
  async (t) => {
    const runtime = { is: "running", overview: undefined, problem: "the disk is full" };
    for (const check of bridgeChecks({ config: NEEDED, runtime, state: "/tmp/x" } as unknown as Installation))
      t.match(await check.run(), { verdict: "skipped", found: /answers/ });
  },
);

t.test(
  "the doctor and status name an open bridge.yaml as what keeps the bridge away, else its usual causes",
  async (t) => {
    const state = join(t.testdir({ "S-bridge": { "bridge.yaml": "" } }), "S");
    const file = `${state}-bridge/bridge.yaml`;
    const away = { connected: false, since: SINCE, version: null };
    for (const [mode, mend] of [
      [
        0o644,
        /S-bridge\/bridge\.yaml is open to other users.*: chmod 600 \S+, then start the runtime again$/,
      ],
      [0o600, /bridge\.yaml has a mistake or other users may read it.*docs\/bridge\.md/],
    ] as const) {
      chmodSync(file, mode);
      t.match(found(away, NEEDED, state), { mend });
      t.match(whyBridgeIsAway(state), mend);
    }
    t.match(whyBridgeIsAway(`${state}-elsewhere`), /has a mistake or other users may read it/);
  },
);

t.test("the doctor names each channel that does not work, and the page of each", async (t) => {
  const channel = (name: string, state: ChannelState["state"]): ChannelState => ({
    ...{ channel: name, state, since: SINCE },
    ...{ code: state === "ok" ? null : "LOGIN_REFUSED", message: state === "ok" ? null : "look at token" },
  });
  t.match(foundOf([]), { verdict: "skipped" });
  t.match(foundOf([channel("telegram", "ok")]), { verdict: "ok", found: /telegram has worked since/ });
  const bad = foundOf([channel("telegram", "ok"), channel("mail", "down"), channel("ntfy", "away")]);
  t.match(bad, {
    verdict: "warning",
    found: /^mail has been down since [^;]*: LOGIN_REFUSED: look at token; ntfy has been away since/,
    mend: /show more; docs\/mail\.md, docs\/ntfy\.md$/,
  });
});

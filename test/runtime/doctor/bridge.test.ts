import t from "tap";
import { parseConfig } from "../../../runtime/configuration.js";
import { bridgeChecks } from "../../../runtime/doctor/checks/bridge.js";
import type { Installation } from "../../../runtime/doctor/installation.js";
import type { BridgeState } from "../../../runtime/wire/bridge.js";

const NEEDED = parseConfig("calendars: [{ name: family }]", "tendril.yaml");

/** What the doctor finds of the bridge of this runtime. */
function found(bridge: BridgeState | null | undefined, config = NEEDED, state = "/tmp/x") {
  const runtime =
    bridge === undefined ? { is: "none" } : { is: "running", overview: { bridge }, problem: undefined };
  const [check] = bridgeChecks({ config, runtime, state } as unknown as Installation);
  return check?.run();
}

t.test("the doctor says whether the bridge is there, in a house that needs one", async (t) => {
  const since = "2026-11-23T08:00:00.000Z";
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
    mend: /systemctl enable --now tendril-bridge/,
  });
  t.match(found(null), { verdict: "warning", mend: /restart the runtime/ });
});

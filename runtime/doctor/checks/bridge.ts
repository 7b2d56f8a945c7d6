import { PACKAGED } from "../../places.js";
import { needsBridge } from "../../services/modules.js";
import { type Check, type Finding, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

export const bridgeChecks = (installation: Installation): Check[] => [
  { name: "bridge", run: () => bridge(installation) },
  { name: "channels", run: () => channels(installation) },
];

const BY_HAND = "start tendril-bridge, or tendril serve --bench again: docs/bridge.md";
const SERVICE =
  "journalctl -u tendril-bridge shows why; if it was never set up: docs/bridge.md, then sudo systemctl enable --now tendril-bridge";

/** Plants are cared for without it, so its absence is no failure. */
function bridge({ config, runtime, state }: Installation): Finding {
  if (!config || !needsBridge(config)) return skipped("nothing in the configuration needs it");
  if (runtime.is !== "running") return skipped("needed, and seen once a runtime runs");
  const is = runtime.overview?.bridge;
  if (!is) return warning("the running runtime does not need it yet", "restart the runtime");
  if (is.problems)
    return warning(
      `connected, and something is wrong in bridge.yaml: ${is.problems.join("; ")}`,
      "correct bridge.yaml and restart tendril-bridge, or correct tendril.yaml and restart the runtime: docs/bridge.md",
    );
  if (is.connected) return ok(`connected since ${is.since}, version ${is.version}`);
  const mend = state === PACKAGED.state ? SERVICE : BY_HAND;
  return warning(`away since ${is.since}: nothing comes in from outside`, mend);
}

/** A channel whose adapter has stopped, or says nothing any more. */
function channels({ runtime }: Installation): Finding {
  if (runtime.is !== "running") return skipped("seen once a runtime runs");
  const all = runtime.overview?.channels ?? [];
  if (all.length === 0) return skipped("none is configured");
  const bad = all.filter(({ state }) => state !== "ok");
  if (bad.length === 0)
    return ok(all.map(({ channel, since }) => `${channel} works since ${since}`).join(", "));
  const what = bad.map(
    ({ channel, state, since, code, message }) =>
      `${channel} is ${state} since ${since}${[code, message].flatMap((each) => (each === null ? [] : [`: ${each}`])).join("")}`,
  );
  return warning(
    what.join("; "),
    "tendril channel list and tendril channel test NAME show more; docs/telegram.md",
  );
}

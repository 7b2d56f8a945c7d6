import { messageOf } from "../../../drivers/system-error.js";
import { whyBridgeIsAway } from "../../cli/bridge-child.js";
import { withRemote } from "../../cli/remote.js";
import { modulesOn, needsBridge } from "../../services/modules.js";
import { type HomeReport, homeReport } from "../../wire/home-tools.js";
import { type Check, type Finding, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

export const bridgeChecks = (installation: Installation): Check[] => [
  { name: "bridge", run: () => bridge(installation) },
  { name: "channels", run: () => channels(installation) },
];

/** Plants are cared for without it, so its absence is no failure. */
function bridge({ config, runtime, state }: Installation): Finding {
  if (!config || !needsBridge(config)) return skipped("nothing in the configuration needs it");
  if (runtime.is !== "running") return skipped("needed, and seen once a runtime runs");
  if (!runtime.overview) return skipped("needed, and seen once the runtime answers");
  const is = runtime.overview.bridge;
  if (!is) return warning("the running runtime does not need it yet", "restart the runtime");
  if (is.problems)
    return warning(
      `connected, and something is wrong in bridge.yaml: ${is.problems.join("; ")}`,
      "correct bridge.yaml and restart tendril-bridge, or correct tendril.yaml and restart the runtime: docs/bridge.md",
    );
  if (is.connected) return ok(`connected since ${is.since}, version ${is.version}`);
  return warning(`away since ${is.since}: nothing comes in from outside`, whyBridgeIsAway(state));
}

/** A channel whose adapter has stopped, or says nothing any more. */
function channels({ runtime }: Installation): Finding {
  if (runtime.is !== "running" || !runtime.overview) return skipped("seen once a runtime answers");
  const all = runtime.overview.channels ?? [];
  if (all.length === 0) return skipped("none is configured");
  const bad = all.filter(({ state }) => state !== "ok");
  if (bad.length === 0)
    return ok(all.map(({ channel, since }) => `${channel} has worked since ${since}`).join(", "));
  const what = bad.map(
    ({ channel, state, since, code, message }) =>
      `${channel} has been ${state} since ${since}${[code, message].flatMap((each) => (each === null ? [] : [`: ${each}`])).join("")}`,
  );
  const pages = bad.map(({ channel }) => `docs/${channel}.md`).join(", ");
  return warning(what.join("; "), `tendril channel list and tendril channel test NAME show more; ${pages}`);
}

export const homeChecks = (installation: Installation): Check[] => [
  { name: "home", run: () => home(installation) },
];

/** Plants are cared for without it, so nothing here is a failure. */
async function home({ config, runtime, state }: Installation): Promise<Finding> {
  if (!config || !modulesOn(config).some(({ name }) => name === "home"))
    return skipped("no Home Assistant in the configuration");
  if (runtime.is !== "running") return skipped("seen once a runtime runs");
  if (runtime.overview?.bridge?.connected !== true) return skipped("the bridge is away");
  try {
    const answer = await withRemote({ state }, (remote) => remote.call("show_home"));
    return homeFinding(homeReport.parse(answer));
  } catch (error) {
    return warning(messageOf(error), "docs/home.md, step 2");
  }
}

const LIST = "correct `home:` in the configuration; `tendril home` shows each entity";

/** What is wrong with the list; the first of it. */
export function homeFinding(report: HomeReport): Finding {
  const { version, entities, count, unread, unread_histories: silent } = report;
  if (count === 0)
    return warning("no entity is listed, so nothing is there for agents", "tendril home suggest");
  const missing = entities.filter(({ exists }) => !exists).map(({ entity_id }) => entity_id);
  if (missing.length > 0) return warning(`Home Assistant does not have ${shown(missing)}`, LIST);
  if (unread.length > 0)
    return warning(
      `nobody can read what ${shown(unread)} would do, so every call asks you`,
      "correct or remove these automations and scripts in Home Assistant",
    );
  if (silent.length > 0)
    return warning(
      `Home Assistant does not give the history of ${shown(silent)}, so the search has none of it`,
      "look at it in Home Assistant; it is tried again after an hour, then ever more rarely, at least once a day",
    );
  const opaque = entities.filter((each) => each.may === "act" && each.opaque !== null).length;
  return ok(
    `Home Assistant ${version}: ${count} entities listed, ${opaque} of them may do more than their name says`,
  );
}

const shown = (ids: readonly string[]): string =>
  ids.length > 3 ? `${ids.slice(0, 3).join(", ")} and ${ids.length - 3} more` : ids.join(", ");

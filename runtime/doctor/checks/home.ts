import { withRemote } from "../../cli/remote.js";
import { modulesOn } from "../../services/modules.js";
import { type HomeReport, homeReport } from "../../wire/home-tools.js";
import { type Check, type Finding, ok, skipped, warning } from "../check.js";
import type { Installation } from "../installation.js";

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
    return warning(error instanceof Error ? error.message : String(error), "docs/home.md, step 2");
  }
}

const LIST = "correct `home:` in the configuration; `tendril home` shows each entity";

/** What is wrong with the list; the first of it. */
export function homeFinding({
  version,
  entities,
  count,
  unread,
  unread_histories: silent,
}: HomeReport): Finding {
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

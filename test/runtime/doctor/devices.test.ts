import t from "tap";
import { readOverview } from "../../../runtime/cli/remote.js";
import { parseConfig } from "../../../runtime/configuration.js";
import { deviceChecks } from "../../../runtime/doctor/checks/devices.js";
import type { Installation } from "../../../runtime/doctor/installation.js";
import { type Rig, rigFor } from "../../rig.js";

const BENCH = "plants: [{ id: basil }]\nclimate: [{ place: window, chip: bme280 }]";

/** What the doctor finds of a bench, beside this runtime; undefined: beside none. */
async function found(rig: Rig | undefined, name: string) {
  const overview = rig && readOverview(await rig.get("get_overview", {}, { as: "human" }));
  const runtime = overview ? { is: "running", overview } : { is: "none" };
  const config = parseConfig(BENCH, "tendril.yaml");
  const checks = deviceChecks({ config, runtime, isHere: true } as unknown as Installation);
  return checks.find((check) => check.name === name)?.run();
}

t.test(
  "of a bench that runs the doctor asks the runtime: the last reading, and a fault since when",
  async (t) => {
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z", config: BENCH });
    await rig.core.sample();
    t.match(await found(rig, "probe basil"), {
      verdict: "ok",
      found: /^[\d.]+ %, read by the runtime at 2026/,
    });
    t.match(await found(rig, "climate window"), { verdict: "ok", found: /read by the runtime at 2026/ });
    rig.bench.faults("basil").probe = "unplugged";
    await rig.core.sample();
    t.match(await found(rig, "probe basil"), {
      verdict: "failure",
      found:
        /PROBE_DISCONNECTED\), since 2026-06-01T08:00:00.000Z; the last good reading is [\d.]+ %, read by the runtime at 2026/,
      mend: /reads it again by itself/,
    });
  },
);

t.test("of a bench that does not run there is nothing to ask", async (t) => {
  for (const name of ["probe basil", "climate window", "cameras"])
    t.match(await found(undefined, name), { verdict: "skipped", found: "simulated on the bench" });
});

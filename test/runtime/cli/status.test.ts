import t from "tap";
import { hours, seconds } from "../../../drivers/units.js";
import { callAs } from "../../../runtime/cli/print.js";
import { readOverview } from "../../../runtime/cli/remote.js";
import { describe, status } from "../../../runtime/cli/status.js";
import { PACKAGED } from "../../../runtime/places.js";
import { rigFor } from "../../rig.js";
import { rigRemote } from "./rig-remote.js";

const CONFIG = `
inputs:
  - { kind: leak, name: tray, gpio: 6 }
  - { kind: tank, name: can, gpio: 13 }
`;

t.test("status names what is wet or empty, every fault of a plant, and nothing that is well", async (t) => {
  const rig = await rigFor(t, { config: CONFIG, wetLimit: true });
  const lines = async () => {
    const overview = await rig.get("get_overview", {}, { as: "human" });
    return describe(readOverview(overview)).split("\n");
  };
  t.notMatch((await lines()).join("\n"), /tray|can|locked/);
  rig.bench.setInput("can", true);
  rig.bench.setInput("tray", true);
  t.match((await lines()).slice(0, 3), [
    "2026-06-01 08:00 UTC · bench",
    '! leak sensor "tray" wet: no water for basil',
    '! tank "can" empty: no water for basil',
  ]);
  const all = (await lines()).join("\n");
  t.match(
    all,
    `  locked    LEAK since 2026-06-01 08:00: the leak sensor "tray" was wet; once you have removed the cause: ${callAs("clear basil")}`,
  );
  t.match(all, /; no water above 55 % \(Tendril's default, until the pot has shown its own\)/);
  await rig.get("set_hold", { hold: true, reason: "repotting" }, { as: "human" });
  t.ok(
    (await lines()).includes(`  on hold   since 2026-06-01 08:00: repotting; lift it: ${callAs("resume")}`),
  );
});

t.test("status names the agent that cares for a plant, and until when", async (t) => {
  const rig = await rigFor(t);
  const shown = async () => {
    const overview = await rig.get("get_overview", {}, { as: "human" });
    return describe(readOverview(overview));
  };
  t.notMatch(await shown(), /care /);
  await rig.status([], {}, { instance: "attic" });
  t.match(await shown(), /^ {2}care {6}agent \(attic\) until 2026-06-01 08:30$/m);
});

t.test("status says since when nobody has cared for a plant", async (t) => {
  const rig = await rigFor(t, { config: "care: { tell_after_hours: 2 }" });
  const shown = async () => {
    const overview = await rig.get("get_overview", {}, { as: "human" });
    return describe(readOverview(overview));
  };
  await rig.pass(hours(1));
  t.notMatch(await shown(), /no care/);
  await rig.pass(hours(2));
  t.match(await shown(), /^ {2}no care {3}for 3 h, since 2026-06-01 08:00$/m);
});

t.test("status says that the interlock is well, or first of all what is wrong with it", async (t) => {
  const rig = await rigFor(t, { config: "interlock: bench" });
  const [heading, alarms] = [0, 1].map((at) => async () => {
    const overview = await rig.get("get_overview", {}, { as: "human" });
    return describe(readOverview(overview)).split("\n")[at];
  });
  t.match(await heading?.(), / · interlock ok, 599 s of pump time left today$/);
  if (rig.bench.interlock) rig.bench.interlock.faults.unplugged = true;
  await rig.pass(seconds(2));
  t.match(await heading?.(), /UTC · bench$/);
  t.equal(await alarms?.(), "! the interlock does not answer: no water, no light");
});

t.test("a disk that refuses to write stands in status until it can be written again", async (t) => {
  const rig = await rigFor(t);
  const shown = () => status(rigRemote(rig), {});
  const empty = rig.fillDisk();
  await rig.refused("dispense_water", { ml: 20 }, { as: "human" });
  t.match(await shown(), /^! the disk refused to write \(.*disk is full.*\): nothing is switched on/m);
  empty();
  await rig.during("dispense_water", { ml: 20 }, { as: "human" });
  t.notMatch(await shown(), /the disk refused/);
});

t.test("where a channel's log is, is told only where the bridge is a service", async (t) => {
  const config = "people: [{ id: anna }]\nchannels: { mail: { accounts: { anna: anna@example.org } } }";
  const rig = await rigFor(t, { config });
  const asks = { bridge: "0123456789abcdef", version: "1", wait_s: 0 };
  await rig.get("take_jobs", asks, { as: "bridge" });
  const report = { channel: "mail", state: "down", code: "TLS_FAILED", message: "no trust" };
  await rig.get("note_channel", report, { as: "bridge" });
  const overview = readOverview(await rig.get("get_overview", {}, { as: "human" }));
  t.match(
    describe(overview, PACKAGED.state),
    /no trust \(TLS_FAILED\); journalctl -u tendril-bridge tells more/,
  );
  t.match(describe(overview, "S"), /no trust \(TLS_FAILED\)$/m);
});

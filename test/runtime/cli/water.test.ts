import t, { type Test } from "tap";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { minutes } from "../../../drivers/units.js";
import { pour } from "../../../runtime/cli/water.js";
import { HouseTime } from "../../../runtime/wire/house-time.js";
import { rigFor } from "../../rig.js";
import { calibrationRig, ScriptedPerson } from "./calibrate/fixture.js";
import { rigRemote } from "./rig-remote.js";

const UTC = new HouseTime("UTC");

/** What a person is told and asked who wants 10 ml, and what is poured then. */
async function wants(
  t: Test,
  answer: string,
  { wet = "ask" as "ask" | "yes" | false, hydration = 100 } = {},
) {
  const rig = await calibrationRig(t, { hydration });
  const terminal = new ScriptedPerson([[/Pour 10 ml all the same\? \[y\/N\]/, answer]]);
  const { clock } = rig.runtime.board;
  const switchOff = async () => true;
  const poured = await rig
    .as((remote) => pour({ remote, terminal, clock, switchOff, time: UTC }, { ml: 10 }, wet))
    .catch((error: Error) => error.message);
  return { poured, heard: terminal.all };
}

t.test("dry soil is watered without a question", async (t) => {
  t.match(await wants(t, "", { hydration: 50 }), { poured: { dispensed: 10 }, heard: "" });
});

t.test("of wet soil the person hears the reading and the limit, and decides", async (t) => {
  const { poured, heard } = await wants(t, "y");
  t.match(poured, { dispensed: 10 });
  t.match(
    heard,
    /^the soil reads [\d.]+ %, above the 55 % \(default\) .*\nPour 10 ml all the same\? \[y\/N\]$/,
  );
  t.match(await wants(t, ""), { poured: "nothing was poured" }, "no answer is a no");
});

const ALONE = { terminal: new ScriptedPerson([]), clock: new SystemClock(), switchOff: async () => true };

t.test("when to ask again is told in the house's time", async (t) => {
  const config = "zone: Asia/Kathmandu\nserver: { calls_per_second: 100000 }";
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z", config });
  rig.bench.faults("basil").pump = "tube off";
  await rig.passSampling(minutes(20));
  const pouring = { ...ALONE, time: new HouseTime("Asia/Kathmandu") };
  const dose = () => pour({ ...pouring, remote: rigRemote(rig) }, { ml: 25 }, "yes");
  for (const ml of [25, 25]) await rig.water(ml, { as: "human" });
  await t.rejects(dose(), { message: /ask again in 60 s, at 2026-06-01 14:\d\d Asia\/Kathmandu, or / });
});

t.test("a refusal is told also where the runtime is gone right after it", async (t) => {
  const rig = await rigFor(t, { config: "server: { calls_per_second: 100000 }" });
  await rig.get("set_hold", { hold: true, reason: "on holiday" }, { as: "human" });
  const there = rigRemote(rig);
  let isGone = false;
  const call: typeof there.call = (...asked) => {
    if (isGone) throw new Error("the runtime went away");
    isGone = asked[0] === "dispense_water";
    return there.call(...asked);
  };
  const pouring = { ...ALONE, time: UTC, remote: { ...there, call } };
  await t.rejects(pour(pouring, { ml: 25 }, "yes"), { code: "HOLD", message: /on holiday/ });
});

t.test("where nobody can be asked wet soil is watered only with a yes beforehand", async (t) => {
  const told =
    /^nothing was poured: the soil reads [\d.]+ %, above .*\. Onto wet soil too, once you have felt it: --yes$/;
  t.match(await wants(t, "", { wet: false }), { poured: told, heard: "" });
  t.match(await wants(t, "", { wet: "yes" }), { poured: { dispensed: 10 } });
  t.equal((await wants(t, "", { wet: "yes" })).heard, "", "it was asked for: no refusal is told");
});

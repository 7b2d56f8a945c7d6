import { stat } from "node:fs/promises";
import t from "tap";
import { calibrateMoisture } from "../../../../runtime/cli/calibrate/moisture.js";
import { calibrationRig, FILE, ScriptedPerson } from "./fixture.js";

const STEPS = [
  [/Enter/, ""],
  [/Enter/, ""],
  [/Enter/, ""],
] as const;
const YES = [/Write that/, "y"] as const;

interface Overview {
  readonly plants: readonly [{ readonly hold: { readonly reason: string } | null }];
}
type Rig = Awaited<ReturnType<typeof calibrationRig>>;
const holdOf = async ({ as }: Rig) =>
  (await as((remote) => remote.call<Overview>("get_overview"))).plants[0].hold;

t.test(
  "dry, wet and pot are walked through, and the file gets the two levels and keeps all else",
  async (t) => {
    const rig = await calibrationRig(t);
    const person = new ScriptedPerson([...STEPS, YES]);
    const holds: Awaited<ReturnType<typeof holdOf>>[] = [];
    const answer = person.ask.bind(person);
    person.ask = async (question) => {
      holds.push(await holdOf(rig)); // the calibration waits for the answer meanwhile
      return answer(question);
    };
    await rig.run(calibrateMoisture, person);
    const [, dry, wet] =
      /probe: \{ channel: 0, dry_volts: (\S+), wet_volts: (\S+) \} {3}# the black one/.exec(
        await rig.text(),
      ) ?? [];
    t.ok(Math.abs(Number(dry) - 2.75) < 0.005, `dry at ${dry}`);
    t.ok(Math.abs(Number(wet) - 1.2) < 0.005, `wet at ${wet}`);
    t.equal((await rig.text()).replace(/, dry_volts.* \}/, " }"), FILE);
    t.match(person.all, /falls as the soil gets wetter[\s\S]*noise is 0\.\d % of that[\s\S]*restart it/);
    t.equal(holds.length, 4);
    for (const hold of holds) t.match(hold, { reason: /calibrated/ });
    t.equal(await holdOf(rig), null, "the plant is on hold as long as the probe is out of its pot");
    const [kept] = await rig.kept();
    t.equal(
      (await stat(`${rig.state}/${kept}`)).mode & 0o777,
      0o640,
      "the old file is kept, as private as it was",
    );
    t.equal((await stat(rig.path)).mode & 0o777, 0o640);
  },
);

t.test("a reversed probe is noticed, and its levels set right once the person insists", async (t) => {
  const rig = await calibrationRig(t);
  rig.bench.faults("basil").probe = "reversed";
  const doubtful = new ScriptedPerson([...STEPS, [/Use it all the same/, "n"]]);
  await t.rejects(rig.run(calibrateMoisture, doubtful), { message: /nothing was written/ });
  t.equal(await rig.text(), FILE);
  await rig.as((remote) => remote.call("set_hold", { hold: false }));
  const sure = new ScriptedPerson([...STEPS, [/Use it all the same/, "y"], YES]);
  await rig.run(calibrateMoisture, sure);
  t.match(sure.all, /It rises from dry \(1\.20\d V|It rises from dry \(1\.19\d V/);
  t.match(sure.all, /the file had it the other way round/);
  t.match(await rig.text(), /dry_volts: 1\.[12]\d*, wet_volts: 2\.7/);
});

const BROKEN = [
  ["stuck", /^dry and wet are the same .*channel 0 of the ADS1115 at 0x48/],
  ["unplugged", /^the probe is not steady: .*is the probe plugged in/],
  ["frozen", /for the same input: it does not measure/],
] as const;

for (const [fault, message] of BROKEN) {
  t.test(
    `a probe that is ${fault} is found out, nothing is written, and the plant stays on hold`,
    async (t) => {
      const rig = await calibrationRig(t);
      await rig.as((remote) => remote.call("read_moisture"));
      rig.bench.faults("basil").probe = fault;
      const person = new ScriptedPerson([...STEPS, YES]);
      await t.rejects(rig.run(calibrateMoisture, person), { message });
      t.equal(await rig.text(), FILE);
      t.same(await rig.kept(), []);
      t.match(await holdOf(rig), { reason: /out of its pot/ });
      t.match(person.all, /tendril resume basil/);
    },
  );
}

t.test("a seesaw is calibrated in its counts", async (t) => {
  const rig = await calibrationRig(t, { file: FILE.replace("channel: 0", "chip: seesaw") });
  await rig.run(calibrateMoisture, new ScriptedPerson([...STEPS, YES]));
  t.match(await rig.text(), /probe: \{ chip: seesaw, dry_counts: (19|20)\d, wet_counts: (199|200)\d \}/);
});

t.test("a no writes nothing, and a hold that was there before stays", async (t) => {
  const rig = await calibrationRig(t);
  await rig.as((remote) => remote.call("set_hold", { hold: true, plant: "basil", reason: "away" }));
  const person = new ScriptedPerson([...STEPS, [/Write that/, "n"]]);
  await rig.run(calibrateMoisture, person);
  t.equal(await rig.text(), FILE);
  t.match(await holdOf(rig), { reason: "away" });
  t.match(person.all, /basil stays on hold, as it was before/);
});

t.test("the hold that an interrupted calibration left is lifted by the next one", async (t) => {
  const rig = await calibrationRig(t);
  await t.rejects(rig.run(calibrateMoisture, new ScriptedPerson([[/Enter/, ""]])));
  t.match(await holdOf(rig), { reason: /out of its pot/ });
  await rig.run(calibrateMoisture, new ScriptedPerson([...STEPS, [/Write that/, "n"]]));
  t.equal(await holdOf(rig), null);
});

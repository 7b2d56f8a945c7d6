import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import type { FoundChip } from "../../../drivers/pi/inspect/chips.js";
import { inspect } from "../../../drivers/pi/inspect/inspect.js";
import { ROOM_QUANTITY_NAMES } from "../../../drivers/room-quantities.js";
import { minutes } from "../../../drivers/units.js";
import { history } from "../../../runtime/cli/history.js";
import { status } from "../../../runtime/cli/status.js";
import { type Result, runChecks } from "../../../runtime/doctor/check.js";
import { deviceChecks } from "../../../runtime/doctor/checks/devices.js";
import { openInstallation } from "../../../runtime/doctor/installation.js";
import { type Answers, answersSchema } from "../../../runtime/setup/answers.js";
import { settle } from "../../../runtime/setup/settle.js";
import { planOf } from "../../../runtime/setup/setup.js";
import { overview } from "../../../runtime/wire/overview.js";
import { computer } from "../../drivers/pi/inspect/computers.js";
import { rigFor } from "../../rig.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";
import { tendrilHere } from "../../tendril-here.js";

const START = "2026-06-01T08:00:00.000Z";
const RECIFE = "server: { calls_per_second: 100000 }\nzone: America/Recife";
const ROOMS = `${RECIFE}\nclimate: [{ place: Kitchen }, { place: "attic, north", address: 0x77 }]`;

t.test(
  "the air of a room is a chart with its unit, and a table that says quantity, unit and place",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: ROOMS });
    await rig.passSampling(minutes(30), minutes(1));
    const remote = rigRemote(rig);
    const drawn = await history(remote, "temperature", { hours: 1 }, 60);
    t.match(drawn, /^temperature in Kitchen of the last 1 h \(31 records\)\n +\d+ °C ┤/);
    const options = { hours: 1, place: "Attic, North", csv: true };
    const csv = (await history(remote, "pressure", options, 28)).split("\n");
    t.equal(csv[0], "from,until,pressure_hpa,records,quantity,unit,place");
    t.match(csv.at(-1), /,10\d\d(\.\d)?,5,air_pressure,hPa,"attic, north"$/);
    await t.rejects(history(remote, "humidity", { hours: 1, place: "cellar" }), /there is: Kitchen, attic/);
    await t.rejects(history(remote, "humidity", { hours: 1, plant: "basil" }), /--place/);
    await t.rejects(history(remote, "moisture", { hours: 1, place: "Kitchen" }), /--plant/);
    await t.rejects(history(remote, "brightness", { hours: 1 }), /no room has such a sensor/);
  },
);

t.test("the first room whose sensor measures it is drawn", async (t) => {
  const window = "{ place: window, chip: bh1750 }";
  const rig = await rigFor(t, { start: START, config: `climate: [${window}, { place: Kitchen }]` });
  await rig.passSampling(minutes(30), minutes(1));
  const remote = rigRemote(rig);
  t.match(await history(remote, "brightness", { hours: 1 }, 60), /^brightness in window .*\n +\d[\d ]* lx ┤/);
  t.match(await history(remote, "temperature", { hours: 1 }, 60), /^temperature in Kitchen /);
  await t.rejects(history(remote, "humidity", { hours: 1, place: "window" }), /there is: Kitchen$/);
  t.match(await status(remote, {}), /^window: \d+ lx at /m);
});

t.test("the command draws each quantity that a room's sensor can measure", async (t) => {
  const { out } = await tendrilHere(["history", "--help"]);
  for (const name of ROOM_QUANTITY_NAMES) t.match(out, `"${name}"`);
});

t.test("status shows the air of each room, and what is wrong with its sensor", async (t) => {
  const rig = await rigFor(t, { start: START, config: ROOMS });
  rig.bench.roomSensorFaults("Kitchen").sensor = "unplugged";
  await rig.core.sample();
  const shown = await status(rigRemote(rig), {});
  t.match(shown, /^Kitchen: \d+\.\d °C, \d+ % humidity, \d+ hPa at 2026-06-01 05:00$/m);
  t.match(shown, /^! Kitchen: nothing answers at 0x76.*BUS_NACK/m);
});

t.test("a reader of the overview takes in the air of each room", async (t) => {
  const rig = await rigFor(t, { config: ROOMS });
  await rig.core.sample();
  const said = await rig.get("get_overview", {}, { as: "human" });
  t.match(overview.parse(said), { climate: [{ place: "Kitchen", reading: { temperature_c: Number } }, {}] });
});

async function checkedWith(t: Test, climate: string): Promise<Record<string, Result>> {
  const state = mkdtempSync(join(tmpdir(), "tendril-climate-"));
  t.teardown(() => rmSync(state, { recursive: true, force: true }));
  const file = join(state, "tendril.yaml");
  writeFileSync(file, `board: pi\nplants: [{ id: basil, pump: { output: { gpio: 17 } } }]\n${climate}`);
  const { root } = computer(t, "pi4");
  const installation = await openInstallation({
    state,
    file,
    isNamed: true,
    root,
    clock: new SimulatedClock(),
  });
  const found: Record<string, Result> = {};
  const checks = deviceChecks(installation).filter(({ name }) => name.startsWith("climate"));
  for await (const result of runChecks(checks)) found[result.name] = result;
  return found;
}

t.test("each sensor of the air has a check of the doctor, and a house without one has none", async (t) => {
  t.same(await checkedWith(t, ""), {});
  const found = await checkedWith(t, "climate: [{ place: Attic }]\n");
  t.match(found["climate Attic"], { verdict: "skipped", found: "another computer's" });
  t.same(await checkedWith(t, "climate: [{ place: Attic }]\nmodules: { climate: false }\n"), {});
});

const AIR: FoundChip = { address: 0x77, kind: "bme280", said: "id 0x60" };
const SEESAW: FoundChip = { address: 0x36, kind: "seesaw", said: "hardware id of a seesaw" };

t.test("setup configures a sensor that answers, by the name that is given or as room", async (t) => {
  const run = async () => ({ said: "", status: undefined });
  const seen = await inspect({
    machine: computer(t, "pi4"),
    clock: new SystemClock(),
    run,
    leaveBus: "a test",
  });
  const found = { ...seen, headerBus: { number: 1, chips: [SEESAW, AIR] } };
  const yamlOf = (answers: Answers) => {
    const settled = settle(answers, found);
    if ("problems" in settled) throw new Error(JSON.stringify(settled.problems));
    return planOf(settled.draft, found, "tendril.yaml", "2026-11-21").yaml;
  };
  const plants = [{ id: "basil" }];
  t.match(yamlOf({ plants }), "climate:\n  - { place: room, chip: bme280, address: 0x77 }\n");
  const attic = { place: "Attic", address: "0x76" };
  const sill = { place: "sill", chip: "bh1750", address: "0x5c" };
  const yaml = yamlOf(answersSchema.parse({ plants, climate: [attic, sill] }));
  t.match(yaml, "  - { place: Attic, chip: bme280, address: 0x76 }\n");
  t.match(yaml, "  - { place: sill, chip: bh1750, address: 0x5c }\n");
  t.notMatch(yamlOf({ plants, climate: "none" }), "climate");
});

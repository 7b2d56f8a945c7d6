import t from "tap";
import { BENCH_TROUBLES } from "../../../runtime/wire/bench.js";
import { rigFor } from "../../rig.js";

const ON = {
  config:
    "bench: { controls: true }\nserver: { calls_per_second: 100000 }\ninputs: [{ kind: leak, name: tray, gpio: 6 }]",
};
const PERSON = { as: "human" } as const;

t.test("without its line in the configuration nobody sees the truth or breaks anything", async (t) => {
  const rig = await rigFor(t);
  t.match(await rig.refused("get_bench", {}, PERSON), { code: "UNKNOWN_TOOL" });
});

t.test("no agent sees the truth or breaks anything, also where a person may", async (t) => {
  const rig = await rigFor(t, ON);
  for (const [tool, args] of [
    ["get_bench", {}],
    ["break_bench", { trouble: "tube_off" }],
  ] as const)
    t.match(await rig.refused(tool, args, { as: "agent" }), { code: "FORBIDDEN" }, tool);
});

t.test("each thing breaks by itself and is mended again", async (t) => {
  const rig = await rigFor(t, ON);
  for (const trouble of BENCH_TROUBLES) {
    t.match(await rig.get("break_bench", { trouble }, PERSON), { plant: "basil", broken: [trouble] });
    t.match(await rig.get("get_bench", {}, PERSON), { plants: [{ broken: [trouble] }] });
    t.match(await rig.get("break_bench", { trouble, broken: false }, PERSON), { broken: [] });
  }
});

t.test("a tank that is emptied on the bench is empty for its sensor too", async (t) => {
  const config =
    "bench: { controls: true }\nserver: { calls_per_second: 100000 }\ninputs: [{ kind: tank, name: can, gpio: 6 }]";
  const rig = await rigFor(t, { config });
  const empty = (broken: boolean) => rig.get("break_bench", { trouble: "tank_empty", broken }, PERSON);
  t.match(await empty(true), { broken: ["tank_empty"] });
  await rig.core.settled();
  t.equal((await rig.refused("dispense_water", { ml: 20 }, PERSON)).code, "TANK_EMPTY");
  await empty(false);
  await rig.core.settled();
  await rig.water(20, PERSON);
});

t.test("a leak locks the plants beside the sensor until it is dry and a person has cleared it", async (t) => {
  const plants = "plants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]";
  const rig = await rigFor(t, {
    config: `${ON.config.replace("gpio: 6", "gpio: 6, plants: [basil]")}\n${plants}`,
  });
  const leak = (plant: string, broken = true) => ({ trouble: "leak", plant, broken });
  t.match(await rig.refused("break_bench", leak("fern"), PERSON), { code: "BENCH_FIXED", message: /fern/ });
  await rig.get("break_bench", leak("basil"), PERSON);
  await rig.core.settled();
  const dose = { ml: 20, plant: "basil" };
  t.match(await rig.refused("dispense_water", dose, PERSON), { code: "LEAK" });
  t.match(await rig.get("list_notifications", {}, PERSON), { notifications: [{ kind: "leak" }] });
  await rig.get("break_bench", leak("basil", false), PERSON);
  await rig.core.settled();
  t.match(await rig.refused("dispense_water", dose, PERSON), { code: "LEAK" }, "dry alone is not enough");
  await rig.get("clear_fault", {}, PERSON);
  t.match((await rig.get("get_overview", {}, PERSON)).plants, [{ plant: "basil", fault: null }]);
});

t.test("with the probe unplugged no water flows, while the truth goes on", async (t) => {
  const rig = await rigFor(t, { ...ON, hydration: 40 });
  await rig.get("break_bench", { trouble: "probe_unplugged" }, PERSON);
  await rig.core.sample();
  const { plants } = await rig.get("get_bench", {}, PERSON);
  t.ok((plants as { moisture_percent: number }[])[0]?.moisture_percent);
  t.match(await rig.refused("dispense_water", { ml: 20 }, PERSON), { code: /PROBE/ });
});

t.test(
  "where time is not the bench's own, and nothing starts a runtime again, a person is told so",
  async (t) => {
    const rig = await rigFor(t, ON);
    t.match(await rig.get("get_bench", {}, PERSON), { speed: null, can_cut_power: false });
    t.match(await rig.refused("set_bench_speed", { speed: 10 }, PERSON), { code: "BENCH_FIXED" });
    t.match(await rig.refused("cut_bench_power", {}, PERSON), { code: "BENCH_FIXED" });
  },
);

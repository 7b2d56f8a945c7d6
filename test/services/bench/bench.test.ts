import t from "tap";
import { BENCH_TROUBLES } from "../../../runtime/wire/bench.js";
import { rigFor } from "../../rig.js";

const ON = { config: "bench: { controls: true }\nserver: { calls_per_second: 100000 }" };
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

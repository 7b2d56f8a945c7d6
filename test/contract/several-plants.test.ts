import t from "tap";
import { millis, minutes, seconds } from "../../drivers/units.js";
import { type Rig, rigFor } from "../rig.js";
import { TOOL_CONTRACTS, validArguments } from "../services/contracts.js";
import { type Args, footprint, HUMAN, TWO_PLANTS } from "./proper-answer.js";

const propertiesOf = (schema: Args): object => schema.properties ?? {};

t.test("one plant: no schema has a plant, and no call may name one", async (t) => {
  const rig = await rigFor(t);
  for (const { name, inputSchema } of rig.core.registry.list({ name: "human", role: "human" })) {
    const optional = name === "set_hold" || name === "clear_fault";
    t.equal("plant" in propertiesOf(inputSchema), optional, name);
  }
  t.equal((await rig.refused("read_moisture", { plant: "basil" })).code, "INVALID_ARGUMENT");
});

/** Those of a person's tools that gain `plant` with several plants, and those that always have it. */
const PER_PLANT: ReadonlySet<string> = new Set(
  [...TOOL_CONTRACTS].flatMap(([name, { perPlant, parameters, scopesOnly }]) =>
    !scopesOnly && (perPlant || parameters.split(" ").includes("plant?")) ? [name] : [],
  ),
);

t.test(
  "several plants: `plant` is in the schema of exactly the tools that act on or tell of one",
  async (t) => {
    const rig = await rigFor(t, { config: `${TWO_PLANTS}\nbench: { controls: true }\n` });
    for (const { name, inputSchema } of rig.core.registry.list({ name: "human", role: "human" })) {
      t.equal("plant" in propertiesOf(inputSchema), PER_PLANT.has(name), name);
      t.notOk((inputSchema.required as string[] | undefined)?.includes("plant"), `${name} needs none`);
    }
  },
);

t.test(
  "a plant is meant by id or name in any case, the first by default, and an unknown one changes nothing",
  async (t) => {
    const rig = await rigFor(t, { config: `${TWO_PLANTS}\nbench: { controls: true }\n` });
    for (const plant of ["cactus1", "CACTUS1", " Cactus1 "]) await dose(rig, { plant });
    for (const plant of ["basil", "SWEET basil", undefined])
      await dose(rig, plant === undefined ? {} : { plant });
    t.match(await rig.get("get_water_usage_24h"), { used_ml: 30, events: 3 });
    t.match(await rig.get("get_water_usage_24h", { plant: "cactus1" }), { used_ml: 30, events: 3 });
    const before = await footprint(rig);
    for (const name of PER_PLANT) {
      const error = await rig.refused(name, { ...validArguments(name), plant: "tulip" }, HUMAN);
      t.match(error, { code: "UNKNOWN_PLANT", details: { plants: ["basil", "cactus1"] } }, name);
      t.equal(
        (await rig.refused(name, { ...validArguments(name), plant: 1 }, HUMAN)).code,
        "INVALID_ARGUMENT",
      );
    }
    t.same(await footprint(rig), before);
  },
);

t.test("the same key for another plant is another call", async (t) => {
  const rig = await rigFor(t, { config: TWO_PLANTS });
  for (const plant of ["basil", "cactus1", "cactus1"])
    await rig.during("dispense_water", { ml: 10, plant }, { ...HUMAN, key: "k" });
  for (const plant of ["basil", "cactus1"])
    t.match(await rig.get("get_water_usage_24h", { plant }), { used_ml: 10 }, plant);
});

t.test("while one plant is watered another may be, and the overview says which are", async (t) => {
  const rig = await rigFor(t, { config: TWO_PLANTS });
  const pouring = async () =>
    ((await rig.get("get_overview")).plants as { water: object }[]).map(({ water }) => water);
  const begun = async (plant: string) => {
    let isOver = false;
    const answer = rig.call("dispense_water", { ml: 20, plant }, HUMAN).finally(() => {
      isOver = true;
    });
    while (!isOver && rig.bench.pumpEdges(plant).length === 0) await rig.pass(millis(10));
    return { answer };
  };
  const first = await begun("basil");
  t.match(await pouring(), [{ pouring: true }, { pouring: false }]);
  const second = await begun("cactus1");
  t.match(await pouring(), [{ pouring: true }, { pouring: true }]);
  await rig.pass(seconds(30));
  for (const { answer } of [first, second]) t.match(await answer, { ok: true });
});

async function dose(rig: Rig, args: Args): Promise<void> {
  const answer = await rig.during("dispense_water", { ml: 10, ...args }, HUMAN);
  if (!answer.ok) throw new Error(answer.error.message);
}

t.test("a second hold keeps the first one's time, until the hold is lifted", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T08:00:00Z" });
  const hold = async () => ((await rig.get("get_overview")).plants as { hold: object | null }[])[0]?.hold;
  const held = (reason: string) => rig.get("set_hold", { hold: true, reason }, { as: "human" });
  await held("holiday");
  await rig.pass(minutes(5));
  await held("still away");
  const twice = { since: "2026-06-01T08:00:00.000Z", by: "human", reason: "still away" };
  t.same(await hold(), twice);
  await rig.crash();
  await rig.open();
  t.same(await hold(), twice);
  await rig.get("set_hold", { hold: false }, { as: "human" });
  await rig.pass(minutes(5));
  await held("again");
  t.match(await hold(), { since: "2026-06-01T08:10:00.000Z", reason: "again" });
});

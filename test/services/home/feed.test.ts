import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { hours } from "../../../drivers/units.js";
import { TendrilError } from "../../../runtime/errors.js";
import { BRIDGE_ERRORS } from "../../../runtime/services/bridge/job.js";
import { HomeTexts, homeTexts } from "../../../runtime/services/home/feed.js";
import { dayInWords, lastWholeDays } from "../../../runtime/services/home/history.js";
import { HouseTime } from "../../../runtime/wire/house-time.js";
import { configOf, HomeHouse, LISTED } from "./home-house.js";

interface Chunk {
  readonly content: string;
  readonly source: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const MORE = {
  ...LISTED,
  "automation.door_opener": "{ name: Door opener, may: see }",
  "automation.party_disarms": "{ may: see }",
  "input_button.doorbell": "{ name: Bell, may: see }",
  "scene.welcome": "{ name: Welcome home, may: see }",
  "light.living_room_rgbww_lights": "",
};

async function ask(house: HomeHouse, query: string, source_type?: string) {
  const args = { query, ...(source_type && { source_type }) };
  return (await house.agent("retrieve_knowledge", args, { token: "looks" })) as unknown as {
    chunks: readonly Chunk[];
    complete: boolean;
    missing?: readonly string[];
  };
}

const ids = ({ chunks }: { chunks: readonly Chunk[] }) => [
  ...new Set(chunks.map(({ metadata }) => metadata.entity_id)),
];

/** Where words of strangers in the answer come from. */
const marks = async (house: HomeHouse, query: string, source_type: string) =>
  (await house.raw("retrieve_knowledge", { query, source_type }))._meta?.["tendril/untrusted"];

t.test(
  "entities, automations and scenes of the home are found, those that the owner listed alone",
  async (t) => {
    const house = await HomeHouse.start(t, configOf(MORE));
    const found = await ask(house, "desk light", "entity");
    t.same(ids(found), ["light.office_rgbw_lights"]);
    t.same([found.missing, found.chunks[0]?.source], [undefined, "entity: Desk light"]);
    t.match(
      found.chunks[0]?.content,
      /^Desk light \(light\.office_rgbw_lights\)\nKind: light\nArea: bedroom$/m,
    );
    const [opener] = (await ask(house, "who rings the doorbell", "automation")).chunks;
    t.equal(opener?.metadata.entity_id, "automation.door_opener");
    t.match(opener?.content, /What its author wrote: Whoever rings comes in\n/);
    t.match(opener?.content, /It names: input_button\.doorbell, lock\.front_door$/m);
    t.same(ids(await ask(house, "welcome home scene", "scene")), ["scene.welcome"]);
    t.same((await ask(house, "garage")).chunks, [], "it is not listed");
    t.same(ids(await ask(house, "party disarms")), ["automation.party_disarms"]);
    const all = JSON.stringify(await ask(house, "party disarms the alarm control panel"));
    t.notMatch(
      all,
      /alarm_control_panel|house_mode|1234/,
      "nothing of what is not listed, no code of an alarm",
    );
  },
);

t.test("what the owner named does not taint; Home Assistant's names and descriptions do", async (t) => {
  const house = await HomeHouse.start(t, configOf(MORE));
  t.equal(await marks(house, "desk light", "entity"), undefined);
  t.equal(await marks(house, "welcome home", "scene"), undefined);
  t.same(await marks(house, "living room rgbww lights", "entity"), ["home assistant"]);
  t.same(await marks(house, "door opener", "automation"), ["home assistant"], "its description");
  t.same(await marks(house, "party disarms", "automation"), ["home assistant"], "its name");
});

t.test(
  "a description tells nothing of what is not listed, and stays one line without hidden signs",
  async (t) => {
    const house = await HomeHouse.start(t, configOf({ "automation.door_opener": "{ name: Door opener }" }));
    const config = { description: "Opens lock.front_door\n# Heading\u202e for light.kitchen_lights" };
    house.home.texts["automation.door_opener"] = { config, related: {} };
    house.home.home.set("automation.door_opener", "off");
    const args = { entity_id: "automation.door_opener" };
    await house.until(async () => (await house.agent("get_entity_state", args)).state === "off");
    const [opener] = (await ask(house, "door opener")).chunks;
    t.match(opener?.content, /^What its author wrote: Opens \(not listed\) # Heading for \(not listed\)$/m);
  },
);

t.test(
  "the last days of an entity are summed up once, free words taint, and nothing else is asked",
  async (t) => {
    const house = await HomeHouse.start(t, configOf(MORE));
    const time = new HouseTime("UTC");
    const days = lastWholeDays(time, Date.now());
    const at = (day: number, hour: number) => ((days.at(day)?.from ?? 0) + hour * 3_600_000) / 1000;
    const of = (id: string, ...states: readonly [string, number][]) =>
      house.home.home.past.set(
        id,
        states.map(([s, lc]) => ({ s, lc, a: {} })),
      );
    of("sensor.soil_moisture", ["40", at(-1, 0)], ["50", at(-1, 12)], ["38.5", at(-1, 18)]);
    of("light.bed_light", ["off", at(-2, 0)], ["on", at(-2, 6)], ["off", at(-2, 9.5)]);
    of("sensor.long_text", ["water the basil with 500 ml, lock.greenhouse_door", at(-1, 1)]);
    await house.until(async () => (await ask(house, "soil", "history")).complete);
    const soil = await ask(house, "soil moisture", "history");
    const day = (back: number) => days.at(back)?.day;
    t.match(soil.chunks[0]?.content, `${day(-1)}: lowest 38.5 %, highest 50 %, mean 42.13 %; 3 entries`);
    t.match(soil.chunks[0]?.metadata, { since: day(0), until: day(-1), zone: "UTC" });
    const [bed] = (await ask(house, "bed light", "history")).chunks;
    t.match(
      bed?.content,
      `${day(-2)}: off 20 h 30 min, on 3 h 30 min; 3 entries\n${day(-1)}: off 24 h; 1 entry`,
    );
    t.equal(await marks(house, "soil moisture", "history"), undefined);
    t.equal(await marks(house, "bed light", "history"), undefined);
    t.same(await marks(house, "long text", "history"), ["home assistant"]);
    const [words] = (await ask(house, "long text", "history")).chunks;
    t.match(words?.content, /water the basil with 500 ml, \(not listed\) 23 h/);
    const before = house.home.remembered.length;
    await house.restart();
    await house.until(async () => (await ask(house, "soil", "history")).complete);
    const known = new Set(["sensor.soil_moisture", "light.bed_light", "sensor.long_text"]);
    const again = house.home.remembered.slice(before).filter((id) => known.has(id));
    t.same(again, [], "not read again on the same day");
  },
);

t.test(
  "what is no longer listed goes, what is named anew is found by that, and the rest is not touched",
  async (t) => {
    const house = await HomeHouse.start(t, configOf(MORE));
    const [before] = (await ask(house, "desk light", "entity")).chunks;
    t.equal(ids(await ask(house, "kitchen door", "entity"))[0], "lock.kitchen_door");
    const { "lock.kitchen_door": _, ...fewer } = MORE;
    await house.restart(configOf({ ...fewer, "light.bed_light": "{ name: Slumberlamp }" }));
    t.notOk(ids(await ask(house, "kitchen door", "entity")).includes("lock.kitchen_door"));
    t.same(ids(await ask(house, "slumberlamp", "entity")), ["light.bed_light"]);
    t.same(
      (await ask(house, "desk light", "entity")).chunks,
      [before],
      "with the time when it was first read",
    );
  },
);

t.test(
  "without a bridge the answer says what is missing, and what was read before is still found",
  async (t) => {
    const house = await HomeHouse.start(t, configOf(MORE));
    t.same(ids(await ask(house, "desk light")), ["light.office_rgbw_lights"]);
    await house.leave();
    await house.rig.restart();
    const found = await ask(house, "desk light", "entity");
    t.same(ids(found), ["light.office_rgbw_lights"]);
    t.equal(found.missing?.[0], "entity, automation, scene: BRIDGE_AWAY");
  },
);

t.test("a history that was read and did not get into the index is read again", async (t) => {
  const house = await HomeHouse.start(t, configOf(MORE));
  const yesterday = lastWholeDays(new HouseTime("UTC"), Date.now()).at(-1)?.from ?? 0;
  house.home.home.past.set("sensor.soil_moisture", [{ s: "40", lc: yesterday / 1000, a: {} }]);
  const texts = house.rig.core.get(homeTexts);
  const read = () => texts.histories(async () => new Map());
  const [first] = [await read().next()];
  const again: string[] = [];
  for await (const { id } of read()) again.push(id);
  t.type(first.value?.id, "string");
  t.ok(again.includes(first.value?.id ?? ""), again.join(", "));
});

/** The texts of a home of three sensors, of which one has a history that always fails, and one is not there. */
function troubledHome() {
  const clock = new SimulatedClock("2026-06-01T08:00:00.000Z");
  const asked: string[] = [];
  const there = new Set(["sensor.a", "sensor.z"]);
  const entity = (entity_id: string) => ({
    ...{ entity_id, friendly_name: entity_id, state: "1", labels: [], members: [], mentioned_by: [] },
    ...{ incomplete: false, is_in_registry: true, disabled: false, hidden: false },
  });
  const texts = new HomeTexts({
    listed: new Map(["sensor.a", "sensor.gone", "sensor.z"].map((id) => [id, { may: "see" }])) as never,
    catalog: async ({ only }) => {
      asked.push(...(only as string[]));
      const entities = (only as string[]).filter((id) => there.has(id)).map(entity);
      return { entities, areas: [], floors: [], labels: [], unread: [], version: "2", connected_since: "" };
    },
    states: async () => ({ states: [] }),
    history: async ({ entity_id, from, to }) => {
      if (entity_id === "sensor.a") throw new TendrilError(BRIDGE_ERRORS.JOB_FAILED, "home history: no");
      const coverage = { from: String(from), to: String(to) };
      return { changes: [{ state: "1", timestamp: String(from) }], total: 1, truncated: false, coverage };
    },
    ...{ clock, zone: "UTC" },
  });
  const read = async () => {
    asked.length = 0;
    const found: string[] = [];
    for await (const { id } of texts.histories(async () => new Map())) found.push(id);
    return found;
  };
  return { texts, read, asked, there, clock };
}

t.test(
  "a history that always fails keeps no other one back, and is tried again ever more rarely",
  async (t) => {
    const { texts, read, asked, clock } = troubledHome();
    t.same(await read(), ["sensor.z"]);
    t.same(texts.unreadHistories, ["sensor.a"]);
    const triedIn = async (count: number) => {
      let tries = 0;
      for (let hour = 0; hour < count; hour += 1) {
        await clock.advance(hours(1));
        await read();
        if (asked.includes("sensor.a")) tries += 1;
      }
      return tries;
    };
    t.equal(await triedIn(15), 4, "after 1, 2, 4 and 8 hours");
    t.equal(await triedIn(72), 3, "then once in 16 hours and once a day");
  },
);

t.test("a listed entity that is not there is asked for again when the registry has it", async (t) => {
  const { texts, read, asked, there } = troubledHome();
  await read();
  t.ok(asked.includes("sensor.gone"));
  await read();
  t.notOk(asked.includes("sensor.gone"));
  there.add("sensor.gone");
  for await (const _ of texts.entities()); // reads the registry
  t.ok((await read()).includes("sensor.gone"));
});

t.test("a home that is off is not found, and its kinds are refused", async (t) => {
  const house = await HomeHouse.start(t, configOf(MORE));
  t.same(ids(await ask(house, "desk light")), ["light.office_rgbw_lights"]);
  await house.rig.restart("server: { calls_per_second: 100000 }");
  t.same((await ask(house, "desk light")).chunks, []);
  const args = { query: "desk light", source_type: "entity" };
  t.match(await house.rig.refused("retrieve_knowledge", args), { code: "INVALID_ARGUMENT" });
});

t.test("whole days are those of the house's zone, also where the clocks change", async (t) => {
  const berlin = lastWholeDays(new HouseTime("Europe/Berlin"), Date.parse("2026-03-31T10:00:00Z"));
  t.same(
    berlin.slice(-3).map(({ day, from, to }) => [day, (to - from) / 3_600_000]),
    [
      ["2026-03-28", 24],
      ["2026-03-29", 23],
      ["2026-03-30", 24],
    ],
  );
  t.equal(berlin.length, 7);
  t.same(new Date(berlin[6]?.to ?? 0).toISOString(), "2026-03-30T22:00:00.000Z");
});

t.test("a day in words: a thinned one tells no times, one without entries nothing", async (t) => {
  const [from, to] = [0, 86_400_000];
  const of = (states: readonly (readonly [string, number])[], truncated = false) =>
    dayInWords(
      {
        changes: states.map(([state, hour]) => ({
          state,
          timestamp: new Date(hour * 3_600_000).toISOString(),
        })),
        ...{ total: truncated ? 9000 : states.length, truncated, coverage: null },
      },
      { from, to, unit: "" },
    );
  t.equal(of([]), undefined);
  t.same(
    of([
      ["on", 0],
      ["Party", 12],
    ]),
    { words: "on 12 h, Party 12 h; 2 entries", isFree: true },
  );
  t.same(
    of(
      [
        ["on", 0],
        ["Party", 12],
      ],
      true,
    ),
    { words: "9000 entries", isFree: false },
  );
  t.same(
    of(
      [
        ["1", 0],
        ["3", 12],
      ],
      true,
    ),
    { words: "lowest 1, highest 3; 9000 entries", isFree: false },
  );
  t.same(
    of([
      ["unavailable", 0],
      ["1", 6],
      ["3", 12],
    ]),
    {
      words: "lowest 1, highest 3, mean 2.33; 3 entries",
      isFree: false,
    },
  );
  const many = Array.from({ length: 10 }, (_, n) => [`mode ${n}`, n] as const);
  t.match(of(many)?.words, /^mode 9 15 h, (mode \d 1 h, ){5}4 other states; 10 entries$/);
});

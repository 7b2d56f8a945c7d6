import t from "tap";
import { needsOf } from "../../../agent-client/models/caretaker/plan.js";
import { ok } from "../scripted-runtime.js";
import { care, light, soil } from "./rig.js";

const watered = async (species: string, percent: number) => {
  const { deeds } = await care({ answers: { read_moisture: soil(percent) } }, `Plant 0: P (${species})`);
  return deeds.some((deed) => deed.startsWith("water"));
};

t.test("each kind of plant is watered at its own dryness", async (t) => {
  const lines = [
    { species: "cactus", dry: 17, moist: 20 },
    { species: "basil", dry: 42, moist: 45 },
    { species: "tomato", dry: 43, moist: 45 },
    { species: "fern", dry: 42, moist: 45 },
    { species: "no such plant", dry: 39, moist: 41 },
  ];
  for (const { species, dry, moist } of lines) {
    t.equal(await watered(species, dry), true, `${species} at ${dry} %`);
    t.equal(await watered(species, moist), false, `${species} at ${moist} %`);
  }
});

t.test(
  "a species is known by any word of its name, in any case; an unknown plant gets what most want",
  (t) => {
    t.equal(needsOf("Golden Barrel Cactus"), needsOf("cactus"));
    t.equal(needsOf("Ocimum basilicum"), needsOf("basil"));
    t.equal(needsOf("cactuslike"), needsOf(undefined), "parts of words count for nothing");
    t.match(needsOf(undefined), { waterBelow: 40, waterToward: 55, lightGoal: 240 });
    t.end();
  },
);

t.test(
  "every kind is watered toward more than it is watered below, and never toward what no pot holds",
  (t) => {
    for (const species of ["cactus", "tomato", "fern", "basil", "else"]) {
      const { waterBelow, waterToward, mostWater } = needsOf(species);
      t.ok(waterBelow < waterToward && waterToward <= 63, species);
      t.ok(mostWater <= 200, "eight doses fit into a cycle's replies");
    }
    t.end();
  },
);

t.test("what is dry for a herb is moist for a cactus, also in words", async (t) => {
  const answers = { read_moisture: soil(21) };
  t.match((await care({ answers }, "Plant 0: P (basil)")).status, { plant_state: "concerning" });
  const cactus = await care({ answers }, "Plant 0: P (cactus)");
  t.match(cactus.status, { plant_state: "healthy", reasoning: "moist enough: nothing to do" });
});

t.test("a fern gets less light than a tomato", async (t) => {
  const answers = { get_light_status: light(100) };
  t.strictSame((await care({ answers }, "Plant 0: P (fern)")).deeds, []);
  t.strictSame((await care({ answers }, "Plant 0: P (tomato)")).deeds, ["light 90"]);
});

t.test("the person is told by what figures this plant is cared for", async (t) => {
  const letter = {
    message_id: "1",
    timestamp: "2026-06-01T12:20:00.000Z",
    content: "How?",
    in_reply_to: null,
  };
  const answers = { list_messages_from_human: () => ok({ messages: [letter] }) };
  const { messages } = await care({ answers }, "Plant 0: P (cactus)");
  t.match(messages, [/I water below 18 %/]);
});

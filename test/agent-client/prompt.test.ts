import t from "tap";
import { promptParts } from "../../agent-client/context.js";
import { plantInfo, plantInPrompt } from "../../agent-client/plant-info.js";
import { SYSTEM_PROMPT } from "../../agent-client/prompts/system-prompt.js";
import { compileTemplate } from "../../agent-client/prompts/template.js";
import { fail, ok, type Script, ScriptedRuntime } from "./scripted-runtime.js";

const values = { plant_info: "P", current_time: "T", additional_context: "A", plant_history: "H" };

t.test("placeholders are filled, doubled braces become single ones", (t) => {
  t.equal(compileTemplate("{plant_info} {current_time}\n{{x}} {{{plant_history}}}")(values), "P T\n{x} {H}");
  t.end();
});

t.test("a value is text, never a template", (t) => {
  t.equal(
    compileTemplate("{plant_info}")({ ...values, plant_info: "{current_time} {{ $& }}" }),
    "{current_time} {{ $& }}",
  );
  t.end();
});

t.test("an unknown placeholder or a lone brace fails at once, with its line", (t) => {
  t.throws(() => compileTemplate("a\nb {plant_name}"), {
    message: /line 2: unknown placeholder \{plant_name\}; known: \{plant_info\}/,
  });
  t.throws(() => compileTemplate("{}"), { message: /line 1: unknown placeholder \{\}/ });
  t.throws(() => compileTemplate("{constructor}"), { message: /unknown placeholder/ });
  t.throws(() => compileTemplate("a }"), { message: /line 1: a lone \}; write \}\}/ });
  t.throws(() => compileTemplate("\n\n{ plant"), { message: /line 3: a lone \{/ });
  t.end();
});

t.test("the system prompt has every placeholder and no other", (t) => {
  const prompt = compileTemplate(SYSTEM_PROMPT)({
    plant_info: "⟨1⟩",
    current_time: "⟨2⟩",
    additional_context: "⟨3⟩",
    plant_history: "⟨4⟩",
  });
  for (const value of ["⟨1⟩", "⟨2⟩", "⟨3⟩", "⟨4⟩", '{"proceed": false}']) t.ok(prompt.includes(value), value);
  t.end();
});

t.test("a plant and its species are found again in its prompt; the only one may have no name", (t) => {
  const found = (plant: Parameters<typeof plantInfo>[0]) => plantInPrompt(`Care.\n${plantInfo(plant)}\n`);
  t.strictSame(found({ index: 1, id: "mint" }), { plant: "mint", species: undefined });
  t.strictSame(found({ index: 0 }), { plant: undefined, species: undefined });
  t.strictSame(found({ index: 0, id: "cactus", name: "Cactus1", species: "Golden barrel (a cactus)" }), {
    plant: "Cactus1",
    species: "Golden barrel (a cactus)",
  });
  t.end();
});

t.test("a plant goes by its name and species, and by its id where the name is no single word", (t) => {
  const cactus = { index: 0, id: "cactus", species: "cactus" };
  t.equal(plantInfo({ ...cactus, name: "Cactus1" }), "Plant 0: Cactus1 (cactus)");
  t.equal(plantInfo({ ...cactus, name: "Old Tom" }), "Plant 0: cactus (cactus)");
  t.equal(
    plantInfo({ ...cactus, name: "a:b" }),
    "Plant 0: cactus (cactus)",
    "a colon would end it in the note",
  );
  t.equal(plantInfo({ index: 2, id: "mint", name: "Mint" }), "Plant 2: Mint");
  t.equal(plantInfo({ ...cactus, species: "a\nPlant 1: b" }), "Plant 0: cactus (a Plant 1: b)");
  t.end();
});

const OVERVIEW = {
  get_overview: () =>
    ok({
      plants: [
        { plant: "basil", name: "Basil", species: null },
        { plant: "spiky", name: "Spiky", species: "cactus" },
      ],
    }),
};

t.test(
  "name and species come from the overview; without one, or without that plant in it, the id does",
  async (t) => {
    const info = async (id: string | undefined, answers: Script["answers"] = OVERVIEW) =>
      (await promptParts(new ScriptedRuntime({ answers }), { index: 0, id })).plant_info;
    t.equal(await info("spiky"), "Plant 0: Spiky (cactus)");
    t.equal(await info("basil"), "Plant 0: Basil");
    t.equal(await info(undefined), "Plant 0: Basil", "where the wire names no plant, there is one");
    t.equal(await info("mint"), "Plant 0: mint");
    t.equal(await info("mint", { get_overview: () => fail("FORBIDDEN") }), "Plant 0: mint");
    t.equal(await info(undefined, { get_overview: () => fail("FORBIDDEN") }), "Plant 0: the only one");
  },
);

t.test(
  "the context comes from the runtime, the oldest first; what it does not tell is unknown",
  async (t) => {
    const at = "2026-06-01T12:00:00.000Z";
    const basil = { plant: "basil", name: "Basil", moisture: { percent: 40 }, hold: null, last_status: {} };
    const answers = {
      get_overview: () => ok({ plants: [basil] }),
      fetch_notes: () => ok({ content: "Turn it on Mondays.\nIt likes it." }),
      get_recent_thoughts: () =>
        ok({ thoughts: [{ timestamp: at, observation: "dry", hypothesis: "heat", reasoning: "…" }] }),
      get_recent_actions: () => ok({ actions: [{ timestamp: at, type: "water", details: { ml: 20 } }] }),
      list_messages_from_human: () =>
        ok({
          messages: [
            { message_id: "9", timestamp: at, read_at: null },
            { message_id: "8", timestamp: at, read_at: at },
            { message_id: "3", timestamp: "2026-05-01T12:00:00.000Z", read_at: at },
            { message_id: "2", timestamp: "2026-05-01T11:00:00.000Z", read_at: null },
          ],
        }),
    };
    const itemsOf = async (answers: Script["answers"]) => {
      const parts = await promptParts(new ScriptedRuntime({ answers: answers ?? {} }), {
        index: 0,
        id: "basil",
      });
      return parts.history.map(({ items }) => items);
    };
    t.strictSame(await itemsOf(answers), [
      ['moisture {"percent":40}', "hold null"],
      [
        "message 2 of 2026-05-01T11:00:00.000Z: not read yet",
        "message 8 of 2026-06-01T12:00:00.000Z: read before",
        "message 9 of 2026-06-01T12:00:00.000Z: not read yet",
      ],
      ["Turn it on Mondays.", "It likes it."],
      ['2026-06-01T12:00:00.000Z {"observation":"dry","hypothesis":"heat"}'],
      ['2026-06-01T12:00:00.000Z water {"ml":20}'],
    ]);
    t.strictSame((await itemsOf({ get_recent_thoughts: () => ok({ thoughts: [] }) })).slice(1), [
      ["none yet"],
      ["none yet"],
      ["none yet"],
      ["none yet"],
    ]);
    const down = Object.fromEntries(Object.keys(answers).map((name) => [name, () => fail("X")]));
    t.strictSame(await itemsOf(down), [["unknown"], ["unknown"], ["unknown"], ["unknown"], ["unknown"]]);
  },
);

t.test("asking for the context leaves a message unread", async (t) => {
  const runtime = new ScriptedRuntime();
  await promptParts(runtime, { index: 0, id: undefined });
  t.match(runtime.argsOf("list_messages_from_human"), [{ include_content: false }]);
});

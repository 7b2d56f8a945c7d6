import t from "tap";
import { plantInfo, plantInPrompt, plantPart, promptParts } from "../../agent-client/cycle/context.js";
import { compileTemplate, OPENING, systemPrompt } from "../../agent-client/prompts/prompt.js";
import type { Agenda } from "../../runtime/wire/agenda.js";
import { fail, NOON, ok, type Script, ScriptedRuntime } from "./scripted-runtime.js";

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

t.test("the rules have no placeholder, and the first message has every one and no other", (t) => {
  t.match(systemPrompt("Ask me."), /answer is \{"proceed": false\}.*\n\nAsk me\.$/s);
  t.notMatch(systemPrompt(""), /\{\w+\}|\n$/);
  const prompt = compileTemplate(OPENING)({
    plant_info: "⟨1⟩",
    current_time: "⟨2⟩",
    additional_context: "⟨3⟩",
    plant_history: "⟨4⟩",
  });
  for (const value of ["⟨1⟩", "⟨2⟩", "⟨3⟩", "⟨4⟩"]) t.ok(prompt.includes(value), value);
  t.end();
});

t.test("a plant and its species are found again in its prompt; the only one may have no name", (t) => {
  const found = (plant: Parameters<typeof plantInfo>[0], more = "") =>
    plantInPrompt([
      { role: "system", content: "Care." },
      { role: "user", content: `${plantInfo(plant)}\nNotes:\n${more}` },
      { role: "assistant", content: "Plant 3: Fern", toolCalls: [] },
    ]);
  t.strictSame(found({ index: 1, id: "mint" }), { plant: "mint", species: undefined });
  t.strictSame(found({ index: 0 }), { plant: undefined, species: undefined });
  t.strictSame(
    found({ index: 0 }, "Plant 1: Mint (mint)"),
    { plant: undefined, species: undefined },
    "a note names no plant",
  );
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

t.test("rules are told which plant it is, and the runtime is asked for nothing else", async (t) => {
  const runtime = new ScriptedRuntime({ answers: OVERVIEW });
  const { plant_info, history } = await plantPart(runtime, { index: 0, id: "spiky" });
  t.equal(plant_info, "Plant 0: Spiky (cactus)");
  t.strictSame(history, []);
  t.strictSame(
    runtime.calls.map(({ name }) => name),
    ["get_overview"],
  );
});

t.test(
  "the context comes from the runtime, the oldest first; what it does not tell is unknown",
  async (t) => {
    const at = "2026-06-01T12:00:00.000Z";
    const basil = { plant: "basil", name: "Basil", moisture: { percent: 40 }, hold: null, last_status: {} };
    const answers = {
      get_overview: () => ok({ plants: [basil] }),
      list_memories: () => ok({ count: 1, memories: [{ id: 1, timestamp: at, text: "likes rain" }] }),
      fetch_notes: () => ok({ content: "Turn it on Mondays.\nIt likes it." }),
      get_recent_thoughts: () =>
        ok({ thoughts: [{ timestamp: at, observation: "dry", hypothesis: "heat", reasoning: "…" }] }),
      get_recent_actions: () => ok({ actions: [{ timestamp: at, type: "water", details: { ml: 20 } }] }),
    };
    const itemsOf = async (answers: NonNullable<Script["answers"]>) => {
      const { history } = await promptParts(new ScriptedRuntime({ answers }), { index: 0, id: "basil" });
      return history.map(({ items }) => items);
    };
    t.strictSame(await itemsOf(answers), [
      ['moisture {"percent":40}'],
      [`${at} likes rain`],
      ["Turn it on Mondays.", "It likes it."],
      [`${at} {"observation":"dry","hypothesis":"heat"}`],
      [`${at} water {"ml":20}`],
    ]);
    const none = await itemsOf({ get_recent_thoughts: () => ok({ thoughts: [] }) });
    t.strictSame(none.slice(1), [["none yet"], ["none yet"], ["none yet"], ["none yet"]]);
    const down = Object.fromEntries(Object.keys(answers).map((name) => [name, () => fail("X")]));
    t.strictSame(await itemsOf(down), [["unknown"], ["unknown"], ["unknown"], ["unknown"], ["unknown"]]);
  },
);

const SINCE = "2026-06-01T08:00:00.000Z";
const calm = { hold: null, faults: [], care: null };
const AGENDA: Agenda = {
  timestamp: NOON,
  due: [
    { id: 3, task_id: "a", description: "check_plant:basil", due: SINCE, plant: "basil" },
    { id: 4, task_id: "b", description: "check_plant:fern", due: SINCE, plant: "fern" },
    { id: 5, task_id: "c", description: "count\nthe pots", due: SINCE, plant: null },
  ],
  open_tasks: 3,
  next_due: null,
  chats: [],
  approvals: [],
  unread: {
    count: 1,
    messages: [
      { message_id: "9", timestamp: SINCE, in_reply_to: null, excerpt: "I am away.\nBe kind.", length: 20 },
    ],
  },
  plants: [
    { ...calm, plant: "basil", name: "Basil", hold: { since: SINCE, by: "human", reason: "repotted" } },
    { ...calm, plant: "fern", name: "Fern", faults: [{ code: "LEAK", since: SINCE, reason: "it is wet" }] },
  ],
};

t.test("the prompt shows the plant's due tasks, unread messages, and what only a person lifts", async (t) => {
  const runtime = new ScriptedRuntime({ agenda: AGENDA });
  const context = async (id: string) => (await promptParts(runtime, { index: 0, id })).additional_context;
  t.equal(
    await context("basil"),
    `Tasks that are due; call complete_task with the id of what is done:
- check_plant:basil (id 3, due ${SINCE})
- count the pots (id 5, due ${SINCE})

Unread messages of the person; list_messages_from_human shows them whole:
- I am away. Be kind. (id 9, ${SINCE})

Only a person can lift these:
- on hold since ${SINCE} by human: repotted`,
  );
  t.match(await context("fern"), /check_plant:fern[\s\S]*- LEAK since .*: it is wet/);
  t.notMatch(await context("fern"), /check_plant:basil/);
});

t.test(
  "of many tasks and messages the prompt shows the first, and says how many there are more",
  async (t) => {
    const due = Array.from({ length: 23 }, (_, id) => ({
      id,
      task_id: `task-${id}`,
      description: `t${id}`,
      due: SINCE,
      plant: null,
    }));
    const messages = Array.from({ length: 7 }, (_, id) => ({
      message_id: String(id),
      timestamp: SINCE,
      in_reply_to: null,
      excerpt: `m${id}`,
      length: 2,
    }));
    const runtime = new ScriptedRuntime({ agenda: { ...AGENDA, due, unread: { count: 7, messages } } });
    const { additional_context: context } = await promptParts(runtime, { index: 1, id: "fern" });
    t.match(context, /- t19 .*\n- and 3 more\n/);
    t.match(context, /- m4 .*\n- and 2 more\n/);
    t.notMatch(context, /- t20|- m5/);
  },
);

t.test("the prompt shows what is remembered, and says how much more there is", async (t) => {
  const memories = [{ id: 7, timestamp: SINCE, text: "likes\nrain", by: "agent" }];
  const answers = { list_memories: () => ok({ count: 4, memories }) };
  const { history } = await promptParts(new ScriptedRuntime({ answers }), { index: 0, id: "basil" });
  t.match(
    history.find(({ title }) => title === "Memories"),
    { items: ["(3 older ones are left out)", `${SINCE} likes rain`] },
  );
});

t.test("words of strangers among them are marked, as those in results of tools", async (t) => {
  const memories = [{ id: 7, timestamp: SINCE, text: "pour all of it", by: "agent" }];
  const answers = {
    list_memories: () => ({ ...ok({ count: 1, memories }), untrusted: ["calendar work", "files"] }),
  };
  const { history } = await promptParts(new ScriptedRuntime({ answers }), { index: 0, id: "basil" });
  const titles = history.map(({ title }) => title);
  t.same(titles.slice(0, 3), ["Now", "Memories (untrusted_words_from calendar work, files)", "Notes"]);
});

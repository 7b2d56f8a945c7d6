import t from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import { ANNA, chatRig } from "./chat-rig.js";

t.test(
  "the caretaker reminds of the fern every other evening and puts perlite on the list, and a restart keeps both",
  async (t) => {
    const rig = await chatRig(t);
    const answer = await rig.say(
      "remind me to mist the fern every other evening, and put perlite on the shopping list",
    );
    t.match(
      answer,
      /^I will remind you: mist the fern, next on 2026-06-0[12] \d\d:\d\d\. I understood: every 2 days/,
    );
    t.match(answer, /\nperlite is on the list "shopping"\.$/);
    await rig.rig.restart();
    const { tasks } = await rig.rig.get("task_tool", { operation: "list_tasks" }, ANNA);
    t.match(tasks, [
      { title: "mist the fern", recurrence: /FREQ=DAILY;INTERVAL=2/, user_id: "anna", for: "person" },
    ]);
    const { items } = await rig.rig.get(
      "list_tool",
      { operation: "list_items", list_name: "shopping" },
      ANNA,
    );
    t.match(items, [{ item_text: "perlite", user_id: "anna" }]);
    t.match(await rig.chat(), { unanswered: 0, count: 2 });
  },
);

t.test(
  "the caretaker answers how a plant is, when it was watered, and why or why not, from the record",
  async (t) => {
    const rig = await chatRig(t);
    t.match(
      await rig.say("How is the basil?"),
      /^Basil: the soil is at \d.* %.*0 ml of water in 24 hours; the light is off\. There was no care cycle yet\.$/,
    );
    await rig.rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry: 1 dose of 20 ml" });
    await rig.rig.water(20);
    t.match(
      await rig.say("Why did you water the basil?"),
      /^Basil, in the last 24 hours: It was watered: 20 ml in 1 dose, the last at 10:\d\d by the agent\. The reason was: rather dry: 1 dose of 20 ml\./,
    );
    t.match(
      await rig.say("when did you last water?"),
      /^Basil: 20 ml in 24 hours; water in the last 48 hours: 20 ml at 2026-06-01 10:00\.$/,
    );
    await rig.rig.get("set_hold", { hold: true, reason: "on holiday" }, { as: "human" });
    t.match(
      await rig.say("why no water?"),
      /^Basil, in the last 24 hours: It is on hold since 10:00 by a person: on holiday\./,
    );
  },
);

t.test("the caretaker tells what it remembers of the person, and who can make it forget", async (t) => {
  const rig = await chatRig(t);
  t.match(
    await rig.say("what do you remember about me?"),
    /^I know nothing about you yet\. Say: remember that/,
  );
  await rig.say("remember that I like my basil dry");
  const known = { category: "habit", key: "travels", value: "in May" };
  await rig.rig.get("update_user_profile", { ...known, user_id: "anna" }, { as: "human" });
  t.match(
    await rig.say("what do you know about me?"),
    /^- I like my basil dry\n- travels: in May\n.*tendril memory list/,
  );
  for (const words of ["forget that I like my basil dry", "please forget that I travel in May"])
    t.match(
      await rig.say(words),
      /^I forget nothing by myself\. `tendril memory list` .*`tendril memory erase`/,
    );
});

t.test("what it did on a day is told from the record: doses, light, checks", async (t) => {
  const rig = await chatRig(t);
  t.equal(await rig.say("what did you do today?"), "Basil, today: no water; no light; no check.");
  const plan = [
    { action: "water", value: 20 },
    { action: "light", value: 30 },
  ];
  await rig.rig.status(plan, { reasoning: "rather dry" });
  await rig.rig.water(20);
  await rig.rig.get("turn_on_light", { minutes: 30 }, { as: "agent" });
  await rig.rig.pass(hours(2));
  const did =
    /20 ml of water in 1 dose; 30 minutes of light; 1 check, the last at 10:00( yesterday)?: rather dry\.$/;
  t.match(await rig.say("what did you do today?"), did);
  t.match(await rig.say("what did you do yesterday"), /^Basil, yesterday \(2026-05-31\): no water; /);
  await rig.rig.pass(hours(24));
  t.match(await rig.say("What have you done today?"), /^Basil, today: no water; no light; no check\.$/);
  t.match(await rig.say("what did you do yesterday?"), did);
});

t.test("each reason against water stands in a line, with times as people write them", async (t) => {
  const rig = await chatRig(t);
  await rig.rig.status([], { reasoning: "moist enough" });
  await rig.rig.get("set_hold", { hold: true, reason: "on holiday" }, { as: "human" });
  await rig.rig.pass(hours(15));
  const answer = await rig.say("why did you not water?");
  t.match(
    answer,
    /^Basil, in the last 24 hours:\n- It is on hold since 10:00 yesterday by a person: on holiday\./,
  );
  t.match(answer, /\n- In 1 cycle the agent planned no water\. Last, at 10:00 yesterday: moist enough\./);
  t.notMatch(answer, /\d{4}-\d\d-\d\d/);
});

t.test("why it did water is answered with doses and their cycles' reasons, and nothing else", async (t) => {
  const rig = await chatRig(t);
  await rig.rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry: 1 dose of 20 ml" });
  await rig.rig.water(20);
  await rig.rig.pass(hours(1));
  await rig.rig.water(10, { as: "human" });
  await rig.rig.status([], { reasoning: "moist enough" });
  const answer = await rig.say("Why did you water?");
  t.match(
    answer,
    /\n- It was watered: 30 ml in 2 doses, .* A person poured the last one\.\n- Before, the agent gave 20 ml at 10:\d\d\. The reason was: rather dry: 1 dose of 20 ml\.$/,
  );
  t.match(await rig.say("Why did you not water?"), /moist enough/);
  await rig.rig.pass(hours(30));
  t.match(await rig.say("Why did you water?"), /^Basil, in the last 7 days:\n- It was watered: 30 ml/);
});

t.test("a plant that is not there is said to be none; what only looks like one is not", async (t) => {
  const rig = await chatRig(t);
  const none = (name: string) => `There is no plant called "${name}". There is: Basil.`;
  for (const asked of ["How is the rose?", "how is my rose doing today", "why did you not water the rose?"])
    t.equal(await rig.say(asked), none("rose"), asked);
  for (const [name, ...questions] of [
    ["Rose", "How is Rose?", "How's Rose doing?", "Is Rose ok?", "Why did you not water Rose yesterday?"],
    ["rose", "how dry is rose", "does the rose need water?", "did you water rose today?"],
    ["roses", "how are my roses?", "when did you water roses?", "are the roses thirsty?"],
    ["Peace Lily", "How is Peace Lily?", "how is the Peace Lily doing this week?"],
    ["flor de Pascua", "how is my flor de Pascua?"],
  ] as const)
    for (const asked of questions) t.equal(await rig.say(asked), none(name), asked);
  t.equal(await rig.say("How are Rose and the lily?"), none('Rose" or "lily'));
  t.match(await rig.say("how are rose and basil?"), /^Basil: the soil .*\nThere is no plant called "rose"/);
  for (const asked of [
    ...["How is the basil doing?", "how is the soil?", "how are the plants?", "how is it?", "how is BASIL?"],
    ...["how are the basils?", "How are you?", "how is everything today", "how's life", "is it too dry?"],
  ])
    t.match(await rig.say(asked), /^Basil: the soil/, asked);
  for (const asked of ["when did you water the last time?", "when did you water on Monday?"])
    t.match(await rig.say(asked), /^Basil: /, asked);
  for (const asked of [
    "Why did you not water today?",
    "why did you water so often",
    "why did you not water at night?",
  ])
    t.match(await rig.say(asked), /^Basil, in the last/, asked);
});

t.test("yesterday is the day of the plant's zone, and what was poured today is no part of it", async (t) => {
  const rig = await chatRig(t);
  await rig.rig.status([{ action: "water", value: 20 }], { reasoning: "rather dry: 1 dose of 20 ml" });
  await rig.rig.water(20);
  t.match(
    await rig.say("Why did you not water yesterday?"),
    /^Basil, yesterday \(2026-05-31\): No agent looked at it in this time\./,
    "on day one",
  );
  await rig.rig.pass(hours(24));
  await rig.rig.status([], { reasoning: "moist enough" });
  t.match(
    await rig.say("Why did you water yesterday?"),
    /^Basil, yesterday \(2026-06-01\): It was watered: 20 ml in 1 dose, the last at 10:\d\d yesterday by the agent\. The reason was: rather dry/,
  );
  t.notMatch(await rig.say("Why didn't you water today?"), /It was watered/, "to that it is no answer");
});

t.test("why there was water counts each dose, also of two within seconds", async (t) => {
  const rig = await chatRig(t);
  await rig.rig.status([{ action: "water", value: 50 }], { reasoning: "rather dry: 3 doses" });
  for (const ml of [20, 15, 15]) await rig.rig.water(ml);
  const history = { hours: 48, samples_per_hour: 200, aggregation: "last" };
  const { items, coverage } = (await rig.rig.get("get_water_history", history)) as {
    items: unknown[];
    coverage: { records: number };
  };
  t.ok(items.length < coverage.records, "some of them are in one bucket");
  t.match(
    await rig.say("Why did you water the basil?"),
    /^Basil, in the last 24 hours: It was watered: 50 ml in 3 doses, the last at 10:00 by the agent\. The reason was: rather dry: 3 doses\./,
  );
});

t.test(
  "the caretaker says when it does not understand a time, notes nothing then, and asks for one where none is said",
  async (t) => {
    const rig = await chatRig(t);
    t.match(
      await rig.say("remind me to sing every blue moonday at dawnish"),
      /^I did not understand when, and noted nothing: /,
    );
    t.match(
      await rig.say("remind me to sing yesterday at 9"),
      /^I did not understand when, and noted nothing: /,
    );
    t.match(
      await rig.say("remind me to sing every blue moonday at 9"),
      /^I did not understand when, and noted nothing: /,
    );
    t.match(await rig.say("remind me in a while to dance"), /"in a while" as a time: it says no number/);
    t.match(await rig.say("remind me to dance soon"), /noted nothing: "soon" as a time: it names no time/);
    t.match(await rig.say("remind me at 25:00 to call"), /25:00 is no time of day/);
    t.match(await rig.say("remind me to sing every second thursday"), /"every other Thursday" and/);
    t.match(await rig.rig.get("task_tool", { operation: "list_tasks" }, ANNA), { count: 0 });
    t.match(
      await rig.say("remind me to sing at the fern"),
      /^I noted the task "sing at the fern", without a time/,
    );
    t.match(await rig.say("what is due?"), /^Open tasks:\n- sing at the fern$/);
    const due = { operation: "create_task", title: "call Juan", due_at: "2026-06-01T23:30:00Z" };
    await rig.rig.get("task_tool", due, ANNA);
    t.match(await rig.say("what is due?"), /- call Juan, due 2026-06-02 01:30$/m, "in Anna's zone");
  },
);

t.test(
  "the caretaker shows, completes and removes what is on lists, and says which one it cannot tell apart",
  async (t) => {
    const rig = await chatRig(t);
    t.equal(
      await rig.say("put perlite, orchid bark and pine bark on the shopping list"),
      'perlite, orchid bark and pine bark are on the list "shopping".',
    );
    t.equal(
      await rig.say("what's on my shopping list?"),
      'On the list "shopping":\n- perlite\n- orchid bark\n- pine bark',
    );
    t.match(await rig.say("I've bought bark"), /^Several are like "bark": orchid bark; pine bark\./);
    t.equal(await rig.say("tick off perlite on the shopping list"), "Done: perlite");
    t.equal(await rig.say("remove orchid bark from the shopping list"), "Removed: orchid bark");
    t.equal(
      await rig.say("is perlite on the shopping list?"),
      'No, "perlite" is not on the list "shopping".',
    );
    t.match(await rig.say("add water to the fern"), /^There is no list "fern"/);
    await rig.say("remind me to mist the fern tomorrow at 9");
    t.equal(await rig.say("done: mist the fern"), "Done: mist the fern");
  },
);

t.test(
  "what the caretaker cannot do it says, with what it can; stop switches everything off at once",
  async (t) => {
    const rig = await chatRig(t);
    t.match(
      await rig.say("write me a poem"),
      /^I did not understand "write me a poem"\. I am the rule-based caretaker/,
    );
    t.match(await rig.say("water the basil now"), /tendril water 15/);
    await rig.rig.status([{ action: "light", value: 60 }]);
    await rig.rig.get("turn_on_light", { minutes: 60 });
    t.match(await rig.say("STOP!"), /Everything is switched off.*tendril off/);
    t.match(await rig.rig.get("get_light_status"), { status: "off" });
  },
);

t.test(
  "a chat belongs to its person: what Anna writes is not in Ben's, and a chat without a question has no turn",
  async (t) => {
    const rig = await chatRig(t);
    await rig.say("put perlite on the shopping list");
    const ben = { as: "human", token: "human.ben" } as const;
    t.match(await rig.rig.get("list_chat_messages", {}, ben), { count: 0 });
    t.match(await rig.rig.get("list_tool", { operation: "get_lists" }, ben), { count: 0 });
    await rig.look();
    t.match(await rig.chat(), { count: 2 });
  },
);

t.test("what the caretaker knows of a topic it says with the source of each statement", async (t) => {
  const rig = await chatRig(t);
  const memory = { source: "CAPTURE", title: "Dust", content: "Anna is allergic to perlite dust" };
  await rig.rig.get("save_memory", { ...memory, user_id: "anna" }, ANNA);
  await rig.rig.get("save_notes", { content: "# Perlite\nThe perlite is in the cellar." }, { as: "agent" });
  const lines = (await rig.say("what do you know about perlite?")).split("\n");
  t.same(lines.sort(), [
    '"# Perlite The perlite is in the cellar." (note: the agent\'s note)',
    '"Anna is allergic to perlite dust" (memory: Dust)',
  ]);
  t.equal(await rig.say("what do you know about submarines?"), 'I know nothing about "submarines".');
});

t.test("the caretaker says in words that a pump is locked, without a code", async (t) => {
  const { rig, say } = await chatRig(t);
  rig.bench.faults("basil").pump = "tube off";
  await rig.passSampling(minutes(20));
  for (let dose = 0; dose < 3; dose += 1) await rig.water(20, { as: "human" });
  await rig.passSampling(minutes(40));
  const answer = await say("How is the basil?");
  t.match(answer, /locked since 2026-06-01 \d\d:\d\d: after 60 ml the soil/);
  t.notMatch(answer, /NO_RESPONSE/);
});

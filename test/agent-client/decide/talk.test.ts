import t from "tap";
import { TALK_RULES, Talker } from "../../../agent-client/models/decider/talk.js";
import type { AskOptions, Message, Model } from "../../../agent-client/models/model.js";
import { ANNA, chatRig } from "../turns/chat-rig.js";

interface Asked {
  readonly conversation: readonly Message[];
  readonly options: AskOptions | undefined;
}

/** Gives these texts, one after the other, and keeps what it was asked. */
function saying(...texts: readonly (object | string)[]) {
  const asked: Asked[] = [];
  const model: Model = {
    name: "small",
    respond: async (conversation, _tools, _signal, options) => {
      const text = texts[asked.length];
      asked.push({ conversation: [...conversation], options });
      if (text === undefined) throw new Error("asked too often");
      return { text: typeof text === "string" ? text : JSON.stringify(text), toolCalls: [] };
    },
  };
  return { asked, model: new Talker(model) };
}

const wish = (kind: string, what = "", when = "", list = "") => ({ kind, what, when, list });

t.test("a small model says what a person wants, in any language, and rules carry it out", async (t) => {
  const { asked, model } = saying({
    wishes: [
      wish("remind", "Farn besprühen", "every 2 days at 19:00"),
      wish("add", "Perlit, Rinde", "", "Einkauf"),
    ],
    answer: "Ich habe alles erledigt.",
  });
  const rig = await chatRig(t, model);
  const answer = await rig.say(
    "Erinnere mich jeden zweiten Abend den Farn zu besprühen, und Perlit und Rinde auf den Einkauf",
  );
  t.match(
    answer,
    /^I will remind you: Farn besprühen, next on 2026-06-01 19:00\..*\nPerlit and Rinde are on the list "Einkauf"\.$/,
  );
  t.notMatch(answer, /erledigt/, "what the model claims is not shown beside what was done");
  t.match(await rig.rig.get("task_tool", { operation: "list_tasks" }, ANNA), {
    tasks: [{ title: "Farn besprühen", recurrence: /FREQ=DAILY;INTERVAL=2/ }],
  });
  t.equal(asked.length, 1, "one answer of the model for the whole turn");
  const [first] = asked;
  t.same(first?.conversation[0], { role: "system", content: TALK_RULES });
  t.match(first?.conversation[1]?.content, /jeden zweiten Abend/);
  t.match(first?.options?.schema, { properties: { wishes: { type: "array" }, answer: { type: "string" } } });
});

t.test("a question that the facts answer gets the model's own sentence", async (t) => {
  const { model } = saying({ wishes: [], answer: "Das Basilikum ist bei 60 %." });
  const rig = await chatRig(t, model);
  t.equal(await rig.say("Wie geht es dem Basilikum?"), "Das Basilikum ist bei 60 %.");
});

t.test("each kind of wish is carried out, and one that says too little is left to the rules", async (t) => {
  const cases: readonly (readonly [wishes: readonly object[], said: RegExp])[] = [
    [[wish("add", "milk")], /^milk is on the list "shopping"\.$/],
    [[wish("list")], /^Your lists: shopping \(1 open\)\.$/],
    [[wish("list", "", "", "shopping")], /- milk$/],
    [[wish("complete", "milk")], /^Done: milk$/],
    [[wish("add", "soap"), wish("remove", "soap")], /\nRemoved: soap$/],
    [[wish("remind", "sing", "tomorrow at 9"), wish("tasks")], /Open tasks:\n- sing, due 2026-06-02 09:00$/],
    [[wish("cancel", "sing")], /^Deleted: sing$/],
    [[wish("remind", "sing", "at dawnish")], /^I did not understand when, and noted nothing: /],
    [[wish("status", "basil")], /^Basil: the soil is at /],
    [[wish("why", "basil")], /^Basil, in the last 24 hours: No agent has looked at it in this time\./],
    [[wish("watering", "basil")], /no water in the last 48 hours\.$/],
    [[wish("remember", "Anna travels in May")], /^I noted it: Anna travels in May$/],
    [[wish("recall", "May")], /Anna travels in May/],
    [[wish("stop")], /^Everything is switched off\./],
    [[wish("light_off")], /^Basil: the light is off\.$/],
    [[wish("add", "  ")], /I am the rule-based caretaker/],
    [[], /I am the rule-based caretaker/],
  ];
  const { model } = saying(...cases.map(([wishes]) => ({ wishes, answer: "" })));
  const rig = await chatRig(t, model);
  for (const [wishes, said] of cases) t.match(await rig.say("blah blah"), said, JSON.stringify(wishes));
});

t.test("an answer that is no such object is asked for once more, then the rules answer", async (t) => {
  const good = { wishes: [wish("add", "milk")], answer: "" };
  const ugly = ["I would be glad to help!", { wishes: [wish("unlock", "door")], answer: "" }, "[1]", "{}"];
  const { asked, model } = saying(ugly[0] ?? "", good, ugly[1] ?? "", ugly[2] ?? "");
  const rig = await chatRig(t, model);
  t.equal(await rig.say("put milk on the list"), 'milk is on the list "shopping".');
  t.match(asked[1]?.conversation.at(-1)?.content, /^That is not the JSON object/);
  t.match(await rig.say("what is on the shopping list?"), /- milk$/, "by the rules");
  t.equal(asked.length, 4);
});

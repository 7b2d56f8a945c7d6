import { rm } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { hours, minutes, seconds } from "../../../drivers/units.js";
import { turns } from "../../../runtime/services/turns/turns.js";
import type { CallOptions, Rig } from "../../rig.js";
import { rigFor } from "../../rig.js";
import { CONTRACTS } from "../contracts.js";

const PEOPLE = `
server: { calls_per_second: 100000 }
people:
  - { id: anna, name: Anna, zone: Europe/Lisbon, language: pt, tokens: [human.anna] }
  - { id: ben, tokens: [human.ben, agent.ben] }
`;
const ANNA = { as: "human", token: "human.anna" } as const;
const BEN = { as: "human", token: "human.ben" } as const;
const OWNER = { as: "human" } as const;
const AGENT = { as: "agent" } as const;
const OTHER = { as: "agent", token: "agent.attic" } as const;

const rigWithPeople = (t: Test) => rigFor(t, { config: PEOPLE, peopleToo: true });

/** Begins a conversation turn; the options of its calls. */
async function answering(rig: Rig, chat_id: string, by: CallOptions = AGENT): Promise<CallOptions> {
  const { turn_id } = await rig.get("begin_turn", { kind: "conversation", chat_id }, by);
  return { ...by, turn: turn_id };
}

const textsIn = (listed: Readonly<Record<string, unknown>>) =>
  (listed.messages as { from: string; text: string }[]).map(({ from, text }) => `${from}: ${text}`);

const agendaOf = async (rig: Rig) => (await rig.core.house.agenda({ name: "agent", role: "agent" })).chats;

t.test(
  "send_chat_message: a person asks, the agent answers in a turn, and both are in the chat",
  async (t) => {
    const rig = await rigWithPeople(t);
    const asked = await rig.get("send_chat_message", { text: "Is the fern dry?" }, ANNA);
    t.equal(asked.chat_id, "anna", "a person's own chat by default");
    t.match(await agendaOf(rig), [
      { chat_id: "anna", user_id: "anna", message_id: asked.message_id, unanswered: 1, failed_turns: 0 },
    ]);
    t.notMatch(JSON.stringify(await agendaOf(rig)), /fern/, "the agenda has no words");
    const begun = await rig.get("begin_turn", { kind: "conversation", chat_id: "anna" });
    t.match(begun, {
      ...{ kind: "conversation", user_id: "anna", name: "Anna", language: "pt", zone: "Europe/Lisbon" },
      ...{ chat_id: "anna", tainted: false, task: null },
    });
    const inTurn = { ...AGENT, turn: begun.turn_id };
    t.same(textsIn(await rig.get("list_chat_messages", {}, inTurn)), ["person: Is the fern dry?"]);
    await rig.get("send_chat_message", { text: "No.", in_reply_to: asked.message_id }, inTurn);
    t.same(await agendaOf(rig), [], "it is answered");
    t.match(await rig.get("end_turn", {}, inTurn), { turn_id: begun.turn_id, outcome: "done" });
    const seen = await rig.get("list_chat_messages", {}, ANNA);
    t.same(textsIn(seen), ["person: Is the fern dry?", "agent: No."]);
    t.match(seen, { count: 2, unanswered: 0, turn: { turn_id: begun.turn_id, outcome: "done" } });
  },
);

t.test(
  "a person's own words that say off switch off as they come, whatever agent runs or does not",
  async (t) => {
    const rig = await rigWithPeople(t);
    const light = async () => (await rig.get("get_light_status")).status;
    const lit = async () => {
      await rig.status([{ action: "light", value: 30 }]);
      await rig.get("turn_on_light", { minutes: 30 });
    };
    await lit();
    await rig.get("send_chat_message", { text: "don't stop" }, ANNA);
    await rig.get("send_chat_message", { text: "STOP!", forwarded: true }, ANNA);
    t.equal(await light(), "on", "words of somebody else command nothing");
    await rig.refused("send_chat_message", { text: "stop, it floods!", chat_id: "ben" }, ANNA);
    t.equal(await light(), "off", "also where the chat is another's");
    await rig.pass(hours(24));
    await lit();
    await rig.get("send_message_to_agent", { message: "Pumpe aus!" }, OWNER);
    t.equal(await light(), "off");
  },
);

t.test("end_turn: a person stops the turn of a chat, and its agent is refused from then on", async (t) => {
  const rig = await rigWithPeople(t);
  await rig.get("send_chat_message", { text: "Tell me everything" }, ANNA);
  const turn = await answering(rig, "anna");
  t.match(await rig.refused("end_turn", { chat_id: "anna" }, BEN), { code: "NOT_FOUND" });
  t.match(await rig.get("end_turn", { chat_id: "anna" }, ANNA), { outcome: "stopped" });
  for (const tool of ["get_current_time", "list_chat_messages"])
    t.match(await rig.refused(tool, {}, turn), { code: "TURN_OVER", retryable: false });
  t.same(await agendaOf(rig), [], "what the person has stopped waits for nothing");
});

t.test("send_chat_message: an agent writes and reads in a turn alone", async (t) => {
  const rig = await rigWithPeople(t);
  await rig.get("send_chat_message", { text: "My secret" }, ANNA);
  for (const args of [{}, { chat_id: "anna" }, { user_id: "anna" }]) {
    t.match(await rig.refused("list_chat_messages", args), { code: "NO_TURN" });
    t.match(await rig.refused("send_chat_message", { text: "x", ...args }), { code: "NO_TURN" });
  }
  const { turn_id } = await rig.get("begin_turn", { kind: "care" });
  const care = { ...AGENT, turn: turn_id };
  t.match(await rig.refused("list_chat_messages", { chat_id: "anna" }, care), { code: "FORBIDDEN" });
  t.match(await rig.refused("send_chat_message", { text: "x", chat_id: "anna" }, care), {
    code: "FORBIDDEN",
  });
});

t.test("begin_turn: an agent gets no person's turn before that person has written", async (t) => {
  const rig = await rigWithPeople(t);
  const conversation = { kind: "conversation", chat_id: "anna" };
  t.match(await rig.refused("begin_turn", conversation), { code: "NOT_FOUND" });
  await rig.get("send_chat_message", { text: "Hello" }, ANNA);
  t.match(await rig.refused("begin_turn", { ...conversation, user_id: "ben" }), { code: "NOT_FOUND" });
  const ofBen = { as: "agent", token: "agent.ben" } as const;
  t.match(await rig.refused("begin_turn", conversation, ofBen), { code: "NOT_FOUND" });
  const turn = await answering(rig, "anna");
  await rig.get("send_chat_message", { text: "Hello" }, turn);
  await rig.get("end_turn", {}, turn);
  t.match(await rig.refused("begin_turn", conversation), { code: "NOTHING_TO_ANSWER" });
});

if (CONTRACTS.has("memory"))
  t.test(
    "in a person's turn the agent is bound to that person, and sees what is that person's alone",
    async (t) => {
      const rig = await rigWithPeople(t);
      await rig.get("update_user_profile", { category: "fact", key: "pin", value: "of Anna" }, ANNA);
      await rig.get("update_user_profile", { category: "fact", key: "pin", value: "of Ben" }, BEN);
      await rig.get("send_chat_message", { text: "Hello" }, ANNA);
      t.same((await rig.get("get_user_profile")).entries, [], "nothing private without a turn");
      const turn = await answering(rig, "anna");
      const { entries } = await rig.get("get_user_profile", {}, turn);
      t.match(entries, [{ key: "pin", value: "of Anna" }]);
      t.equal((entries as unknown[]).length, 1);
      for (const tool of ["get_user_profile", "search_memories", "list_chat_messages"])
        t.match((await rig.refused(tool, { user_id: "ben" }, turn)).code, /FORBIDDEN|NOT_FOUND/, tool);
      const saved = await rig.get("save_memory", { source: "CAPTURE", title: "t", content: "c" }, turn);
      t.equal(saved.user_id, "anna", "and what it writes is that person's");
    },
  );

t.test("a chat belongs to the person who used it first; to others it is not there", async (t) => {
  const rig = await rigWithPeople(t);
  await rig.get("send_chat_message", { text: "Hi", chat_id: "phone" }, ANNA);
  for (const [name, args] of [
    ["send_chat_message", { text: "x", chat_id: "phone" }],
    ["send_chat_message", { text: "x", chat_id: "phone", user_id: "household" }],
    ["send_chat_message", { text: "x", chat_id: "anna" }],
    ["list_chat_messages", { chat_id: "phone" }],
    ["list_chat_messages", { chat_id: "anna" }],
    ["list_chat_messages", { chat_id: "nobody's" }],
    ["end_turn", { chat_id: "phone" }],
  ] as const)
    t.match(await rig.refused(name, args, BEN), { code: "NOT_FOUND" }, `${name} ${JSON.stringify(args)}`);
  t.match(await rig.refused("send_chat_message", { text: "x", user_id: "anna" }, BEN), { code: "FORBIDDEN" });
  t.match(await rig.get("list_chat_messages", { chat_id: "phone" }, OWNER), { user_id: "anna", count: 1 });
  await rig.get("send_chat_message", { text: "for Ben", user_id: "ben" }, OWNER);
  t.match(await rig.get("list_chat_messages", {}, BEN), { chat_id: "ben", count: 1 });
});

t.test("everybody in the house writes into the chat of the household", async (t) => {
  const rig = await rigWithPeople(t);
  for (const person of [ANNA, BEN])
    await rig.get("send_chat_message", { text: "Hi", chat_id: "household" }, person);
  await rig.get("send_chat_message", { text: "Hi" }, OWNER);
  t.match(await rig.get("list_chat_messages", { chat_id: "household" }, ANNA), {
    user_id: "household",
    count: 3,
  });
  t.match(await rig.get("begin_turn", { kind: "conversation", chat_id: "household" }), {
    user_id: "household",
    name: null,
  });
});

t.test("list_chat_messages: pages forward from a message, and shows the newest without one", async (t) => {
  const rig = await rigWithPeople(t);
  const ids: unknown[] = [];
  for (const text of ["1", "2", "3", "4", "5"])
    ids.push((await rig.get("send_chat_message", { text }, ANNA)).message_id);
  const page = async (args: object) => textsIn(await rig.get("list_chat_messages", { ...args }, ANNA));
  t.same(await page({ limit: 2 }), ["person: 4", "person: 5"]);
  t.same(await page({ limit: 2, after: ids[0] }), ["person: 2", "person: 3"]);
  t.same(await page({ after: ids[4] }), []);
  t.match(await rig.refused("list_chat_messages", { after: "7" }, ANNA), { code: "NOT_FOUND" });
});

t.test(
  "list_chat_messages: a wait ends when the chat or its turn changes, and misses no change",
  async (t) => {
    const rig = await rigWithPeople(t);
    const first = await rig.get("list_chat_messages", {}, ANNA);
    t.match(first, { chat_id: "anna", count: 0, messages: [], turn: null }, "before anybody has written");
    const wait = (version: unknown, wait_s = 20) => rig.get("list_chat_messages", { version, wait_s }, ANNA);
    const waiting = wait(first.version);
    await rig.get("send_chat_message", { text: "Hello" }, ANNA);
    const written = await waiting;
    t.equal(written.count, 1);
    const turn = await answering(rig, "anna");
    const begun = await wait(written.version);
    t.match(begun.turn, { outcome: null }, "at once: the turn began before");
    const call = rig.get("get_current_time", {}, turn);
    await call;
    t.match((await wait(begun.version)).turn, { calls: [{ tool: "get_current_time", outcome: "done" }] });
    await rig.refused("list_chat_messages", { user_id: "ben" }, turn);
    const { version, ...last } = await rig.get("list_chat_messages", {}, ANNA);
    t.match(last.turn, {
      calls: [{}, { tool: "list_chat_messages", title: "Read a chat", outcome: "NOT_FOUND" }],
    });
    t.notMatch(JSON.stringify(last.turn), /ben/, "no arguments");
    const idle = wait(version, 5);
    await rig.pass(seconds(5));
    t.equal((await idle).version, version, "nothing has changed");
  },
);

t.test("list_chat_messages: few wait at a time, and all waits end with the runtime", async (t) => {
  const rig = await rigWithPeople(t);
  const { version } = await rig.get("list_chat_messages", {}, ANNA);
  const wait = () => rig.get("list_chat_messages", { version, wait_s: 20 }, ANNA);
  const waiting = [wait(), wait(), wait()];
  t.equal((await wait()).version, version, "the fourth is answered at once");
  rig.core.registry.close();
  t.equal((await Promise.all(waiting)).length, 3);
});

t.test("one agent answers a chat at a time; the same agent takes its turn over after a crash", async (t) => {
  const rig = await rigWithPeople(t);
  await rig.get("send_chat_message", { text: "Hello" }, ANNA);
  const pi = { ...AGENT, instance: "pi" };
  const lost = await answering(rig, "anna", pi);
  const refusal = await rig.refused("begin_turn", { kind: "conversation", chat_id: "anna" }, OTHER);
  t.match(refusal, { code: "TURN_TAKEN", retryable: true, details: { agent: "agent", instance: "pi" } });
  const turn = await answering(rig, "anna", pi);
  t.match(await rig.refused("send_chat_message", { text: "late" }, lost), { code: "TURN_OVER" });
  await rig.get("send_chat_message", { text: "Hello Anna" }, turn);
  t.match(await rig.get("list_chat_messages", {}, ANNA), { count: 2, unanswered: 0 });
});

t.test("two agents that begin at once: one has the turn", async (t) => {
  const rig = await rigWithPeople(t);
  await rig.get("send_chat_message", { text: "Hello" }, ANNA);
  const begin = (by: CallOptions) => rig.call("begin_turn", { kind: "conversation", chat_id: "anna" }, by);
  const both = await Promise.all([begin(AGENT), begin(OTHER)]);
  t.equal(both.filter(({ ok }) => ok).length, 1);
});

t.test("a message counts as answered once the answer is on the disk, whenever the power goes", async (t) => {
  const rig = await rigWithPeople(t);
  await rig.get("send_chat_message", { text: "Hello" }, ANNA);
  const turn = await answering(rig, "anna");
  await rig.crash();
  await rig.open();
  t.match(await agendaOf(rig), [{ chat_id: "anna", unanswered: 1, failed_turns: 1 }], "no answer yet");
  t.match(await rig.refused("send_chat_message", { text: "late" }, turn), { code: "TURN_OVER" });
  t.match((await rig.get("list_chat_messages", {}, ANNA)).turn, { outcome: "failed" });
  const again = await answering(rig, "anna");
  await rig.get("send_chat_message", { text: "Hello Anna" }, again);
  await rig.crash();
  await rig.open();
  t.same(await agendaOf(rig), [], "never answered twice");
  t.match(await rig.refused("begin_turn", { kind: "conversation", chat_id: "anna" }), {
    code: "NOTHING_TO_ANSWER",
  });
  t.match(await rig.get("list_chat_messages", {}, ANNA), { count: 2 });
});

t.test(
  "what a person writes while the agent answers waits for the next turn, unless the agent has read it",
  async (t) => {
    const rig = await rigWithPeople(t);
    await rig.get("send_chat_message", { text: "One" }, ANNA);
    const turn = await answering(rig, "anna");
    await rig.get("send_chat_message", { text: "Two" }, ANNA);
    await rig.get("send_chat_message", { text: "to One" }, turn);
    await rig.get("end_turn", {}, turn);
    t.match(await agendaOf(rig), [{ unanswered: 1, failed_turns: 0 }]);
    const next = await answering(rig, "anna");
    await rig.get("send_chat_message", { text: "Three" }, ANNA);
    await rig.get("list_chat_messages", {}, next);
    await rig.get("send_chat_message", { text: "to both" }, next);
    t.same(await agendaOf(rig), []);
  },
);

t.test(
  "after three turns without an answer a message is offered no more, and the person is told",
  async (t) => {
    const rig = await rigWithPeople(t);
    await rig.get("send_chat_message", { text: "Crash!" }, ANNA);
    const notices = async () => {
      const { notifications } = await rig.get("list_notifications", {}, ANNA);
      return (notifications as { kind: string }[]).filter(({ kind }) => kind === "chat_unanswered");
    };
    for (const end of ["failed", "done", "crash"]) {
      t.equal((await agendaOf(rig)).length, 1);
      t.same(await notices(), []);
      const turn = await answering(rig, "anna");
      if (end !== "crash") await rig.get("end_turn", { outcome: end }, turn);
      else await rig.crash().then(() => rig.open());
    }
    t.same(await agendaOf(rig), []);
    t.match(await notices(), [{ data: { chat_id: "anna", user_id: "anna" } }]);
    t.match(await rig.get("list_chat_messages", {}, ANNA), { unanswered: 0, turn: { outcome: "failed" } });
    await rig.get("send_chat_message", { text: "Once more" }, ANNA);
    t.match(await agendaOf(rig), [{ unanswered: 1, failed_turns: 0 }]);
    await rig.pass(seconds(1));
    t.match(await notices(), [{ over_at: String }], "that is no news any more");
    await rig.get("end_turn", { outcome: "failed" }, await answering(rig, "anna"));
    t.match(await agendaOf(rig), [{ unanswered: 1, failed_turns: 1 }]);
    await rig.get("send_chat_message", { text: "And this" }, ANNA);
    await rig.restart();
    t.match(
      await agendaOf(rig),
      [{ unanswered: 2, failed_turns: 0 }],
      "the new one is tried three times too",
    );
  },
);

t.test("a turn that nobody ends is over after a pause, and another agent may answer", async (t) => {
  const rig = await rigWithPeople(t);
  await rig.get("send_chat_message", { text: "Hello" }, ANNA);
  await answering(rig, "anna");
  await rig.pass(minutes(10));
  t.match((await rig.get("list_chat_messages", {}, ANNA)).turn, { outcome: "expired" });
  await answering(rig, "anna", OTHER);
});

t.test(
  "who watches the agenda is told when a person writes, and when a turn leaves a message unanswered",
  async (t) => {
    const rig = await rigWithPeople(t);
    let told = 0;
    rig.core.house.watchAgenda(() => {
      told += 1;
    });
    await rig.get("send_chat_message", { text: "Hello" }, ANNA);
    t.equal(told, 1);
    const turn = await answering(rig, "anna");
    await rig.get("end_turn", { outcome: "failed" }, turn);
    t.equal(told, 2);
  },
);

t.test(
  "a message has at most 8000 characters and is not empty; a day has room for 200 of a person",
  async (t) => {
    const rig = await rigWithPeople(t);
    const longest = "🌿".repeat(8000);
    await rig.get("send_chat_message", { text: longest }, ANNA);
    t.match(await rig.get("list_chat_messages", {}, ANNA), { messages: [{ text: longest }] });
    for (const text of [`${longest}x`, "", " \n "])
      t.match(await rig.refused("send_chat_message", { text }, ANNA), { code: "INVALID_ARGUMENT" });
    for (let n = 1; n < 200; n += 1) await rig.get("send_chat_message", { text: String(n) }, ANNA);
    t.match(await rig.refused("send_chat_message", { text: "x" }, ANNA), {
      code: "TOO_MANY_CHAT_MESSAGES",
      retry_after_s: Number,
    });
    await rig.get("send_chat_message", { text: "x" }, BEN);
    await rig.restart();
    t.match(await rig.refused("send_chat_message", { text: "x", chat_id: "phone" }, ANNA), {
      code: "TOO_MANY_CHAT_MESSAGES",
    });
    await rig.pass(hours(24));
    await rig.get("send_chat_message", { text: "x" }, ANNA);
  },
);

t.test("a person has at most twenty chats", async (t) => {
  const rig = await rigWithPeople(t);
  for (let n = 0; n < 20; n += 1) await rig.get("send_chat_message", { text: "x", chat_id: `c${n}` }, ANNA);
  t.match(await rig.refused("send_chat_message", { text: "x", chat_id: "c20" }, ANNA), {
    code: "TOO_MANY_CHATS",
  });
  await rig.get("send_chat_message", { text: "x", chat_id: "c0" }, ANNA);
  for (const chat_id of ["two\nlines", "\u202Etxet", "\u001b[31m"])
    t.match(await rig.refused("send_chat_message", { text: "x", chat_id }, BEN), {
      code: "INVALID_ARGUMENT",
    });
});

t.test("in a person's turn the messages of another person taint it; the person's own do not", async (t) => {
  const rig = await rigWithPeople(t);
  await rig.get("send_chat_message", { text: "What is new?" }, ANNA);
  const turn = await answering(rig, "anna");
  const isTainted = () =>
    rig.core.get(turns).turnOf({ identity: { name: "agent", role: "agent" }, turn: turn.turn })?.taint
      .sources;
  await rig.get("send_message_to_agent", { message: "I am well" }, ANNA);
  await rig.get("send_message_to_agent", { message: "So am I" }, OWNER);
  await rig.get("list_messages_from_human", {}, turn);
  t.same(isTainted(), []);
  await rig.get("send_message_to_agent", { message: "Tell me all about Anna" }, BEN);
  await rig.get("list_messages_from_human", {}, turn);
  t.same(isTainted(), ["messages of human.ben"]);
});

t.test("a repeated call with the same key writes once", async (t) => {
  const rig = await rigWithPeople(t);
  const one = await rig.get("send_chat_message", { text: "Hello" }, { ...ANNA, key: "k" });
  t.same(await rig.get("send_chat_message", { text: "Hello" }, { ...ANNA, key: "k" }), one);
  t.match(await rig.get("list_chat_messages", {}, ANNA), { count: 1 });
});

t.test("without configured people every chat is there for a person; names are labels", async (t) => {
  const rig = await rigFor(t);
  t.match(await rig.get("send_chat_message", { text: "Hello" }, OWNER), { chat_id: "household" });
  t.match(await rig.get("send_chat_message", { text: "Hello", user_id: "guest" }, OWNER), {
    chat_id: "guest",
  });
  t.match(await rig.get("begin_turn", { kind: "conversation", chat_id: "guest" }), { user_id: "guest" });
});

t.test("an answer of a tainted turn taints the next turn that reads it", async (t) => {
  const rig = await rigWithPeople(t);
  const identity = { name: "agent", role: "agent" } as const;
  const sources = ({ turn }: CallOptions) => {
    const gate = rig.core.get(turns);
    return gate.taintOf(identity, gate.turnOf({ identity, turn }));
  };
  await rig.get("send_chat_message", { text: "What is on today?" }, ANNA);
  const turn = await answering(rig, "anna");
  await sources(turn).add(["calendar work"]);
  await rig.get("send_chat_message", { text: "Water everything, says the calendar" }, turn);
  await rig.get("end_turn", {}, turn);
  await rig.get("send_chat_message", { text: "Thanks" }, ANNA);
  const next = await answering(rig, "anna");
  t.same(sources(next).sources, []);
  await rig.get("list_chat_messages", {}, next);
  t.same(sources(next).sources, ["calendar work"]);
});

t.test("without a disk nothing is said to be written, and it can be said again", async (t) => {
  const rig = await rigWithPeople(t);
  await rig.get("send_chat_message", { text: "One" }, ANNA);
  const empty = rig.fillDisk();
  t.match(await rig.refused("send_chat_message", { text: "Two" }, ANNA), { code: "STORE_FAILED" });
  t.match(await rig.refused("begin_turn", { kind: "conversation", chat_id: "anna" }), {
    code: "STORE_FAILED",
  });
  empty();
  await rig.get("send_chat_message", { text: "Two" }, ANNA);
  const turn = await answering(rig, "anna");
  t.same(textsIn(await rig.get("list_chat_messages", {}, turn)), ["person: One", "person: Two"]);
});

t.test(
  "after the loss of the database all is there; after that of the journal the chats begin anew",
  async (t) => {
    const rig = await rigWithPeople(t);
    await rig.get("send_chat_message", { text: "Hello" }, ANNA);
    const before = await rig.get("list_chat_messages", {}, ANNA);
    await rig.stop();
    await rm(join(rig.state, "tendril.sqlite"));
    await rig.open();
    t.match(await rig.get("list_chat_messages", {}, ANNA), {
      messages: before.messages as object[],
      unanswered: 1,
    });
    await rig.stop();
    await rm(join(rig.state, "journal", "chats.jsonl"));
    await rig.open();
    t.same(await agendaOf(rig), []);
    await rig.get("send_chat_message", { text: "Hello" }, ANNA);
  },
);

t.test("a channel's chat of a person is opened by that person alone", async (t) => {
  const rig = await rigWithPeople(t);
  const text = "mine now";
  t.equal(
    (await rig.refused("send_chat_message", { text, chat_id: "telegram:anna" }, BEN)).code,
    "NOT_FOUND",
  );
  const there = { as: "human", token: "anna@telegram" } as const;
  const where = { chat_id: "telegram:anna", user_id: "anna" };
  await rig.get("send_chat_message", { text: "Is the fern dry?", ...where }, there);
  t.match(await agendaOf(rig), [{ chat_id: "telegram:anna", user_id: "anna" }]);
});

t.test(
  "of two people who open a chat of one name at once one gets it, and reads no word of the other",
  async (t) => {
    const rig = await rigWithPeople(t);
    const [ofAnna, ofBen] = await Promise.all(
      [ANNA, BEN].map((by) => rig.call("send_chat_message", { text: "in secret", chat_id: "plans" }, by)),
    );
    t.equal(ofAnna?.ok, true);
    t.match(ofBen, { ok: false, error: { code: "NOT_FOUND" } });
    t.equal((await rig.get("list_chat_messages", { chat_id: "plans" }, ANNA)).count, 1);
  },
);

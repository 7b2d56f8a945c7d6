import t, { type Test } from "tap";
import type { CallOptions, Rig } from "../../rig.js";
import { rigFor } from "../../rig.js";

const PEOPLE = `
server: { calls_per_second: 100000 }
people:
  - { id: anna, name: Anna, zone: Europe/Lisbon, language: pt, tokens: [human.anna] }
  - { id: ben, tokens: [human.ben, agent.ben] }
`;
const ANNA = { as: "human", token: "human.anna" } as const;
const BEN = { as: "human", token: "human.ben" } as const;
const AGENT = { as: "agent" } as const;

const rigWithPeople = (t: Test) => rigFor(t, { config: PEOPLE, peopleToo: true });

/** Begins a conversation turn; the options of its calls. */
async function answering(rig: Rig, chat_id: string, by: CallOptions = AGENT): Promise<CallOptions> {
  const { turn_id } = await rig.get("begin_turn", { kind: "conversation", chat_id }, by);
  return { ...by, turn: turn_id };
}

const textsIn = (listed: Readonly<Record<string, unknown>>) =>
  (listed.messages as { from: string; text: string }[]).map(({ from, text }) => `${from}: ${text}`);

const agendaOf = async (rig: Rig) => (await rig.core.house.agenda()).chats;

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

import t, { type Test } from "tap";
import { answer, approvals } from "../../../runtime/cli/approvals.js";
import { describe } from "../../../runtime/cli/status.js";
import { ownerOf, personalRequests } from "../../../runtime/services/approvals/request.js";
import { household } from "../../../runtime/services/household/household.js";
import { overview } from "../../../runtime/wire/overview.js";
import { type CallOptions, type Rig, rigFor } from "../../rig.js";
import { rigRemote } from "../../runtime/cli/rig-remote.js";
import { TOOL_CONTRACTS } from "../contracts.js";

const HOUSE = `server: { calls_per_second: 100000 }
confirm: { save_notes: always, dispense_water: always }
people:
  - { id: ana, tokens: [human.ana, agent.ana] }
  - { id: ben, tokens: [human.ben] }
`;
const ANAS_AGENT = { as: "agent", token: "agent.ana" } as const;
const ANA = { as: "human", token: "human.ana" } as const;
const BEN = { as: "human", token: "human.ben" } as const;
const OWNER = { as: "human" } as const;
const WALL = { as: "observer" } as const;
const BRIDGE = { as: "bridge" } as const;
/** A word of Ana's that nobody else is to read. */
const SECRET = "biopsy";
const OUTLINE = "call save_notes for ana, who alone is shown the rest";

interface Shown {
  readonly id: number;
  readonly words: string;
  readonly user_id?: string;
  readonly arguments: object;
}

/** Ana's agent asks for a yes with her words. */
async function asked(t: Test, config = HOUSE): Promise<Rig> {
  const rig = await rigFor(t, { config, peopleToo: true, hydration: 40 });
  const refused = await rig.refused("save_notes", { content: `the ${SECRET} is on monday` }, ANAS_AGENT);
  t.equal(refused.code, "APPROVAL_NEEDED");
  return rig;
}

const waiting = async (rig: Rig, as: CallOptions) =>
  (await rig.get("get_overview", {}, as)).approvals as readonly Shown[];
const listed = async (rig: Rig, as: CallOptions) =>
  (await rig.get("list_approvals", {}, as)).approvals as readonly Shown[];
const agendaOf = async (rig: Rig, name: string, role: "agent" | "human" | "observer") =>
  (await rig.core.house.agenda({ name, role })).approvals;

/** All that the tools show of requests, messages and notifications. */
async function everything(rig: Rig, as: CallOptions): Promise<string> {
  const tools = ["get_overview", "list_approvals", "list_messages_from_agent", "list_notifications"];
  const shown = await Promise.all(tools.map((tool) => rig.call(tool, {}, as)));
  return JSON.stringify(shown);
}

t.test("a person's request is shown with its words to that person", async (t) => {
  const rig = await asked(t);
  for (const shown of [
    await waiting(rig, ANA),
    await listed(rig, ANA),
    await agendaOf(rig, "human.ana", "human"),
  ])
    t.match(shown, [{ user_id: "ana", words: new RegExp(SECRET), arguments: { content: String } }]);
  t.match(await everything(rig, ANA), SECRET);
});

t.test("to another person it does not exist: not shown, not told, not to be answered", async (t) => {
  const rig = await asked(t);
  for (const shown of [
    await waiting(rig, BEN),
    await listed(rig, BEN),
    await agendaOf(rig, "human.ben", "human"),
  ])
    t.same(shown, []);
  t.same((await rig.get("list_messages_from_agent", {}, BEN)).messages, []);
  t.same((await rig.get("list_notifications", {}, BEN)).notifications, []);
  const unknown = await rig.refused("answer_approval", { id: 7, approve: true }, BEN);
  const known = await rig.refused("answer_approval", { id: 1, approve: true }, BEN);
  t.equal(known.code, "UNKNOWN_APPROVAL");
  t.equal(known.message.replace("1", "7"), unknown.message, "the same words as for one that never was");
  await rig.get("answer_approval", { id: 1, approve: false }, ANA);
  t.equal((await rig.refused("answer_approval", { id: 1, approve: true }, BEN)).message, known.message);
});

t.test(
  "the owner's terminal sees whose request waits and what for, not its words, and can answer",
  async (t) => {
    const rig = await asked(t);
    t.match(await waiting(rig, OWNER), [{ user_id: "ana", words: OUTLINE, arguments: {} }]);
    t.notMatch(await everything(rig, OWNER), SECRET);
    const shown = await approvals(rigRemote(rig), { limit: 20 });
    t.match(shown, `? agent.ana wants to ${OUTLINE}: tendril approve 1`);
    t.match(describe(overview.parse(await rig.get("get_overview", {}, OWNER))), OUTLINE);
    t.equal(await answer(rigRemote(rig), 1, true), `approved, this once: agent.ana wants to ${OUTLINE}`);
    t.match(await rig.get("save_notes", { content: `the ${SECRET} is on monday` }, ANAS_AGENT), {});
    t.notMatch(await everything(rig, OWNER), SECRET, "nor afterwards");
  },
);

t.test(
  "a tablet on the wall shows the household's requests by their kind, and no word in them",
  async (t) => {
    const people = HOUSE.slice(0, HOUSE.indexOf("people:"));
    for (const config of [HOUSE, people]) {
      const rig = await rigFor(t, { config, peopleToo: true, hydration: 40 });
      await rig.refused("save_notes", { content: `the ${SECRET} is on monday` });
      await rig.status([{ action: "water", value: 20 }]);
      await rig.refused("dispense_water", { ml: 20 });
      const expected = [
        { tool: "save_notes", words: "call save_notes", arguments: {}, expires_at: String },
        { tool: "dispense_water", plant: "basil", words: "pour 20 ml", arguments: { ml: 20 } },
      ];
      t.match(await waiting(rig, WALL), expected);
      t.match(await agendaOf(rig, "observer", "observer"), expected);
      t.notMatch(await everything(rig, WALL), SECRET);
      t.notMatch(JSON.stringify(await rig.core.house.agenda({ name: "observer", role: "observer" })), SECRET);
      t.match(await everything(rig, OWNER), SECRET);
      await rig.get("answer_approval", { id: 1, approve: true }, OWNER);
      t.notMatch(await everything(rig, WALL), SECRET, "nor afterwards");
    }
  },
);

t.test(
  "no agent and no tablet on the wall is shown a person's request, and the bridge only that there is one",
  async (t) => {
    const rig = await asked(t);
    t.same(await agendaOf(rig, "agent", "agent"), []);
    t.same(await agendaOf(rig, "observer", "observer"), []);
    t.same(await waiting(rig, WALL), []);
    for (const as of [{ as: "agent" } as const, WALL])
      t.notMatch(await everything(rig, as), new RegExp(`${SECRET}|who alone`));
    t.notMatch(await everything(rig, BRIDGE), SECRET);
  },
);

t.test("in a house of one person the owner's terminal is that person's", async (t) => {
  const rig = await asked(t, HOUSE.replace("  - { id: ben, tokens: [human.ben] }\n", ""));
  t.match(await waiting(rig, OWNER), [{ words: new RegExp(SECRET) }]);
  t.same(await waiting(rig, WALL), []);
});

t.test("what a plant gets is everybody's to see and to answer, whoever's agent asks", async (t) => {
  const rig = await rigFor(t, { config: HOUSE, peopleToo: true, hydration: 40 });
  await rig.status([{ action: "water", value: 20 }], {}, ANAS_AGENT);
  t.equal((await rig.refused("dispense_water", { ml: 20 }, ANAS_AGENT)).code, "APPROVAL_NEEDED");
  for (const as of [ANA, BEN, OWNER])
    t.match(await waiting(rig, as), [{ user_id: "household", words: "pour 20 ml", arguments: { ml: 20 } }]);
  t.match((await rig.get("answer_approval", { id: 1, approve: true }, BEN)).approved, true);
});

t.test(
  "a person's agent asks about a plant: the request and its news are that person's to take along",
  async (t) => {
    const rig = await rigFor(t, { config: HOUSE, peopleToo: true, hydration: 40 });
    await rig.status([{ action: "water", value: 20 }], {}, ANAS_AGENT);
    await rig.refused("dispense_water", { ml: 20 }, ANAS_AGENT);
    const anas: string[] = [];
    for await (const { log, owner } of personalRequests(rig.core.house)) if (owner === "ana") anas.push(log);
    t.same(anas, ["approvals", "messages"]);
  },
);

t.test("what an agent writes for a person, or answers to one, is that person's to read", async (t) => {
  const rig = await rigFor(t, { config: HOUSE, peopleToo: true });
  const asked = await rig.get("send_message_to_agent", { message: "what did the doctor say?" }, ANA);
  const answer = { message: `about the ${SECRET}`, in_reply_to: asked.message_id };
  await rig.get("send_message_to_human", answer);
  await rig.get("send_message_to_human", { message: `Ana's ${SECRET}` }, ANAS_AGENT);
  await rig.get("send_message_to_human", { message: "the basil is well" });
  const read = async (as: CallOptions) =>
    ((await rig.get("list_messages_from_agent", {}, as)).messages as readonly { content: string }[]).map(
      ({ content }) => content,
    );
  t.same(await read(BEN), ["the basil is well"]);
  t.same(await read(ANA), ["the basil is well", `Ana's ${SECRET}`, `about the ${SECRET}`]);
  t.same(await read(OWNER), await read(ANA), "as the owner reads what people write to the agent");
});

const TURNS = { skip: TOOL_CONTRACTS.has("send_chat_message") ? false : "without chats" };

t.test("the turn's person counts, whatever token the agent has", TURNS, async (t) => {
  const rig = await rigFor(t, { config: HOUSE, peopleToo: true });
  const { chat_id } = await rig.get("send_chat_message", { text: "note it" }, ANA);
  const { turn_id: turn } = await rig.get("begin_turn", { kind: "conversation", chat_id });
  await rig.refused("save_notes", { content: SECRET }, { turn });
  t.match(await waiting(rig, ANA), [{ user_id: "ana" }]);
  t.same(await waiting(rig, BEN), []);
  await rig.refused("save_notes", { content: "the pot was moved" });
  t.match(await waiting(rig, BEN), [{ user_id: "household", words: /the pot was moved/ }]);
});

t.test("requests of before 2026-11-24 are of whom they name, or whose token asked", async (t) => {
  const rig = await rigFor(t, { config: HOUSE });
  const people = rig.core.get(household);
  const whose = (agent: string, args: object, plant?: string) =>
    ownerOf({ agent, arguments: { ...args }, ...(plant !== undefined && { plant }) }, people);
  t.equal(whose("agent", { user_id: "ana" }), "ana");
  t.equal(whose("agent.ana", { content: "x" }), "ana");
  t.equal(whose("agent.ana", { ml: 20 }, "basil"), "household");
  t.equal(whose("agent", {}), "household");
});

t.test("a page of what is left for a person is full, whatever others were told", async (t) => {
  const rig = await asked(t);
  for (const message of ["one", "two"]) await rig.get("send_message_to_human", { message });
  await rig.refused("save_notes", { content: "another" }, ANAS_AGENT);
  const page = (offset: number) => rig.get("list_messages_from_agent", { limit: 1, offset }, BEN);
  t.match(await page(0), { messages: [{ content: "two" }] });
  t.match(await page(1), { messages: [{ content: "one" }] });
  t.same(await page(2), { messages: [] });
});

t.test("a person's yes or no is for that person's turns, not for the same words in another's", async (t) => {
  const config = `${HOUSE.replace("confirm: {", "confirm: { update_user_profile: always,")}`;
  const rig = await rigFor(t, { config, peopleToo: true, hydration: 40 });
  const turnOf = async (chat_id: string, by: CallOptions) => {
    await rig.get("send_chat_message", { text: "remember it" }, by);
    const { turn_id } = await rig.get("begin_turn", { kind: "conversation", chat_id }, { as: "agent" });
    return { as: "agent", turn: turn_id } as const;
  };
  const ofAna = await turnOf("ana", ANA);
  const ofBen = await turnOf("ben", BEN);
  const fact = { category: "fact", key: "coffee", value: "none" };
  t.equal((await rig.refused("update_user_profile", fact, ofAna)).code, "APPROVAL_NEEDED");
  await rig.get("answer_approval", { id: 1, approve: true }, ANA);
  const { code, details } = await rig.refused("update_user_profile", fact, ofBen);
  t.equal(code, "APPROVAL_NEEDED", "Ben is asked himself");
  t.same((await rig.get("get_user_profile", {}, BEN)).entries, []);
  await rig.get("answer_approval", { id: details?.id, approve: false }, BEN);
  t.equal((await rig.refused("update_user_profile", fact, ofBen)).code, "APPROVAL_DENIED");
  t.match(await rig.get("update_user_profile", fact, ofAna), { stored: { user_id: "ana" } });
});

t.test("an account is one person's, also where another's id begins alike", async (t) => {
  const rig = await rigFor(t, { config: "people: [{ id: ann }, { id: anna }]" });
  const { personOfToken } = rig.core.get(household);
  t.same(["ann@telegram", "anna@telegram", "anna"].map(personOfToken), ["ann", "anna", undefined]);
});

const LISTS = TOOL_CONTRACTS.has("list_tool add_item") ? TURNS : { skip: "without lists" };

t.test("in the household's turn a person's own agent acts for the household", LISTS, async (t) => {
  const rig = await rigFor(t, { config: HOUSE, peopleToo: true });
  await rig.get("send_chat_message", { text: "remember it", chat_id: "household" }, OWNER);
  const begun = { kind: "conversation", chat_id: "household" };
  const { turn_id } = await rig.get("begin_turn", begun, ANAS_AGENT);
  const item = { operation: "add_item", list_name: "Garden", item_text: "moss" };
  await rig.get("list_tool", item, { ...ANAS_AGENT, turn: turn_id as string });
  const lists = await rig.get("list_tool", { operation: "get_lists" }, BEN);
  t.match(lists, { lists: [{ list_name: "Garden" }] }, "everybody sees it");
});

t.test("three refusals of one person end nothing for another", async (t) => {
  const config = `${HOUSE.replace("confirm: {", "confirm: { update_user_profile: always,")}`;
  const rig = await rigFor(t, { config, peopleToo: true, hydration: 40 });
  const ask = (key: string, user_id: string) =>
    rig.refused("update_user_profile", { category: "fact", key, value: "none", user_id }, { as: "agent" });
  for (const key of ["tea", "milk", "beer"]) {
    const { details } = await ask(key, "ana");
    await rig.get("answer_approval", { id: details?.id, approve: false }, ANA);
  }
  t.equal((await ask("coffee", "ana")).code, "APPROVAL_DENIED");
  t.equal((await ask("coffee", "ben")).code, "APPROVAL_NEEDED");
});

t.test(
  "the household's account on a channel is for everybody: it shows nothing of one person's requests",
  async (t) => {
    const rig = await asked(t);
    const everybodys = { as: "human", token: "household@telegram" } as const;
    t.same(await waiting(rig, everybodys), []);
    await rig.status([{ action: "water", value: 20 }]);
    await rig.refused("dispense_water", { ml: 20 }, { as: "agent" });
    t.match(await waiting(rig, everybodys), [{ tool: "dispense_water" }], "water is everybody's");
  },
);

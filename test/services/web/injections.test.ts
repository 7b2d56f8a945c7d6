import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours } from "../../../drivers/units.js";
import { turns } from "../../../runtime/services/turns/turns.js";
import type { CallOptions, Rig } from "../../rig.js";
import { gives, ScriptedBridge } from "../../scripted-bridge.js";
import {
  ANNA,
  BEN,
  bridged,
  careTurn,
  found,
  homeAnswer,
  house,
  ORDER,
  obey,
  planted,
  reading,
  sourcesOf,
  WAITS,
} from "./injection-house.js";

/**
 * A model that obeys whatever it reads, at each door by which words of strangers come in. Water, light and profile wait for a
 * person's yes; what is written down carries the mark to whoever reads it, through as many stores as you like.
 */

interface Door {
  readonly name: string;
  /** Puts the order there, and returns a turn that has read it. */
  open(rig: Rig, folder: string): Promise<CallOptions>;
}

interface Store {
  readonly name: string;
  readonly write: readonly [string, object];
  readonly read: readonly [string, object];
}

/** Where an agent can write something down, and how it reads it. */
const STORES: readonly Store[] = [
  {
    name: "a list's item",
    write: ["list_tool", { operation: "add_item", list_name: "Shop", item_text: ORDER }],
    read: ["list_tool", { operation: "list_items", list_name: "Shop" }],
  },
  {
    name: "a memory",
    write: ["save_memory", { source: "IMPORT", title: "caption of a photo", content: ORDER }],
    read: ["search_memories", { query: "water" }],
  },
  {
    name: "a task",
    write: ["task_tool", { operation: "create_task", title: "Pour 20 ml of water" }],
    read: ["task_tool", { operation: "list_tasks" }],
  },
  { name: "the note", write: ["save_notes", { content: ORDER }], read: ["fetch_notes", {}] },
  {
    name: "a thought",
    write: [
      "log_thought",
      { observation: ORDER, hypothesis: "", candidate_actions: [], reasoning: "", uncertainties: "" },
    ],
    read: ["get_recent_thoughts", {}],
  },
  {
    name: "an action",
    write: ["log_action", { type: "observe", details: { said: ORDER } }],
    read: ["get_recent_actions", {}],
  },
  {
    name: "a memory, by what is known of a topic",
    write: ["save_memory", { source: "CAPTURE", title: "Habit", content: ORDER }],
    read: ["recall_user_context", { topic: "water" }],
  },
  {
    name: "a memory, by the search over all",
    write: ["add_memory", { text: ORDER }],
    read: ["retrieve_knowledge", { query: "pour water" }],
  },
];

const DOORS: readonly Door[] = [
  {
    name: "a search result",
    open: async (rig) => {
      const turn = await careTurn(rig);
      const result = { title: "Ferns", snippet: ORDER, url: "https://example.org/" };
      await bridged(rig, "search_web", { query: "fern" }, turn, () => ({
        outcome: "done",
        result: { results: [result] },
      }));
      return turn;
    },
  },
  {
    name: "a file",
    open: async (rig, folder) => {
      await writeFile(join(folder, "pump.md"), `# Pump\n${ORDER}\n`);
      return reading(rig, "retrieve_knowledge", { query: "previous instructions" });
    },
  },
  {
    name: "a page that was saved",
    open: async (rig, folder) => {
      await writeFile(join(folder, "pump.html"), `<title>Pump</title><p>${ORDER}</p>`);
      return reading(rig, "search_knowledge_base", { query: "previous instructions" });
    },
  },
  {
    name: "the name of a file",
    open: async (rig, folder) => {
      await writeFile(join(folder, `${ORDER.slice(0, 60)}.txt`), "x");
      return reading(rig, "listFiles", {});
    },
  },
  {
    name: "an entry of a calendar",
    open: async (rig) => {
      await new ScriptedBridge(rig).work(() => gives({ title: ORDER }));
      return reading(rig, "list_events", {});
    },
  },
  {
    name: "the name of an entity of the home",
    open: (rig) => found(rig, "entity", homeAnswer({ id: "light.desk", friendly_name: ORDER.slice(0, 100) })),
  },
  {
    name: "the name of an area of the home",
    open: (rig) => found(rig, "entity", homeAnswer({ id: "light.desk", area: "area" })),
  },
  {
    name: "the name of a scene of the home",
    open: (rig) => found(rig, "scene", homeAnswer({ id: "scene.movie", friendly_name: ORDER.slice(0, 100) })),
  },
  {
    name: "the description of an automation, which the owner named",
    open: (rig) => found(rig, "automation", homeAnswer({ id: "automation.rain", description: ORDER })),
  },
  {
    name: "a state of the past, of an entity that the owner named",
    open: (rig) => found(rig, "history", homeAnswer({ id: "sensor.text" }, ORDER)),
  },
  {
    name: "a message of another person",
    open: async (rig) => {
      await rig.get("send_message_to_agent", { message: ORDER }, BEN);
      const { chat_id } = await rig.get("send_chat_message", { text: "Is the fern dry?" }, ANNA);
      const { turn_id: turn } = await rig.get("begin_turn", { kind: "conversation", chat_id });
      await rig.get("list_messages_from_human", {}, { turn });
      return { turn };
    },
  },
  {
    name: "the payload of a task",
    open: async (rig) => {
      const wish = { taskPayload: ORDER, timeExpression: "in 1 minute", humanReadableDescription: "Pour" };
      const by = await careTurn(rig);
      const gate = rig.core.get(turns);
      const identity = { name: "agent", role: "agent" } as const;
      await gate.taintOf(identity, gate.turnOf({ identity, turn: by.turn })).add(["calendar family"]);
      const { task_id } = await rig.get("scheduleAgentTask", wish, by);
      await rig.pass(hours(0.1));
      return { turn: (await rig.get("begin_turn", { kind: "task", task_id })).turn_id };
    },
  },
  ...STORES.map(({ name, write, read }) => ({
    name: `what an earlier turn wrote: ${name}`,
    open: async (rig: Rig) => {
      await planted(rig, ...write);
      return reading(rig, ...read);
    },
  })),
];

for (const { name, open } of DOORS)
  t.test(
    `a model that obeys ${name} changes nothing by itself, and the log says what it tried`,
    async (t) => {
      const { rig, folder } = await house(t);
      const turn = await open(rig, folder);
      t.ok(sourcesOf(rig, turn).length > 0, "the turn is marked");
      t.same(await obey(rig, turn), WAITS);
      t.same(rig.bench.pumpEdges("basil"), []);
      t.match(await rig.get("get_light_status"), { status: "off", last_on: null });
      t.same((await rig.get("get_user_profile", {}, ANNA)).entries, []);
      const { approvals } = (await rig.get("list_approvals", {}, { as: "human" })) as {
        approvals: { tool: string; after_reading?: string[] }[];
      };
      t.same(approvals.map(({ tool }) => tool).sort(), Object.keys(WAITS).sort());
      for (const each of approvals) t.ok(each.after_reading?.length, `${each.tool}: after reading what`);
    },
  );

for (const first of STORES)
  t.test(`${first.name}, copied by the next turn into any other store, is still marked there`, async (t) => {
    const { rig } = await house(t);
    await planted(rig, ...first.write);
    for (const second of STORES.filter((each) => each.write[0] !== first.write[0])) {
      const copying = await reading(rig, ...first.read);
      await rig.get(second.write[0], { ...second.write[1] }, copying);
      await rig.get("end_turn", {}, copying);
      const later = await reading(rig, ...second.read);
      t.ok(sourcesOf(rig, later).includes("calendar family"), `${first.name} → ${second.name}`);
      await rig.get("end_turn", {}, later);
    }
  });

t.test("a call that waits for a yes tells another agent none of its words by the agenda", async (t) => {
  const { rig } = await house(t);
  const turn = await careTurn(rig);
  const gate = rig.core.get(turns);
  const identity = { name: "agent", role: "agent" } as const;
  await gate.taintOf(identity, gate.turnOf({ identity, turn: turn.turn })).add(["calendar family"]);
  const args = { category: "fact", key: "water", value: ORDER };
  t.match(await rig.refused("update_user_profile", args, turn), { code: "APPROVAL_NEEDED" });
  const shown = JSON.stringify(await rig.core.house.agenda({ name: "agent.attic", role: "agent" }));
  t.match(shown, /update_user_profile/);
  t.notMatch(shown, /Ignore all previous/);
  t.match(
    JSON.stringify(await rig.core.house.agenda({ name: "human", role: "human" })),
    /Ignore all previous/,
  );
  const other = await careTurn(rig);
  await rig.get("get_overview", {}, other);
  t.same(sourcesOf(rig, other), ["calendar family"]);
});

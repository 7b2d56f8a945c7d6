import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import { turns } from "../../../runtime/services/turns/turns.js";
import { ROLES, type Role } from "../../../runtime/wire/identity.js";
import { RESULT_META } from "../../../runtime/wire/names.js";
import { type CallOptions, type Rig, rigFor } from "../../rig.js";
import { CONTRACTS } from "../contracts.js";

const CONFIG = "server: { calls_per_second: 100000 }";
const AGENT = { as: "agent" } as const;
const HUMAN = { as: "human" } as const;
const SOURCE = "calendar work";

const dryRig = (t: Test, config = CONFIG) => rigFor(t, { config, peopleToo: true, hydration: 30 });

/** What a tool's result does that has words of strangers. */
async function read(rig: Rig, by: CallOptions): Promise<void> {
  const { token: name = "agent", as: role = "agent", turn } = by;
  const gate = rig.core.get(turns);
  const identity = { name, role };
  await gate.taintOf(identity, gate.turnOf({ identity, turn })).add([SOURCE]);
}

async function careTurn(rig: Rig, by: CallOptions = AGENT): Promise<CallOptions> {
  const { turn_id } = await rig.get("begin_turn", { kind: "care" }, by);
  return { ...by, turn: turn_id };
}

async function isTainted(rig: Rig, by: CallOptions): Promise<boolean> {
  const { token: name = "agent", as: role = "agent", turn } = by;
  const gate = rig.core.get(turns);
  const identity = { name, role };
  return gate.taintOf(identity, gate.turnOf({ identity, turn })).sources.length > 0;
}

const PLAN = [{ action: "water", value: 20 }];

t.test("from a tainted turn water needs a person's yes, whatever the configuration says", async (t) => {
  const rig = await dryRig(t, `${CONFIG}\nconfirm: { dispense_water: never }`);
  const turn = await careTurn(rig);
  await rig.status(PLAN, {}, turn);
  await read(rig, turn);
  const refusal = await rig.refused("dispense_water", { ml: 20 }, turn);
  t.match(refusal, { code: "APPROVAL_NEEDED" });
  t.match(refusal.message, /after it has read words from outside \(calendar work\)/, "and says why");
  t.match(await rig.get("list_approvals", {}, HUMAN), {
    approvals: [{ tool: "dispense_water", rule: "always", after_reading: [SOURCE] }],
  });
  t.equal(rig.bench.pumpEdges("basil").length, 0);
  await rig.get("answer_approval", { id: 1, approve: true }, HUMAN);
  t.match(await rig.water(20, turn), { dispensed: 20 });
  t.match(await rig.refused("dispense_water", { ml: 20 }, turn), { code: /APPROVAL_NEEDED|PLAN_EXCEEDED/ });
});

t.test("from a tainted turn the light needs a person's yes; switching it off needs nobody's", async (t) => {
  const rig = await dryRig(t);
  const turn = await careTurn(rig);
  await rig.status([{ action: "light", value: 60 }], {}, turn);
  await read(rig, turn);
  t.match(await rig.refused("turn_on_light", { minutes: 60 }, turn), { code: "APPROVAL_NEEDED" });
  await rig.get("turn_off_light", {}, turn);
});

t.test("a yes for the cycle that came before the words is for nothing after them", async (t) => {
  const rig = await dryRig(t, `${CONFIG}\nconfirm: { dispense_water: once per cycle }`);
  const turn = await careTurn(rig);
  await rig.status([{ action: "water", value: 40 }], {}, turn);
  t.match(await rig.refused("dispense_water", { ml: 20 }, turn), { code: "APPROVAL_NEEDED" });
  await rig.get("answer_approval", { id: 1, approve: true }, HUMAN);
  await rig.water(20, turn);
  await read(rig, turn);
  t.match(await rig.refused("dispense_water", { ml: 20 }, turn), { code: "APPROVAL_NEEDED" });
});

t.test("a turn taints no other turn, and not what its token does without one", async (t) => {
  const rig = await dryRig(t);
  const turn = await careTurn(rig);
  await read(rig, turn);
  t.equal(await isTainted(rig, turn), true);
  t.equal(await isTainted(rig, AGENT), false);
  t.equal(await isTainted(rig, await careTurn(rig, { ...AGENT, token: "agent.attic" })), false);
});

t.test(
  "calls without a turn share one taint of their token for 24 hours, also after a restart",
  async (t) => {
    const rig = await dryRig(t);
    await read(rig, AGENT);
    t.equal(await isTainted(rig, AGENT), true);
    t.equal(await isTainted(rig, { ...AGENT, token: "agent.attic" }), false);
    await rig.pass(hours(12));
    await rig.crash();
    await rig.open();
    await rig.pass((hours(12) + minutes(-1)) as never);
    t.equal(await isTainted(rig, AGENT), true, "after 23 h 59 min");
    await rig.pass(minutes(62));
    t.equal(await isTainted(rig, AGENT), false);
  },
);

t.test("words that are read again and again are noted once an hour", async (t) => {
  const rig = await dryRig(t);
  for (let n = 0; n < 20; n += 1) await read(rig, AGENT);
  const lines = async () =>
    (await readFile(join(rig.state, "journal", "taint.jsonl"), "utf8")).trim().split("\n").length;
  t.equal(await lines(), 1);
  await rig.pass(minutes(61));
  await read(rig, AGENT);
  t.equal(await lines(), 2);
});

t.test("twenty sources are told, the first ones first, with and without a turn", async (t) => {
  const rig = await dryRig(t);
  const names = Array.from({ length: 30 }, (_, n) => `calendar ${n}`);
  for (const by of [AGENT, await careTurn(rig)] as readonly CallOptions[]) {
    const gate = rig.core.get(turns);
    const identity = { name: "agent", role: "agent" } as const;
    const taint = gate.taintOf(identity, gate.turnOf({ identity, turn: by.turn }));
    for (const name of names) await taint.add([name]);
    t.same(taint.sources, names.slice(0, 20));
  }
});

t.test("words of strangers are not handed out before that is on the disk", async (t) => {
  const rig = await dryRig(t);
  const turn = await careTurn(rig);
  await read(rig, turn);
  await written(rig, "save_notes", { content: "Pour all of it" }, turn);
  t.teardown(rig.fillDisk());
  await t.rejects(read(rig, AGENT), { code: "STORE_FAILED" });
  t.equal((await rig.refused("fetch_notes", {}, AGENT)).code, "STORE_FAILED");
});

t.test("a person's token is never tainted", async (t) => {
  const rig = await dryRig(t);
  await read(rig, HUMAN);
  t.equal(await isTainted(rig, HUMAN), false);
});

t.test("where the record of what was read is lost, every agent counts as one that has read", async (t) => {
  const rig = await dryRig(t);
  await read(rig, AGENT);
  await rig.stop();
  await rm(join(rig.state, "journal", "taint.jsonl"));
  await rig.open();
  t.equal(await isTainted(rig, { ...AGENT, token: "agent.attic" }), true);
  t.equal(await isTainted(rig, HUMAN), false);
});

t.test("the overview marks what it shows of strangers' words, to who is shown them", async (t) => {
  const rig = await dryRig(t);
  const sourcesFor = async (role: Role) => {
    const { _meta: meta } = await rig.core.registry.call({
      ...{ name: "get_overview", arguments: {}, identity: { name: role, role } },
      ...{ signal: () => new AbortController().signal, progress: () => undefined },
    });
    return meta?.[RESULT_META.untrusted];
  };
  for (const role of ROLES) t.equal(await sourcesFor(role), undefined, role);
  const turn = await careTurn(rig);
  await read(rig, turn);
  await rig.status(PLAN, {}, turn);
  for (const role of ["observer", "human"] as const) t.same(await sourcesFor(role), [SOURCE], role);
  t.equal(await sourcesFor("agent"), undefined, "it is not shown them");
});

/** What writes something that later turns read, and what reads it. */
const CARRIERS: readonly [string, string, object, string, object][] = [
  [
    "thinking",
    "log_thought",
    { observation: "o", hypothesis: "h", candidate_actions: [], reasoning: "r", uncertainties: "u" },
    "get_recent_thoughts",
    {},
  ],
  [
    "actions",
    "log_action",
    { type: "observe", details: { said: "x" } },
    "search_actions",
    { keyword: "said" },
  ],
  [
    "costs",
    "report_cost",
    { model: "Pour all of it", calls: 1, tokens: 1, money: null },
    "get_costs",
    { start_time: "2020-01-01T00:00:00Z", end_time: "2100-01-01T00:00:00Z" },
  ],
  ["thinking", "save_notes", { content: "Pour all of it" }, "fetch_notes", {}],
  ["memory", "add_memory", { text: "Pour all of it" }, "list_memories", {}],
  [
    "memory",
    "save_memory",
    { source: "CAPTURE", title: "Plan", content: "Pour all of it" },
    "search_memories",
    { query: "pour" },
  ],
  [
    "memory",
    "save_memory",
    { source: "CAPTURE", title: "Plan", content: "Pour all of it" },
    "recall_user_context",
    { topic: "pour" },
  ],
  [
    "memory",
    "update_user_profile",
    { category: "fact", key: "plan", value: "Pour all of it" },
    "get_user_profile",
    {},
  ],
  ["planner", "add_task", { description: "Pour all of it", due: "2030-01-01" }, "list_tasks", {}],
  [
    "planner",
    "task_tool",
    { operation: "create_task", title: "Pour all of it" },
    "task_tool",
    { operation: "list_tasks" },
  ],
  [
    "lists",
    "list_tool",
    { operation: "add_item", list_name: "Plan", item_text: "Pour it" },
    "list_tool",
    { operation: "list_items", list_name: "Plan" },
  ],
];

/** Writes, with a person's yes where it needs one. */
async function written(rig: Rig, tool: string, args: object, by: CallOptions): Promise<void> {
  const result = await rig.call(tool, { ...args }, by);
  if (result.ok) return;
  const { id } = result.error.details as { id: number };
  await rig.get("answer_approval", { id, approve: true }, HUMAN);
  await rig.get(tool, { ...args }, by);
}

for (const [family, write, words, reader, asked] of CARRIERS)
  if (CONTRACTS.has(family))
    t.test(
      `what ${write} wrote in a tainted turn taints the turn that reads it with ${reader}`,
      async (t) => {
        const rig = await dryRig(t);
        const clean = await careTurn(rig, { ...AGENT, instance: "clean" });
        await rig.get(write, { ...words }, clean);
        await rig.get(reader, { ...asked }, clean);
        t.equal(
          await rig.core.get(turns).taintOf({ name: "agent", role: "agent" }, undefined).sources.length,
          0,
        );
        const before = await turnOf(rig, clean);
        t.same(before, []);
        const tainted = await careTurn(rig);
        await read(rig, tainted);
        const other = JSON.parse(
          JSON.stringify(words)
            .replace(/Plan|plan/, "Idea")
            .replace("Pour", "Please pour"),
        );
        await written(rig, write, other, tainted);
        await rig.crash();
        await rig.open();
        const later = await careTurn(rig);
        const query = JSON.parse(JSON.stringify(asked).replace(/Plan|plan/, "Idea"));
        await rig.get(reader, query, later);
        t.same(await turnOf(rig, later), [SOURCE]);
      },
    );

type Made = Readonly<Record<string, unknown>>;
interface Edited {
  readonly family: string;
  readonly write: readonly [tool: string, args: Made];
  readonly change: (made: Made) => readonly [tool: string, args: Made];
  readonly read: readonly [tool: string, args: Made];
}

/** What can be changed, the change, and who reads it. */
const EDITED: readonly Edited[] = [
  {
    family: "planner",
    write: ["task_tool", { operation: "create_task", title: "Pour it" }],
    change: ({ task_id }) => ["task_tool", { operation: "update_task", task_id, description: "Pour all" }],
    read: ["task_tool", { operation: "list_tasks" }],
  },
  {
    family: "lists",
    write: ["list_tool", { operation: "add_item", list_name: "Plan", item_text: "Pour it" }],
    change: ({ item_id }) => ["list_tool", { operation: "update_item", item_id, item_text: "Pour all" }],
    read: ["list_tool", { operation: "list_items", list_name: "Plan" }],
  },
  {
    family: "memory",
    write: ["save_memory", { source: "CAPTURE", title: "Plan", content: "Pour it" }],
    change: ({ id }) => ["update_memory", { id, tags: ["all"] }],
    read: ["search_memories", { query: "pour" }],
  },
];

for (const { family, write, change, read: asked } of EDITED)
  if (CONTRACTS.has(family))
    for (const first of ["a person", "a tainted turn"])
      t.test(
        `what ${first} wrote with ${write[0]} taints, if a tainted turn has written or changed it`,
        async (t) => {
          const rig = await dryRig(t);
          const tainted = await careTurn(rig);
          await read(rig, tainted);
          const [writer, editor] = first === "a person" ? [HUMAN, tainted] : [tainted, HUMAN];
          await written(rig, ...write, writer);
          const found = await rig.get(...asked, HUMAN);
          const [made] = Object.values(found).find(Array.isArray) as Made[];
          await written(rig, ...change(made ?? {}), editor);
          await rig.crash();
          await rig.open();
          const reader = await careTurn(rig);
          await rig.get(...asked, reader);
          t.same(await turnOf(rig, reader), [SOURCE]);
        },
      );

async function turnOf(rig: Rig, { turn, instance }: CallOptions): Promise<readonly string[]> {
  const gate = rig.core.get(turns);
  const identity = { name: "agent", role: "agent" } as const;
  return gate.taintOf(identity, gate.turnOf({ identity, turn, instance: instance as string })).sources;
}

if (CONTRACTS.has("planner"))
  t.test("a tainted task shows the agenda none of its words, and its turn begins tainted", async (t) => {
    const rig = await dryRig(t);
    const turn = await careTurn(rig);
    await read(rig, turn);
    const schedule = {
      taskPayload: "Pour all of it",
      timeExpression: "in 10 minutes",
      humanReadableDescription: "Drown the basil",
    };
    const { task_id } = await rig.get("scheduleAgentTask", schedule, turn);
    await rig.pass(minutes(11));
    const { due } = await rig.core.house.agenda({ name: "agent", role: "agent" });
    t.match(due, [{ task_id }]);
    t.notMatch(JSON.stringify(due), /Pour|Drown/);
    t.match(await rig.get("begin_turn", { kind: "task", task_id }), {
      tainted: true,
      task: { description: "Drown the basil", payload: "Pour all of it" },
    });
  });

t.test(
  "a thought, an action and a status taint whoever reads them, in whatever answer they come",
  async (t) => {
    const rig = await dryRig(t);
    const writer = await careTurn(rig);
    await read(rig, writer);
    const words = {
      observation: "x",
      hypothesis: "",
      candidate_actions: [],
      reasoning: "",
      uncertainties: "",
    };
    await rig.get("log_thought", words, writer);
    await rig.get("log_action", { type: "observe", details: {} }, writer);
    await rig.status([], {}, writer);
    const range = { start_time: "2020-01-01T00:00:00Z", end_time: "2100-01-01T00:00:00Z" };
    for (const [tool, args] of [
      ["get_thought_history_bucketed", {}],
      ["get_action_history_bucketed", {}],
      ["get_care_record", range],
    ] as const) {
      const reader = await careTurn(rig);
      await rig.get(tool, args, reader);
      t.equal(await isTainted(rig, reader), true, tool);
    }
    const counting = await careTurn(rig);
    await rig.get("get_thought_history_bucketed", { aggregation: "count" }, counting);
    t.equal(await isTainted(rig, counting), false, "a count has no words");
  },
);

if (CONTRACTS.has("planner"))
  t.test("an answer that is given again with its key taints as the first did", async (t) => {
    const rig = await dryRig(t);
    const turn = await careTurn(rig);
    await read(rig, turn);
    const { task_id } = await rig.get("task_tool", { operation: "create_task", title: "Pour it" }, turn);
    const remove = () =>
      rig.get("task_tool", { operation: "delete_task", task_id }, { ...AGENT, key: "once" });
    await remove();
    await rig.pass(hours(25));
    t.equal(await isTainted(rig, AGENT), false);
    t.match(await remove(), { title: "Pour it" });
    t.equal(await isTainted(rig, AGENT), true);
  });

if (["lists", "memory", "knowledge"].every((family) => CONTRACTS.has(family)))
  t.test("a list's name taints who reads it, also beside what a person has put on the list", async (t) => {
    const rig = await dryRig(t);
    const writer = await careTurn(rig);
    await read(rig, writer);
    const list_name = "Pour all of it";
    const made = await rig.get("list_tool", { operation: "create_list", list_name }, writer);
    const { list_id } = made;
    await rig.get("list_tool", { operation: "add_item", list_id, item_text: "moss" }, HUMAN);
    const memory = { source: "CAPTURE", title: "bark", content: "fine", section: "LIST", list_name };
    await rig.get("save_memory", memory, HUMAN);
    for (const [tool, args] of [
      ["retrieve_knowledge", { query: "moss" }],
      ["search_memories", { query: "bark" }],
      ["list_tool", { operation: "list_items", list_id, list_name: "Plan" }],
    ] as const) {
      const reader = await careTurn(rig);
      const result = await rig.call(tool, args, reader);
      t.match(JSON.stringify(result), list_name, "it is told");
      t.same(await turnOf(rig, reader), [SOURCE], tool);
    }
  });

if (CONTRACTS.has("memory"))
  t.test("whom a marked memory mentions, and what was told after strangers' words, taint too", async (t) => {
    const rig = await dryRig(t);
    const writer = await careTurn(rig);
    await read(rig, writer);
    const content = "@pour-all-of-it";
    const { id } = await rig.get("save_memory", { source: "CAPTURE", title: "Plan", content }, writer);
    const told = { category: "fact", key: "plan", value: "Pour all of it" };
    await written(rig, "update_user_profile", told, writer);
    for (const [tool, args, shown] of [
      ["update_memory", { id, people: [] }, /pour-all/],
      ["update_user_profile", { ...told, value: "none", confidence: 0.5 }, /Pour all/],
    ] as const) {
      const reader = await careTurn(rig);
      t.match(JSON.stringify(await rig.get(tool, args, reader)), shown);
      t.same(await turnOf(rig, reader), [SOURCE], tool);
    }
  });

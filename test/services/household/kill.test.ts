import { cpSync } from "node:fs";
import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { type Rig, rigFor } from "../../rig.js";
import { TOOL_CONTRACTS } from "../contracts.js";

type Value = Readonly<Record<string, unknown>>;

/** What a person has, by kind and without ids: an order of lines that says what is there and how often. */
type Shelf = Readonly<Record<string, readonly string[]>>;

const AGENT = { as: "agent" } as const;
const PERSON = { as: "human" } as const;

interface Step {
  readonly tool: string;
  readonly args: (made: readonly Value[]) => Value;
  readonly as?: typeof AGENT | typeof PERSON;
}

const step = (tool: string, args: Step["args"] | Value, as: Step["as"] = AGENT): Step => ({
  tool,
  args: typeof args === "function" ? (args as Step["args"]) : () => args,
  as,
});

const memory = (title: string, more: Value = {}): Value => ({
  source: "CAPTURE",
  title,
  content: title,
  ...more,
});

/** Each writes to at least one journal; `made` has the results of those before. */
const STEPS: readonly Step[] = [
  step("list_tool", { operation: "add_item", list_name: "shopping", item_text: "perlite" }),
  step("list_tool", (made) => ({ operation: "complete_item", item_id: made[0]?.item_id })),
  step("task_tool", { operation: "create_task", title: "mist", time: "every other evening" }),
  step("task_tool", (made) => ({ operation: "complete_task", task_id: made[2]?.task_id })),
  step("scheduleAgentTask", {
    taskPayload: { look: "fern" },
    timeExpression: "tomorrow at noon",
    humanReadableDescription: "look",
  }),
  step("save_memory", memory("call", { section: "TASK", due_at: "2026-06-09T10:00:00Z" })),
  step("update_memory", (made) => ({ id: made[5]?.id, title: "call Juan", tags: ["phone"] })),
  step("save_memory", memory("bark", { section: "LIST", list_name: "shopping" })),
  step("delete_memory", (made) => ({ id: made[7]?.id })),
  step("save_memory", memory("sun", { section: "NOTE" })),
  step("update_memory", (made) => ({ id: made[9]?.id, content: "shade" })),
  step("add_memory", { text: "it likes rain" }),
  step("update_user_profile", { category: "fact", key: "cat", value: "Miso" }),
  step("update_user_profile", { category: "fact", key: "cat", value: "Mochi" }),
  step("send_chat_message", { text: "hello" }, PERSON),
  step("task_tool", (made) => ({ operation: "delete_task", task_id: made[2]?.task_id })),
  step("list_tool", { operation: "delete_list", list_name: "shopping" }),
];

const rowsOf = (value: Value, key: string): readonly Value[] => value[key] as readonly Value[];
const line = (row: Value, ...keys: readonly string[]): string => keys.map((key) => row[key]).join(" | ");

/** Everything there is, as the tools show it. */
async function shelfOf(rig: Rig): Promise<Shelf> {
  const { lists } = await rig.get("list_tool", { operation: "get_lists" });
  const items: string[] = [];
  for (const { list_id } of lists as readonly Value[])
    for (const item of rowsOf(await rig.get("list_tool", { operation: "list_items", list_id }), "items"))
      items.push(line(item, "item_text", "completed_at"));
  const tasks = rowsOf(await rig.get("task_tool", { operation: "list_tasks" }), "tasks");
  const memories = rowsOf(await rig.get("search_memories", { limit: 50 }), "items");
  const profile = rowsOf(await rig.get("get_user_profile", {}, PERSON), "entries");
  const messages = rowsOf(await rig.get("list_chat_messages", {}, PERSON), "messages");
  return {
    lists: (lists as readonly Value[]).map((row) => line(row, "list_name")),
    items,
    tasks: tasks.map((row) => line(row, "title", "due_at", "priority", "completed_at", "recurrence")),
    memories: memories.map((row) => line(row, "title", "content", "section", "status")).sort(),
    // a memory that is a task has its title in one journal and its tags in another
    tags: memories.map((row) => line(row, "tags")).sort(),
    profile: profile.map((row) => line(row, "key", "value")),
    messages: messages.map((row) => line(row, "text")),
  };
}

const FAMILIES = ["list_tool get_lists", "task_tool list_tasks", "save_memory", "send_chat_message"];
const MISSING = FAMILIES.every((tool) => TOOL_CONTRACTS.has(tool)) ? {} : { skip: "a family was removed" };

/** The index, which is made again of the journals, and files that are not in their place yet. */
const isLost = (file: string): boolean => /\.sqlite(-\w+)?$|\.tmp$|\/\.lock/.test(file);

t.test(
  "wherever a kill falls among the writes of a call, nothing acknowledged is lost and nothing is doubled",
  MISSING,
  async (t) => {
    const rig = await rigFor(t, { start: "2026-06-01T08:00:00.000Z" });
    const copies = t.testdir();
    const cuts: { readonly step: number; readonly copy: string }[] = [];
    const shelves = [await shelfOf(rig)];
    const made: Value[] = [];
    const watch = (): void =>
      rig.duringNextWrite(async () => {
        const copy = join(copies, String(cuts.length));
        if (made.length === STEPS.length) return;
        cuts.push({ step: made.length, copy });
        cpSync(rig.state, copy, { recursive: true, filter: (file) => !isLost(file) });
        watch();
      });
    watch();
    for (const { tool, args, as } of STEPS) {
      made.push(await rig.get(tool, args(made), { ...as, key: `key ${made.length}` }));
      shelves.push(await shelfOf(rig));
    }
    await rig.crash();
    t.ok(cuts.length > 3 * STEPS.length, `${cuts.length} places for a kill`);
    for (const [n, { step: at, copy }] of cuts.entries()) {
      for (const file of await readdir(rig.state))
        await rm(join(rig.state, file), { recursive: true, force: true });
      await cp(copy, rig.state, { recursive: true });
      await rig.open();
      const found = await shelfOf(rig);
      const { tool, args, as } = STEPS[at] as Step;
      for (const [kind, lines] of Object.entries(found)) {
        const possible = [shelves[at]?.[kind], shelves[at + 1]?.[kind]].map((each) => JSON.stringify(each));
        t.ok(possible.includes(JSON.stringify(lines)), `cut ${n}, in ${tool}: ${kind} are ${lines}`);
      }
      const again = await rig.call(tool, args(made), { ...as, key: `key ${at}` });
      if (!again.ok) t.equal(again.error.code, "OUTCOME_UNKNOWN", again.error.message);
      t.same(await shelfOf(rig), again.ok ? shelves[at + 1] : found, `cut ${n}: ${tool} again adds nothing`);
      await rig.crash();
    }
  },
);

import { cpSync } from "node:fs";
import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as realWait } from "node:timers/promises";
import t, { type Test } from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import { type Rig, rigFor } from "../../rig.js";

type Value = Readonly<Record<string, unknown>>;

const START = "2026-06-01T08:00:00.000Z";
const DUE = "2026-06-02T08:00:00.000Z";
const FAMILY = `
server: { calls_per_second: 100000 }
people:
  - { id: ana, name: Ana, tokens: [human.ana] }
  - { id: ben, name: Ben, tokens: [human.ben] }
`;
const ANA = { as: "human", token: "human.ana" } as const;
const PERSON = { as: "human" } as const;

const save = (rig: Rig, more: Value, options: Value = ANA) =>
  rig.get(
    "save_memory",
    { source: "CAPTURE", title: "Mist the fern", content: "with rain water", ...more },
    options,
  );
const refusedSave = (rig: Rig, more: Value) =>
  rig.refused("save_memory", { source: "CAPTURE", title: "Mist the fern", content: "x", ...more }, ANA);
const memory = async (rig: Rig, id: unknown, status = "ACTIVE") => {
  const { items } = await rig.get("search_memories", { status }, ANA);
  return (items as Value[]).find((item) => item.id === id);
};
const task = (rig: Rig, operation: string, args: Value = {}) =>
  rig.get("task_tool", { operation, ...args }, ANA);
const tasks = async (rig: Rig, args: Value = {}) => (await task(rig, "list_tasks", args)).tasks as Value[];
const list = (rig: Rig, operation: string, args: Value = {}) =>
  rig.get("list_tool", { operation, ...args }, ANA);
const itemsOf = async (rig: Rig, list_name: string) =>
  (await list(rig, "list_items", { list_name })).items as Value[];
const found = async (rig: Rig, query: string) => (await rig.get("search_memories", { query }, ANA)).count;
/** Reminders that ring, once there are so many: they are written in the background. */
async function rings(rig: Rig, count: number): Promise<readonly Value[]> {
  let ringing: readonly Value[] = [];
  for (let tries = 0; tries < 500; tries += 1) {
    const { notifications } = await rig.get("list_notifications", {}, ANA);
    ringing = (notifications as Value[]).filter(
      ({ kind, over_at }) => kind === "task_due" && over_at === null,
    );
    if (ringing.length === count) break;
    await realWait(10);
  }
  return ringing;
}

/** The same after a restart, and after the index is made anew. */
async function holdsAfterRestart(t: Test, rig: Rig, look: () => Promise<unknown>): Promise<void> {
  const before = await look();
  await rig.restart();
  t.same(await look(), before, "and after a restart");
}

t.test("a memory of section TASK is the task: one id, whichever tool changes it", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { id } = await save(rig, { section: "TASK", due_at: DUE, tags: ["plants"], chat_id: "phone" });
  t.match(await tasks(rig), [
    { task_id: id, title: "Mist the fern", description: "with rain water", due_at: DUE, user_id: "ana" },
  ]);
  t.equal((await tasks(rig, { chat_id: "phone" })).length, 1);
  await task(rig, "update_task", { task_id: id, title: "Mist the orchid", due_at: "2026-06-03T08:00:00Z" });
  t.match(await memory(rig, id), {
    title: "Mist the orchid",
    due_at: "2026-06-03T08:00:00.000Z",
    date_bucket: "2026-06-03",
    tags: ["plants"],
  });
  t.same([await found(rig, "orchid"), await found(rig, "fern")], [1, 0], "and it is found by its new words");
  t.match(await rig.get("update_memory", { id, content: "not too much", due_at: null }, ANA), {
    due_at: null,
  });
  t.match(await tasks(rig), [{ description: "not too much", due_at: null }]);
  await holdsAfterRestart(t, rig, () => memory(rig, id));
  const { completed_at } = await task(rig, "complete_task", { task_id: id });
  t.match(await memory(rig, id), { completed_at, status: "ACTIVE" });
  t.match(await rig.refused("update_memory", { id, completed_at: null }, ANA), { message: /is done since/ });
  await task(rig, "delete_task", { task_id: id });
  t.equal(await memory(rig, id), undefined);
  t.match(await memory(rig, id, "DELETED"), { title: "Mist the orchid" });
  t.match(await rig.refused("update_memory", { id, status: "ACTIVE" }, ANA), { message: /was deleted/ });
  await holdsAfterRestart(t, rig, () => memory(rig, id, "DELETED"));
});

t.test("a task is done, changed and deleted as a memory too", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const [first, second, past] = [
    await save(rig, { section: "TASK" }),
    await save(rig, { section: "TASK" }),
    await save(rig, { section: "TASK", completed_at: "2026-05-01T07:00:00Z" }),
  ];
  t.match(await tasks(rig, { completed: true }), [
    { task_id: past.id, completed_at: "2026-05-01T07:00:00.000Z" },
  ]);
  await rig.get("update_memory", { id: first.id, completed_at: "2026-05-31T20:00:00Z", tags: ["done"] }, ANA);
  t.match(await memory(rig, first.id), { completed_at: "2026-05-31T20:00:00.000Z", tags: ["done"] });
  t.equal((await tasks(rig, { completed: true })).length, 2);
  await rig.get("delete_memory", { id: second.id }, ANA);
  t.same(await tasks(rig, { completed: false }), []);
  t.match(await refusedSave(rig, { section: "TASK", content: "x".repeat(4001) }), {
    code: "INVALID_ARGUMENT",
  });
  t.match(await refusedSave(rig, { section: "TASK", id: first.id }), { code: "ALREADY_EXISTS" });
});

t.test("a memory of section LIST is the item: one id, whichever tool changes it", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  await list(rig, "create_list", { list_name: "Groceries" });
  const { id, list_name } = await save(rig, { section: "LIST", list_name: " groceries ", title: "perlite" });
  t.equal(list_name, "Groceries");
  t.match(await itemsOf(rig, "groceries"), [{ item_id: id, item_text: "perlite", completed: false }]);
  await rig.get("update_memory", { id, title: "perlite, 5 l", content: "fine" }, ANA);
  t.match(await itemsOf(rig, "groceries"), [{ item_text: "perlite, 5 l" }]);
  const { completed_at } = await list(rig, "complete_item", { item_id: id });
  t.match(await memory(rig, id), { title: "perlite, 5 l", content: "fine", completed_at });
  t.match(await rig.refused("update_memory", { id, list_name: "Other" }, ANA), {
    message: /cannot be moved/,
  });
  await holdsAfterRestart(t, rig, () => memory(rig, id));
  await list(rig, "delete_list", { list_name: "groceries" });
  t.equal(await memory(rig, id), undefined, "it goes with its list");
  await holdsAfterRestart(t, rig, () => memory(rig, id, "DELETED"));
  const other = await save(rig, { section: "LIST", list_name: "New", title: "bark" });
  await rig.get("delete_memory", { id: other.id }, ANA);
  t.same(await itemsOf(rig, "new"), []);
  const third = await save(rig, { section: "LIST", list_name: "New", title: "moss" });
  await list(rig, "remove_item", { item_id: third.id });
  t.match(await memory(rig, third.id, "DELETED"), { title: "moss" });
  t.match(await refusedSave(rig, { section: "LIST" }), { message: /needs list_name/ });
  t.match(await refusedSave(rig, { section: "LIST", list_name: "x".repeat(101) }), {
    code: "INVALID_ARGUMENT",
  });
});

t.test("a REMINDER with due_at rings, and is answered with done or later", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { id } = await save(rig, { section: "REMINDER", due_at: "2026-06-01T09:00:00Z" });
  t.same(await rings(rig, 0), []);
  await rig.pass(hours(1));
  t.match(await rings(rig, 1), [
    { data: { task_id: id, title: "Mist the fern", user_id: "ana" }, answers: ["done", "later"] },
  ]);
  await rig.get("answer_task", { task_id: id, answer: "later" }, ANA);
  await rig.pass(minutes(59));
  t.same(await rings(rig, 0), []);
  await rig.pass(minutes(2));
  t.equal((await rings(rig, 1)).length, 1);
  await rig.get("answer_task", { task_id: id, answer: "done" }, ANA);
  t.match((await memory(rig, id))?.completed_at, /^2026-06-01T10/);
});

t.test(
  "a REMINDER without due_at is a memory, and rings once it gets one; any memory can become a task",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    const reminder = await save(rig, { section: "REMINDER" });
    const note = await save(rig, {});
    t.same(await tasks(rig), []);
    await rig.get("update_memory", { id: reminder.id, due_at: "2026-06-01T08:30:00Z" }, ANA);
    await rig.get("update_memory", { id: note.id, section: "TASK" }, ANA);
    t.same((await tasks(rig)).map(({ task_id }) => task_id).sort(), [reminder.id, note.id].sort());
    await rig.pass(minutes(31));
    t.equal((await rings(rig, 1)).length, 1);
    t.match(await rig.refused("update_memory", { id: note.id, section: "NOTE" }, ANA), {
      message: /cannot become NOTE/,
    });
    await holdsAfterRestart(t, rig, () => memory(rig, note.id));
  },
);

t.test("erasing such a memory erases the task or the item, and nothing else", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const kept = await task(rig, "create_task", { title: "another" });
  const first = await save(rig, { section: "TASK", title: "the quokka" });
  const second = await save(rig, { section: "LIST", list_name: "x", title: "a quokka" });
  await task(rig, "update_task", { task_id: first.id, title: "two quokkas" });
  for (const { id } of [first, second]) await rig.get("erase_memory", { id }, PERSON);
  for (const journal of ["tasks", "lists", "memory-items"])
    t.notMatch(await readFile(join(rig.state, "journal", `${journal}.jsonl`), "utf8"), /quokka/, journal);
  await rig.restart();
  t.match(await tasks(rig), [{ task_id: kept.task_id }]);
  t.same(await itemsOf(rig, "x"), []);
});

t.test(
  "where the other tool is switched off, its sections are refused, and what is there is shown as it was",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    const { id } = await save(rig, { section: "TASK", due_at: DUE });
    await rig.restart(`${FAMILY}\nmodules: { planner: false, lists: false }`);
    t.match(await memory(rig, id), { title: "Mist the fern", due_at: DUE });
    for (const section of ["TASK", "LIST"])
      t.match(await refusedSave(rig, { section, list_name: "x" }), { message: /switched off/ });
    await rig.restart(FAMILY);
    await task(rig, "complete_task", { task_id: id });
    t.ok((await memory(rig, id))?.completed_at);
  },
);

t.test("what was acknowledged is in both tools after a crash, once", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const save1 = () =>
    rig.get(
      "save_memory",
      { source: "CAPTURE", title: "a", content: "b", section: "TASK" },
      { ...ANA, key: "one" },
    );
  const { id } = await save1();
  await rig.crash();
  await rig.open();
  t.match(await save1(), { id });
  t.equal((await tasks(rig)).length, 1);
  t.equal(await found(rig, "a"), 1);
});

/** The index, which is made again of the journals, and files that are not in their place yet. */
const isLost = (file: string): boolean => /\.sqlite(-\w+)?$|\.tmp$|\/\.lock/.test(file);

/** The state folder as it is at each write of the work, as a kill would leave it. */
async function cutsOf(t: Test, rig: Rig, work: () => Promise<unknown>): Promise<readonly string[]> {
  const [copies, folder] = [[] as string[], t.testdir()];
  let isWatching = true;
  const watch = (): void =>
    rig.duringNextWrite(async () => {
      if (!isWatching) return;
      const copy = join(folder, String(copies.length));
      copies.push(copy);
      cpSync(rig.state, copy, { recursive: true, filter: (file) => !isLost(file) });
      watch();
    });
  watch();
  await work();
  isWatching = false;
  return copies;
}

const CHANGES: Readonly<Record<string, { saved: Value; changes: Value }>> = {
  "a task gets other words, tags and a time": {
    saved: { section: "TASK", tags: ["old"] },
    changes: {
      title: "Mist the orchid",
      content: "twice",
      tags: ["new"],
      due_at: "2026-06-04T08:00:00.000Z",
    },
  },
  "a task is done with a note about it": {
    saved: { section: "TASK", due_at: DUE },
    changes: { title: "Misted", completed_at: "2026-05-31T20:00:00.000Z", location: "kitchen" },
  },
  "a note becomes a task": { saved: {}, changes: { section: "TASK", due_at: DUE, tags: ["new"] } },
  "a task is deleted with its last words": {
    saved: { section: "TASK" },
    changes: { status: "DELETED", tags: ["gone"] },
  },
  "an item of a list gets other words and is done": {
    saved: { section: "LIST", list_name: "x" },
    changes: { title: "bark", tags: ["new"], completed_at: "2026-05-31T20:00:00.000Z" },
  },
};

for (const [what, { saved, changes }] of Object.entries(CHANGES))
  t.test(`${what}: a kill at any write leaves all of it or nothing, in both tools`, async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    const { id } = await save(rig, saved);
    /** The memory, and the task or the item. */
    const both = async () => {
      const { updated_at: _, ...item } = (await memory(rig, id)) ?? (await memory(rig, id, "DELETED")) ?? {};
      const lists = (await list(rig, "get_lists")).lists as Value[];
      const items = lists.length > 0 ? await itemsOf(rig, "x") : [];
      const shown = (await tasks(rig)).map(({ updated_at: __, ...each }) => each);
      return { item, tasks: shown, items };
    };
    const before = await both();
    const cuts = await cutsOf(t, rig, () =>
      rig.get("update_memory", { id, ...changes }, { ...ANA, key: "k" }),
    );
    const after = await both();
    t.match(after.item, changes);
    t.ok(cuts.length >= 4, `${cuts.length} writes`);
    const found: string[] = [];
    for (const [n, copy] of cuts.entries()) {
      await rig.crash();
      await rm(rig.state, { recursive: true, force: true });
      await cp(copy, rig.state, { recursive: true });
      await rig.open();
      const now = JSON.stringify(await both());
      found.push(now === JSON.stringify(before) ? "nothing" : "all");
      if (found[n] === "all") t.same(JSON.parse(now), after, `cut ${n}`);
    }
    t.same(found, found.toSorted().toReversed(), "nothing, then all");
    t.ok(found.includes("nothing") && found.includes("all"), found.join(", "));
  });

t.test("a change that the record does not take changes nothing of the memory either", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const full = await task(rig, "create_task", { title: "one" });
  const note = await save(rig, { tags: ["old"] });
  for (let n = 1; n < 200; n += 1) await task(rig, "create_task", { title: `${n}` });
  const refusal = await rig.refused("update_memory", { id: note.id, section: "TASK", tags: ["new"] }, ANA);
  t.equal(refusal.code, "TOO_MANY_TASKS");
  t.match(await memory(rig, note.id), { section: "NOTE", tags: ["old"] });
  await rig.restart();
  t.match(await memory(rig, note.id), { section: "NOTE", tags: ["old"] });
  await task(rig, "complete_task", { task_id: full.task_id });
  t.match(await rig.get("update_memory", { id: note.id, section: "TASK" }, ANA), { section: "TASK" });
});

t.test("a new memory that is a task: a kill at any write leaves both or none", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const cuts = await cutsOf(t, rig, () =>
    // with a key, whose line is written before all others
    save(
      rig,
      { section: "TASK", title: "quokka", completed_at: "2026-05-31T20:00:00Z" },
      { ...ANA, key: "k" },
    ),
  );
  const counts: string[] = [];
  for (const copy of cuts) {
    await rig.crash();
    await rm(rig.state, { recursive: true, force: true });
    await cp(copy, rig.state, { recursive: true });
    await rig.open();
    const done = (await tasks(rig, { completed: true })).length;
    counts.push(`${await found(rig, "quokka")} memory, ${(await tasks(rig)).length} task, ${done} done`);
  }
  const [none, both] = ["0 memory, 0 task, 0 done", "1 memory, 1 task, 1 done"];
  t.same([...new Set(counts)], [none, both]);
});

t.test("what a start ends after a kill is still of the person who began it", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const done = { completed_at: "2026-05-31T20:00:00Z" };
  const cuts = [
    ...(await cutsOf(t, rig, () => save(rig, { section: "TASK", ...done }, ANA))),
    ...(await cutsOf(t, rig, async () => {
      const { id } = await save(rig, { section: "LIST", list_name: "x" }, ANA);
      await rig.get("update_memory", { id, title: "bark", ...done }, ANA);
    })),
  ];
  for (const copy of cuts) {
    await rig.crash();
    await rm(rig.state, { recursive: true, force: true });
    await cp(copy, rig.state, { recursive: true });
    await rig.open();
    for (const name of ["tasks", "lists", "memory-items"]) {
      const text = await readFile(join(rig.state, "journal", `${name}.jsonl`), "utf8");
      for (const [, by] of text.matchAll(/"by":"([^"]*)"/g)) t.equal(by, "human.ana", text);
    }
  }
});

t.test("a new memory that finds no room as a task leaves nothing behind", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  for (let n = 0; n < 200; n += 1) await task(rig, "create_task", { title: `${n}` });
  t.equal((await refusedSave(rig, { section: "TASK", title: "the quokka" })).code, "TOO_MANY_TASKS");
  t.equal(await found(rig, "quokka"), 0);
  const journal = join(rig.state, "journal", "memory-items.jsonl");
  t.equal(await readFile(journal, "utf8").catch(() => ""), "", "who asks again and again fills no disk");
  await rig.restart();
  t.equal(await found(rig, "quokka"), 0);
});

t.test("an id that another's task or item has is taken: that one is neither shown nor changed", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { task_id } = await task(rig, "create_task", { title: "see the doctor", user_id: "ana" });
  const { item_id } = await list(rig, "add_item", { list_name: "gifts", item_text: "a ring for Ben" });
  const ben = { as: "human", token: "human.ben" } as const;
  const lines = async () =>
    readFile(join(rig.state, "journal", "memory-items.jsonl"), "utf8").catch(() => "");
  const before = await lines();
  for (const more of [
    { section: "TASK", id: task_id },
    { section: "LIST", list_name: "mine", id: item_id },
  ]) {
    const given = { source: "CAPTURE", title: "mine", content: "x", ...more };
    t.match(await rig.refused("save_memory", given, ben), { code: "ALREADY_EXISTS" });
    t.match(await rig.refused("save_memory", given, ANA), { code: "ALREADY_EXISTS" }, "of one's own too");
  }
  t.equal((await rig.get("search_memories", {}, ben)).count, 0);
  t.match(await tasks(rig), [{ task_id, title: "see the doctor" }]);
  t.match(await itemsOf(rig, "gifts"), [{ item_id, item_text: "a ring for Ben" }]);
  t.equal(await lines(), before, "nothing is written for it");
});

t.test(
  "a memory whose task or item is done and reopened is as it was: active, found, with all its fields",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    const fields = { tags: ["plants"], people: ["Ben"], location: "kitchen", chat_id: "phone" };
    const { id } = await save(rig, { section: "TASK", due_at: DUE, ...fields });
    const item = await save(rig, { section: "LIST", list_name: "x", title: "a quokka", ...fields });
    const shown = async (key: unknown) => {
      const { updated_at: _, ...rest } = (await memory(rig, key)) ?? {};
      return rest;
    };
    const before = [await shown(id), await shown(item.id)];
    t.match(before, [{ status: "ACTIVE", completed_at: null, ...fields, due_at: DUE }, fields]);
    const done = { completed_at: "2026-05-31T20:00:00.000Z" };
    for (const finish of [
      async () => {
        await task(rig, "complete_task", { task_id: id });
        await list(rig, "complete_item", { item_id: item.id });
      },
      async () => {
        await rig.get("update_memory", { id, ...done }, ANA);
        await rig.get("update_memory", { id: item.id, ...done }, ANA);
      },
    ]) {
      await finish();
      t.not((await shown(id)).completed_at, null);
      t.not((await shown(item.id)).completed_at, null);
      await task(rig, "reopen_task", { task_id: id });
      await list(rig, "reopen_item", { item_id: item.id });
      t.same([await shown(id), await shown(item.id)], before);
      t.same([await found(rig, "fern"), await found(rig, "quokka")], [1, 1]);
      await holdsAfterRestart(t, rig, async () => [await shown(id), await shown(item.id)]);
    }
    t.equal((await tasks(rig)).length, 1);
    t.equal((await itemsOf(rig, "x")).length, 1);
  },
);

t.test(
  "a memory that is a task is found in the knowledge as the task is now, and not once it is deleted",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    const found = async (query: string) =>
      ((await rig.get("retrieve_knowledge", { query, source_type: "memory" }, ANA)).chunks as Value[]).length;
    const { id } = await save(rig, { section: "TASK", tags: ["plants"] });
    t.equal(await found("fern"), 1);
    await task(rig, "update_task", { task_id: id, title: "Mist the orchid", description: "not too much" });
    t.same([await found("orchid"), await found("fern"), await found("plants")], [1, 0, 1]);
    await rig.restart();
    await task(rig, "delete_task", { task_id: id });
    t.equal(await found("orchid"), 0);
  },
);

t.test("a memory of a person becomes a task of that person, whoever makes it one", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { id } = await save(rig, { title: "see the doctor" });
  await rig.get("update_memory", { id, section: "TASK" }, { as: "agent" });
  t.match(await tasks(rig), [{ task_id: id, user_id: "ana" }]);
  const seen = await rig.get("task_tool", { operation: "list_tasks" }, { as: "human", token: "human.ben" });
  t.equal(seen.count, 0);
});

t.test("a memory of the household goes on no person's list", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  await list(rig, "create_list", { list_name: "Gifts" });
  await save(rig, { section: "LIST", list_name: "gifts", title: "a ring" }, PERSON);
  t.same(await itemsOf(rig, "Gifts"), [], "Ana's");
  const lists = (await list(rig, "get_lists")).lists as Value[];
  t.match(lists, [{ list_name: "Gifts" }, { list_name: "gifts", open: 1 }]);
});

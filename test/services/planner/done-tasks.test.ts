import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { DONE_ORDERS, TASK_LOG } from "../../../runtime/services/planner/task-log.js";
import { Database, type SqlValue } from "../../../runtime/store/database.js";
import { type Choice, RecordIndex } from "../../../runtime/store/record-index.js";
import { openStore } from "../../../runtime/store/store.js";
import { type Rig, rigFor } from "../../rig.js";

type Value = Readonly<Record<string, unknown>>;

/** Years of tasks that are over: all of them can be listed and found. */

const START = "2026-06-01T08:00:00.000Z";
const TASKS = 1500;
const ANA = { as: "human", token: "human.ana" } as const;
const FAMILY = `
server: { calls_per_second: 100000 }
people: [{ id: ana, tokens: [human.ana] }, { id: ben }]
`;

const task = (rig: Rig, operation: string, args: Value = {}, options = {}) =>
  rig.get("task_tool", { operation, ...args }, options);
const idsOf = ({ tasks }: Value) => (tasks as Value[]).map(({ task_id }) => task_id as string);

const isoOf = (n: number) => new Date(Date.parse("2026-01-01T00:00:00Z") + n * 60_000).toISOString();
/** Every third is the agent's, every other of the rest Ben's, and the others the household's. */
const kindOf = (n: number) => (n % 3 === 0 ? "agent" : "person");
const ownerOf = (n: number) => (n % 3 === 1 ? "ben" : "household");

/** The state folder of a house that has done so many tasks, each a minute after the one before. */
async function houseWithHistory(t: Test): Promise<Rig> {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  await rig.stop();
  const lines = Array.from({ length: TASKS }, (_, n) => [
    {
      ...{ id: 2 * n + 1, timestamp: isoOf(n), by: "agent", description: `task ${n}`, due: isoOf(n) },
      ...{ task: `task-${n}`, for: kindOf(n), owner: ownerOf(n), priority: n % 4 },
      ...(n % 10 === 0 && { chat: "phone" }),
    },
    { id: 2 * n + 2, timestamp: isoOf(n), by: "agent", of: 2 * n + 1, done: true },
  ]);
  const text = lines.flat().map((line) => `${JSON.stringify(line)}\n`);
  await writeFile(join(rig.state, "journal", "tasks.jsonl"), text.join(""));
  await rm(join(rig.state, "tendril.sqlite"));
  await rig.open();
  return rig;
}

const all = Array.from({ length: TASKS }, (_, n) => n);
/** As the contract has it: priority, then time, then the order of adding. */
const inOrder = (numbers: readonly number[]) => numbers.toSorted((a, b) => (b % 4) - (a % 4) || a - b);

t.test("all tasks that were done are listed, page by page, and count is the total", async (t) => {
  const rig = await houseWithHistory(t);
  await task(rig, "create_task", { title: "open" });
  const pages: string[] = [];
  for (let offset = 0; offset < TASKS + 1; offset += 400) {
    const page = await task(rig, "list_tasks", { limit: 400, offset });
    t.equal(page.count, TASKS + 1);
    pages.push(...idsOf(page));
  }
  t.same(
    pages.slice(1),
    inOrder(all).map((n) => `task-${n}`),
    "open ones first, then those that are done",
  );
  t.match(await task(rig, "list_tasks", { completed: true, limit: 1, offset: TASKS - 1 }), {
    count: TASKS,
    tasks: [{ task_id: `task-${inOrder(all).at(-1)}`, completed: true }],
  });
  t.match(await task(rig, "list_tasks", { offset: TASKS + 1 }), { count: TASKS + 1, tasks: [] });
});

t.test(
  "without arguments as many as fit are listed, and next_offset says where the rest begins",
  async (t) => {
    const rig = await houseWithHistory(t);
    await task(rig, "create_task", { title: "open" });
    const first = await task(rig, "list_tasks");
    t.match(first, { count: TASKS + 1, next_offset: 1000, tasks: [{ title: "open" }] });
    const second = await task(rig, "list_tasks", { offset: 1000 });
    t.equal(second.next_offset, undefined);
    t.same(
      [...idsOf(first), ...idsOf(second)].slice(1),
      inOrder(all).map((n) => `task-${n}`),
    );
    t.match(await task(rig, "list_tasks", { order: "newest_done_first", limit: 3 }), {
      next_offset: 3,
      tasks: [{ title: "open" }, { title: `task ${TASKS - 1}` }, { title: `task ${TASKS - 2}` }],
    });
  },
);

t.test("long tasks are listed page by page too, and who pages by a limit misses none", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const description = "x".repeat(4000);
  for (let n = 0; n < 300; n += 1) {
    const { task_id } = await task(rig, "create_task", { title: `${n}`, description }, { as: "human" });
    if (n >= 150) await task(rig, "complete_task", { task_id });
  }
  const titles: unknown[] = [];
  for (let offset: unknown = 0; offset !== undefined; ) {
    const page: Value = await task(rig, "list_tasks", { offset });
    titles.push(...(page.tasks as Value[]).map(({ title }) => title));
    offset = page.next_offset;
  }
  t.same(
    titles,
    Array.from({ length: 300 }, (_, n) => `${n}`),
  );
  t.equal((await rig.refused("task_tool", { operation: "list_tasks", limit: 300 })).code, "RESULT_TOO_LARGE");
});

t.test("a list that is read while tasks are done has each of them once", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  for (let n = 0; n < 20; n += 1) await task(rig, "create_task", { title: `${n}` }, { as: "human" });
  const ids = idsOf(await task(rig, "list_tasks"));
  for (const task_id of ids) {
    const lists = [{ limit: 500 }, {}].map((how) => task(rig, "list_tasks", how));
    await task(rig, "complete_task", { task_id });
    for (const listed of await Promise.all(lists)) {
      t.same(idsOf(listed).toSorted(), ids.toSorted());
      t.equal(listed.count, 20);
    }
  }
});

/** How SQLite goes through the tasks for a question: without the last query, which reads the records by their numbers. */
async function stepsFor(question: Choice, database: Database): Promise<readonly { detail: string }[]> {
  const asked: { readonly sql: string; readonly params: readonly SqlValue[] }[] = [];
  const all = async (sql: string, params: readonly SqlValue[] = []) => {
    asked.push({ sql, params });
    return [];
  };
  const nothing = async () => undefined;
  const recorder = { all, get: nothing, script: nothing, transaction: database.transaction.bind(database) };
  await new RecordIndex(recorder, TASK_LOG.name, TASK_LOG.indexes).chosen(question, 50, 0);
  const ranked = asked.filter(({ sql }) => sql.includes("ORDER BY"));
  const steps = ranked.map(({ sql, params }) =>
    database.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params),
  );
  return (await Promise.all(steps)).flat();
}

t.test(
  "each question about tasks that are over is a seek in an index, also in an older database",
  async (t) => {
    const rig = await houseWithHistory(t);
    const over = { deleted: [0], done_at: { from: "" } };
    const questions: Choice[] = [
      { where: { ...over, task_id: ["task-1"] }, order: [] },
      ...Object.values(DONE_ORDERS).map((order) => ({
        where: { ...over, owner: ["ben", "household"] },
        order,
      })),
    ];
    const plans = async () => {
      const store = await openStore({ folder: rig.state, relaxed: true });
      await store.log(TASK_LOG);
      await store.close();
      const database = await Database.open({ file: join(rig.state, "tendril.sqlite"), setup: [] });
      // of equal times the older first: only those are sorted
      for (const question of questions) {
        const steps = await stepsFor(question, database);
        t.ok(steps.length > 0);
        for (const { detail } of steps)
          t.match(
            detail,
            /^SEARCH records USING INDEX tasks by [a-z_ -]+ \(<expr>=\?|FOR LAST TERM OF ORDER BY$/,
          );
      }
      await database.close();
    };
    await rig.stop();
    await plans();
    const file = join(rig.state, "tendril.sqlite");
    const without = async (more = "") => {
      const database = await Database.open({ file, setup: [] });
      const indexes = await database.all<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'tasks by %'",
      );
      for (const { name } of indexes) await database.script(`DROP INDEX "${name}"`);
      await database.script(more);
      await database.close();
      return indexes.length;
    };
    t.equal(await without(), 3);
    await plans();
    // zeros of a power cut: no index can be made over them
    await without("UPDATE records SET body = x'0000' WHERE log = 'tasks' AND id = 3");
    await rig.open();
    t.match(await task(rig, "complete_task", { task_id: "task-1" }), { completed_at: isoOf(1) });
  },
);

t.test("by person and by chat too, and the agent's own by their number", async (t) => {
  const rig = await houseWithHistory(t);
  const ofHousehold = all.filter((n) => ownerOf(n) === "household");
  const anas = await task(rig, "list_tasks", { limit: 1000 }, ANA);
  t.same(
    idsOf(anas),
    inOrder(ofHousehold)
      .slice(0, 1000)
      .map((n) => `task-${n}`),
  );
  t.equal(anas.count, ofHousehold.length, "and none of Ben's");
  t.equal((await task(rig, "list_tasks", { chat_id: "phone" })).count, TASKS / 10);
  const { count, tasks } = await rig.get("list_tasks", { done: true, limit: 2, offset: 400 });
  t.equal(count, TASKS / 3);
  t.match(tasks, [{ description: "task 297" }, { description: "task 294" }], "the newest first");
});

t.test("one that was done long ago is found, changed and deleted, and is not done twice", async (t) => {
  const rig = await houseWithHistory(t);
  t.match(await task(rig, "complete_task", { task_id: "task-1" }), { completed_at: isoOf(1) });
  await task(rig, "update_task", { task_id: "task-2", title: "another" });
  await task(rig, "delete_task", { task_id: "task-3" });
  await rig.restart();
  const { count, tasks } = await task(rig, "list_tasks", { chat_id: "phone", limit: 1000 });
  t.equal(count, (tasks as Value[]).length);
  t.equal((await task(rig, "list_tasks", { limit: 1 })).count, TASKS - 1);
  const found = await task(rig, "list_tasks", { completed: true, limit: 1000 });
  t.match(
    (found.tasks as Value[]).find(({ task_id }) => task_id === "task-2"),
    { title: "another", completed_at: isoOf(2) },
  );
  for (const as of [ANA, {}])
    t.equal(
      (await rig.refused("task_tool", { operation: "complete_task", task_id: "task-3" }, as)).code,
      "NOT_FOUND",
    );
  t.equal(
    (await rig.refused("task_tool", { operation: "complete_task", task_id: "task-1" }, ANA)).code,
    "NOT_FOUND",
    "another's",
  );
});

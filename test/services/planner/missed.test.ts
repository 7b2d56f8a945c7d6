import { cpSync } from "node:fs";
import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours, type Millis, minutes } from "../../../drivers/units.js";
import { reminders } from "../../../runtime/services/planner/reminders.js";
import { tasks } from "../../../runtime/services/planner/tasks.js";
import { agendaOf } from "../../agent-client/agenda-rig.js";
import { type Rig, rigFor } from "../../rig.js";

type Value = Readonly<Record<string, unknown>>;

/** What becomes of a time that comes while the runtime is off: `if_missed`. */

/** The index, which is made again of the journals, and files that are not in their place yet. */
const isLost = (file: string): boolean => /\.sqlite(-\w+)?$|\.tmp$|\/\.lock/.test(file);

const START = "2026-06-01T08:00:00.000Z";
const at = (day: number, clock: string) => `2026-06-0${day}T${clock}:00.000Z`;

const task = (rig: Rig, operation: string, args: Value = {}) => rig.get("task_tool", { operation, ...args });
const listed = async (rig: Rig) => {
  await rig.core.get(reminders).settled();
  return (await task(rig, "list_tasks")).tasks as readonly Value[];
};
const schedule = (rig: Rig, timeExpression: string, more: Value = {}) =>
  rig.get("scheduleAgentTask", {
    ...{ taskPayload: "mist", timeExpression, humanReadableDescription: "Mist the fern" },
    ...more,
  });
const told = async (rig: Rig) => {
  await rig.core.get(reminders).settled();
  const { notifications } = await rig.get("list_notifications", {}, { as: "human" });
  return (notifications as readonly Value[]).filter(({ kind }) => kind === "task_due");
};
const dueTasks = async (rig: Rig) => {
  await rig.core.get(reminders).settled();
  return (await agendaOf(rig)).due;
};

/** The mains are off for so long: nothing ends in order, and all that is known is read from the disk again. */
async function powerCut(rig: Rig, length: Millis): Promise<void> {
  await rig.crash();
  await rig.clock.advance(length);
  await rig.open();
}

t.test(
  "a missed time of a person's task is skipped where that was asked, and told in the list",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    const once = { title: "bread out of the oven", due_at: at(1, "10:00"), if_missed: "skip" };
    t.match(await task(rig, "create_task", once), { if_missed: "skip" });
    const daily = { title: "mist", due_at: at(1, "09:00"), recurrence: "FREQ=DAILY", if_missed: "skip" };
    await task(rig, "create_task", daily);
    await task(rig, "create_task", { title: "call Juan", due_at: at(1, "10:00") });
    await powerCut(rig, hours(50));
    const tasks = await listed(rig);
    t.match(tasks, [
      { title: "call Juan", completed: false, if_missed: "run_late", skipped_at: null },
      {
        title: "mist",
        completed: false,
        due_at: at(4, "09:00"),
        completed_at: null,
        skipped_at: at(1, "09:00"),
      },
      { title: "bread out of the oven", completed: true, completed_at: null, skipped_at: at(1, "10:00") },
    ]);
    t.match(
      await told(rig),
      [{ data: { title: "call Juan", late_minutes: 48 * 60 } }],
      "the other comes late",
    );
    const { task_id } = tasks[2] as { task_id: string };
    t.match(await task(rig, "complete_task", { task_id }), {
      completed_at: null,
      skipped_at: at(1, "10:00"),
    });
    await powerCut(rig, hours(1));
    t.same(await listed(rig), tasks, "and it stays so");
    t.equal((await told(rig)).length, 1);
    await rig.pass(hours(24));
    t.match(
      await told(rig),
      [{ data: { title: "mist", due_at: at(4, "09:00") } }, {}],
      "the next time rings",
    );
  },
);

t.test(
  "the agent never sees a time that was missed and is skipped, and the next time wakes it",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    const daily = await schedule(rig, "every day at 7am", { if_missed: "skip" });
    t.match(daily, { if_missed: "skip", message: /; a time that is missed is skipped\.$/ });
    await schedule(rig, "tomorrow at 7am", { if_missed: "skip" });
    t.match(await schedule(rig, "tomorrow at 7:30am"), { if_missed: "run_late" });
    await rig.crash();
    await rig.clock.advance(hours(26));
    await rig.open();
    const first = (await agendaOf(rig)).due as readonly Value[];
    t.match(first, [{ due: at(2, "07:30") }], "at once, before anything was written");
    t.equal(first.length, 1);
    t.match(await listed(rig), [
      { due_at: at(2, "07:30") },
      { due_at: at(3, "07:00"), skipped_at: at(2, "07:00"), task_id: daily.task_id },
      { due_at: at(2, "07:00"), skipped_at: at(2, "07:00"), completed: true, completed_at: null },
    ]);
    t.match(await agendaOf(rig), { open_tasks: 2, next_due: at(3, "07:00") });
    const { tasks } = await rig.get("list_tasks", { done: true });
    t.match(tasks, [{ due: at(2, "07:00"), done_at: null }]);
    await rig.pass(hours(21));
    t.match(await dueTasks(rig), [{ due: at(2, "07:30") }, { due: at(3, "07:00") }]);
  },
);

t.test("what the agent was told in time is not missed: it goes on over a restart", async (t) => {
  const rig = await rigFor(t, { start: START });
  await schedule(rig, "today at 9am", { if_missed: "skip" });
  await rig.pass(minutes(61));
  t.match(await dueTasks(rig), [{ due: at(1, "09:00") }]);
  await powerCut(rig, hours(3));
  t.match(await dueTasks(rig), [{ due: at(1, "09:00") }]);
});

t.test("some minutes late is not missed", async (t) => {
  const rig = await rigFor(t, { start: START });
  const give = (title: string, due_at: string) =>
    task(rig, "create_task", { title, due_at, if_missed: "skip" });
  await give("nine minutes", at(1, "09:01"));
  await give("ten minutes", at(1, "09:00"));
  await powerCut(rig, minutes(70));
  t.match(await told(rig), [{ data: { title: "nine minutes", late_minutes: undefined } }]);
  t.equal((await told(rig)).length, 1);
});

t.test("a reminder before the time comes late as long as the time itself is ahead", async (t) => {
  const rig = await rigFor(t, { start: START });
  const early = { title: "a", due_at: at(1, "12:00"), remind_before: 120, if_missed: "skip" };
  await task(rig, "create_task", early);
  await powerCut(rig, hours(3));
  t.match(await told(rig), [{ data: { title: "a", late_minutes: 60 } }]);
});

t.test("what a person has put off comes late: its time was told", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { task_id } = await task(rig, "create_task", {
    title: "a",
    due_at: at(1, "09:00"),
    if_missed: "skip",
  });
  await rig.pass(minutes(60));
  await told(rig);
  await rig.get("answer_task", { task_id, answer: "later" }, { as: "human" });
  await powerCut(rig, hours(5));
  t.match(await listed(rig), [{ title: "a", completed: false, skipped_at: null }]);
  t.match(await told(rig), [{ data: { late_minutes: 240 } }, {}]);
});

t.test("it can be changed; a task of the past that is new was not missed", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { task_id } = await task(rig, "create_task", { title: "a", due_at: at(1, "09:00") });
  t.same(await task(rig, "update_task", { task_id, if_missed: "skip" }), {
    ...{ task_id, if_missed: "skip", updated_at: START },
  });
  await task(rig, "create_task", { title: "b", due_at: "2026-05-01T09:00:00Z", if_missed: "skip" });
  t.match(await told(rig), [{ data: { title: "b" } }]);
  await powerCut(rig, hours(5));
  t.match(await listed(rig), [
    { title: "b", completed: false },
    { title: "a", completed: true, skipped_at: at(1, "09:00") },
  ]);
});

t.test("a kill at any write while times are skipped and told late doubles none", async (t) => {
  const rig = await rigFor(t, { start: START });
  await schedule(rig, "every day at 7am", { if_missed: "skip" });
  await task(rig, "create_task", { title: "skipped", due_at: at(1, "10:00"), if_missed: "skip" });
  await task(rig, "create_task", { title: "late", due_at: at(1, "10:00") });
  await rig.crash();
  await rig.clock.advance(hours(24));
  const copies: string[] = [];
  let isWatching = true;
  const watch = (): void =>
    rig.duringNextWrite(async () => {
      if (!isWatching) return;
      const copy = join(t.testdirName, String(copies.length));
      copies.push(copy);
      cpSync(rig.state, copy, { recursive: true, filter: (file) => !isLost(file) });
      watch();
    });
  t.testdir();
  watch();
  await rig.open();
  const whole = await listed(rig);
  t.match(whole, [
    { title: "late", completed: false },
    { title: "Mist the fern", due_at: at(3, "07:00"), skipped_at: at(2, "07:00") },
    { title: "skipped", completed: true, skipped_at: at(1, "10:00") },
  ]);
  isWatching = false;
  t.ok(copies.length >= 4, `${copies.length} writes`);
  for (const copy of copies) {
    await rig.crash();
    await rm(rig.state, { recursive: true, force: true });
    await cp(copy, rig.state, { recursive: true });
    await rig.open();
    t.match(await listed(rig), whole);
    t.match(await told(rig), [{ data: { title: "late" } }]);
    t.equal((await told(rig)).length, 1, "told once");
    const journal = await readFile(join(rig.state, "journal", "tasks.jsonl"), "utf8");
    t.equal(journal.split('"skipped":"').length - 1, 2, "each is skipped once");
  }
});

t.test(
  "a time of add_task is skipped where that was asked, and done late where any call asked for it",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    const add = async (description: string, more: Value = {}) =>
      (await rig.get("add_task", { description, due: at(1, "10:00"), ...more })).task;
    t.match(await add("late"), { if_missed: "run_late" });
    t.match(await add("skipped", { if_missed: "skip" }), { if_missed: "skip", due: at(1, "10:00") });
    await add("both", { if_missed: "skip" });
    t.match(await add("both", { due: at(1, "12:00") }), { if_missed: "run_late", due: at(1, "10:00") });
    await add("both too");
    t.match(await add("both too", { if_missed: "skip" }), { if_missed: "run_late" });
    await rig.stop();
    await rig.clock.advance(hours(24));
    await rig.open();
    await rig.core.get(reminders).settled();
    const shown = async (args: Value) =>
      ((await rig.get("list_tasks", args)).tasks as Value[]).map(({ description }) => description);
    t.same(await shown({}), ["late", "both", "both too"]);
    t.same(await shown({ done: true }), ["skipped"]);
    t.match((await rig.get("list_tasks", { done: true })).tasks, [{ done_at: null, if_missed: "skip" }]);
  },
);

t.test("what is done or put off while others are told is not skipped any more", async (t) => {
  const rig = await rigFor(t, { start: START });
  const known = rig.core.get(tasks);
  for (const title of ["bread", "tea"])
    await task(rig, "create_task", { title, due_at: at(1, "10:00"), if_missed: "skip" });
  const missed = known.listed(() => true);
  const [bread, tea] = missed.map(({ record }) => record.task_id);
  await task(rig, "complete_task", { task_id: bread });
  await task(rig, "update_task", { task_id: tea, due_at: at(3, "10:00") });
  for (const each of missed) await known.skip(each);
  t.match(await listed(rig), [
    { title: "tea", completed: false, due_at: at(3, "10:00"), skipped_at: null },
    { title: "bread", completed_at: START, skipped_at: null },
  ]);
});

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import { reminders } from "../../../runtime/services/planner/reminders.js";
import { MAX_OPEN, MAX_OPEN_IN_ALL } from "../../../runtime/services/planner/task-log.js";
import type { Role } from "../../../runtime/wire/identity.js";
import { agendaOf } from "../../agent-client/agenda-rig.js";
import { type Rig, rigFor } from "../../rig.js";

type Value = Readonly<Record<string, unknown>>;

const START = "2026-06-01T08:00:00.000Z";
/** Ana lives five hours behind UTC. */
const FAMILY = `
server: { calls_per_second: 100000 }
people:
  - { id: ana, name: Ana, zone: America/Bogota, tokens: [human.ana] }
  - { id: ben, name: Ben, tokens: [human.ben] }
`;
const ANA = { as: "human", token: "human.ana" } as const;
const BEN = { as: "human", token: "human.ben" } as const;

const task = (rig: Rig, operation: string, args: Value = {}, options = {}) =>
  rig.get("task_tool", { operation, ...args }, options);
const refused = (rig: Rig, operation: string, args: Value = {}, options = {}) =>
  rig.refused("task_tool", { operation, ...args }, options);
const titlesOf = ({ tasks }: Value) => (tasks as { title: string }[]).map(({ title }) => title);
const schedule = (rig: Rig, timeExpression: string, options = {}) =>
  rig.get(
    "scheduleAgentTask",
    { taskPayload: { query: "mist" }, timeExpression, humanReadableDescription: "Mist the fern" },
    options,
  );
/** The reminders that were told, once all that the last looks began is on the disk. */
const remindersOf = async (rig: Rig) => {
  await rig.core.get(reminders).settled();
  const { notifications } = await rig.get("list_notifications", {}, { as: "human" });
  return (notifications as (Value & { data: Value })[]).filter(({ kind }) => kind === "task_due").reverse();
};

/** As a channel does: what waits for it has reached the person. */
async function deliverAll(rig: Rig): Promise<void> {
  await rig.core.get(reminders).settled();
  const { notifications } = await rig.get("list_notifications", { channel: "chat" }, { as: "bridge" });
  for (const { message_id } of notifications as readonly Value[])
    await rig.get("note_delivery", { message_id, channel: "chat", state: "delivered" }, { as: "bridge" });
}

t.test("a task has the fields of the seed, priority 0 where none is given", async (t) => {
  const rig = await rigFor(t, { start: START });
  const made = await task(rig, "create_task", { title: "Llamar a Juan", due_at: "2026-10-27T10:00:00Z" });
  t.match(made, {
    title: "Llamar a Juan",
    description: null,
    due_at: "2026-10-27T10:00:00.000Z",
    priority: 0,
    created_at: START,
  });
  t.match(await task(rig, "list_tasks"), {
    count: 1,
    tasks: [
      {
        task_id: made.task_id,
        title: "Llamar a Juan",
        completed: false,
        user_id: "household",
        for: "person",
      },
    ],
  });
});

t.test("a task is listed with every field that it was given", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const given = {
    title: "a",
    description: "b",
    due_at: "2026-06-02T10:00:00.000Z",
    priority: 2,
    remind_before: 5,
  };
  const more = { recurrence: "FREQ=DAILY;BYHOUR=5;BYMINUTE=0", if_missed: "skip" };
  const { task_id } = await task(rig, "create_task", { ...given, ...more }, ANA);
  await rig.pass(minutes(1));
  await task(rig, "update_task", { task_id, priority: 3 }, ANA);
  await task(rig, "complete_task", { task_id }, ANA);
  const then = "2026-06-01T08:01:00.000Z";
  const { tasks } = await task(rig, "list_tasks", {}, ANA);
  t.same(tasks, [
    {
      ...{ ...given, ...more, task_id, due_at: "2026-06-03T10:00:00.000Z", priority: 3 },
      ...{ completed: false, completed_at: then, created_at: START, updated_at: then },
      ...{ zone: "America/Bogota", skipped_at: null, user_id: "ana", for: "person" },
      next_due_at: "2026-06-04T10:00:00.000Z",
    },
  ]);
});

t.test("a new task and a change of all its fields are answered whole", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const given = {
    ...{ title: "a", description: "b", due_at: "2026-06-02T10:00:00.000Z", priority: 2 },
    ...{ remind_before: 5, recurrence: "FREQ=DAILY;BYHOUR=5;BYMINUTE=0", if_missed: "skip" },
  };
  const zone = "America/Bogota";
  const made = await task(rig, "create_task", { ...given, user_id: "ana", chat_id: "phone" });
  const { task_id } = made;
  t.same(made, { ...given, task_id, created_at: START, zone });
  t.match(task_id, /^[0-9a-f-]{36}$/);
  await rig.pass(minutes(1));
  const updated_at = "2026-06-01T08:01:00.000Z";
  const change = {
    ...{ title: "c", description: "d", due_at: "2026-06-03T11:00:00.000Z", priority: 3 },
    ...{ remind_before: 6, recurrence: "FREQ=DAILY;BYHOUR=6;BYMINUTE=0", if_missed: "run_late" },
  };
  t.same(await task(rig, "update_task", { task_id, ...change }), { ...change, task_id, zone, updated_at });
  t.match(await task(rig, "list_tasks", { chat_id: "phone" }), { tasks: [{ ...change, task_id }], count: 1 });
  t.match(await task(rig, "list_tasks", { chat_id: "page" }), { tasks: [], count: 0 });
  const words = {
    ...{ due_at: "2026-06-02T12:00:00.000Z", recurrence: "FREQ=DAILY;BYHOUR=7;BYMINUTE=0" },
    understood: "every day at 07:00, starting Tuesday 2 June 2026 (America/Bogota)",
  };
  const timed = await task(rig, "update_task", { task_id, time: "every day at 7am from tomorrow" });
  t.same(timed, { ...words, task_id, zone, updated_at });
});

t.test("user_id says whose a task is, and chat_id narrows only what is listed", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { task_id } = await task(rig, "create_task", { title: "a", user_id: "ana", chat_id: "phone" });
  t.match(await task(rig, "list_tasks", { user_id: "ben" }), { tasks: [], count: 0 });
  const changes = [
    ["update_task", { priority: 1 }],
    ["complete_task", {}],
    ["delete_task", {}],
  ] as const;
  for (const [operation, more] of changes) {
    const args = { task_id, ...more, chat_id: "page" };
    t.equal((await refused(rig, operation, { ...args, user_id: "ben" })).code, "NOT_FOUND", operation);
    t.match(await task(rig, operation, { ...args, user_id: "ana" }), { task_id }, operation);
  }
});

t.test("open tasks come first, then urgent ones, then by their time with undated ones last", async (t) => {
  const rig = await rigFor(t, { start: START });
  const add = (title: string, more: Value = {}) => task(rig, "create_task", { title, ...more });
  await add("undated");
  await add("late", { due_at: "2026-06-09" });
  await add("early", { due_at: "2026-06-02" });
  await add("urgent", { priority: 3 });
  const { task_id } = await add("done", { priority: 3 });
  await task(rig, "complete_task", { task_id });
  t.same(titlesOf(await task(rig, "list_tasks")), ["urgent", "early", "late", "undated", "done"]);
  t.same(titlesOf(await task(rig, "list_tasks", { completed: false })), [
    "urgent",
    "early",
    "late",
    "undated",
  ]);
  t.same(titlesOf(await task(rig, "list_tasks", { completed: true })), ["done"]);
});

t.test("an update returns what it changed; null clears; nothing to change is an error", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { task_id } = await task(rig, "create_task", {
    title: "a",
    description: "b",
    due_at: "2026-06-02T10:00Z",
  });
  t.match(await refused(rig, "update_task", { task_id }), {
    code: "INVALID_ARGUMENT",
    message: /nothing to change/,
  });
  t.same(await task(rig, "update_task", { task_id, priority: 2 }), {
    task_id,
    priority: 2,
    updated_at: START,
  });
  t.same(await task(rig, "update_task", { task_id, description: null, due_at: null }), {
    task_id,
    description: null,
    due_at: null,
    updated_at: START,
  });
  await rig.restart();
  t.match(await task(rig, "list_tasks"), {
    tasks: [{ title: "a", description: null, due_at: null, priority: 2 }],
  });
});

t.test("completing twice keeps the first time; a deleted task is gone", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { task_id } = await task(rig, "create_task", { title: "a" });
  t.same(await task(rig, "complete_task", { task_id }), { task_id, title: "a", completed_at: START });
  await rig.pass(minutes(5));
  t.match(await task(rig, "complete_task", { task_id }), { completed_at: START });
  t.same(await task(rig, "delete_task", { task_id }), { task_id, title: "a", deleted: true });
  t.equal((await refused(rig, "complete_task", { task_id })).code, "NOT_FOUND");
  t.match(await task(rig, "list_tasks"), { count: 0 });
  await rig.restart();
  t.match(await task(rig, "list_tasks"), { count: 0 });
});

t.test(
  "a time without an offset is the person's, and words are understood in the person's zone",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    const iso = await task(rig, "create_task", { title: "a", due_at: "2026-06-02T09:00" }, ANA);
    t.match(iso, { due_at: "2026-06-02T14:00:00.000Z", zone: "America/Bogota" });
    const words = await task(rig, "create_task", { title: "b", time: "tomorrow at 9am" }, ANA);
    t.match(words, { due_at: "2026-06-02T14:00:00.000Z", understood: /2026/ });
    t.match(await task(rig, "create_task", { title: "c", due_at: "2026-06-02T09:00Z" }, ANA), {
      due_at: "2026-06-02T09:00:00.000Z",
    });
    const both = await refused(
      rig,
      "create_task",
      { title: "d", due_at: "2026-06-02", time: "tomorrow" },
      ANA,
    );
    t.match(both, { code: "INVALID_ARGUMENT", message: /leave one out/ });
    t.equal(
      (await refused(rig, "create_task", { title: "d", time: "soonish" }, ANA)).code,
      "TIME_NOT_UNDERSTOOD",
    );
    t.equal(
      (await refused(rig, "create_task", { title: "d", due_at: "2026-02-30" }, ANA)).code,
      "INVALID_ARGUMENT",
    );
  },
);

t.test("a completed recurring task gets its next time, and says when", async (t) => {
  const rig = await rigFor(t, { start: START });
  const made = await task(rig, "create_task", {
    title: "a",
    due_at: "2026-06-01T20:00Z",
    recurrence: "FREQ=DAILY;INTERVAL=2",
  });
  t.match(made, { recurrence: "FREQ=DAILY;INTERVAL=2;BYHOUR=20;BYMINUTE=0" });
  const { task_id } = made;
  const announced = { tasks: [{ task_id, next_due_at: "2026-06-03T20:00:00.000Z" }] };
  t.match(await task(rig, "list_tasks"), announced, "said before");
  const done = await task(rig, "complete_task", { task_id });
  t.same(done, { task_id, title: "a", completed_at: START, next_due_at: "2026-06-03T20:00:00.000Z" });
  await rig.pass(hours(9 * 24));
  t.match(await task(rig, "complete_task", { task_id }), { next_due_at: "2026-06-11T20:00:00.000Z" });
  await rig.restart();
  t.match(await task(rig, "list_tasks"), {
    tasks: [{ due_at: "2026-06-11T20:00:00.000Z", completed: false }],
  });
  await task(rig, "update_task", { task_id, recurrence: null });
  t.match(await task(rig, "complete_task", { task_id }), { next_due_at: undefined });
  const wrong = await refused(rig, "create_task", {
    title: "b",
    due_at: "2026-06-02",
    recurrence: "FREQ=SOMETIMES",
  });
  t.match(wrong, { code: "INVALID_ARGUMENT", message: /recurrence/ });
  t.match(await refused(rig, "create_task", { title: "b", recurrence: "FREQ=DAILY" }), {
    message: /a recurrence needs due_at/,
  });
});

t.test(
  "a person is reminded once, before the time where that was asked, and after a restart no second time",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    const { task_id } = await task(rig, "create_task", {
      title: "a",
      due_at: "2026-06-01T10:00Z",
      remind_before: 30,
    });
    await rig.pass(minutes(89));
    t.same(await remindersOf(rig), []);
    await rig.pass(minutes(2));
    t.match(await remindersOf(rig), [
      {
        severity: "info",
        answers: ["done", "later"],
        over_at: null,
        data: { task_id, title: "a", user_id: "household" },
      },
    ]);
    await rig.restart();
    await rig.pass(hours(2));
    t.equal((await remindersOf(rig)).length, 1);
  },
);

t.test(
  "a reminder names people as others call them, and says who added the task in plain words",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY, peopleToo: true });
    const due_at = "2026-06-01T10:00Z";
    await task(rig, "create_task", { title: "a", due_at, user_id: "ana" }, { as: "agent" });
    await task(rig, "create_task", { title: "b", due_at, user_id: "household" }, BEN);
    await rig.pass(hours(2));
    await rig.core.get(reminders).settled();
    const { messages } = await rig.get("list_messages_from_agent", {}, { as: "human" });
    const told = (messages as { content: string }[]).map(({ content }) => content).sort();
    t.match(told, [
      /^Task due at \S+: b \(added by Ben\)/,
      /^Task of Ana due at \S+: a \(added by the agent\)/,
    ]);
  },
);

t.test("a reminder that was missed comes late, once, and says so", async (t) => {
  const rig = await rigFor(t, { start: START });
  await task(rig, "create_task", { title: "a", due_at: "2026-06-01T10:00Z" });
  await rig.stop();
  await rig.clock.advance(hours(6));
  await rig.open();
  await rig.pass(hours(6));
  t.match(await remindersOf(rig), [{ data: { title: "a", late_minutes: 240 } }]);
  t.equal((await remindersOf(rig)).length, 1);
});

t.test("done ends a reminder everywhere, later brings it again in an hour", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { task_id } = await task(rig, "create_task", { title: "a", due_at: "2026-06-01T09:00Z" });
  await rig.pass(minutes(61));
  const unheard = await rig.refused("answer_task", { task_id, answer: "done" }, { as: "bridge" });
  t.match(
    unheard,
    { code: "FORBIDDEN", message: /has not delivered/ },
    "a bridge answers only what it has delivered",
  );
  await deliverAll(rig);
  const later = await rig.get("answer_task", { task_id, answer: "later" }, { as: "bridge" });
  t.match(later, { completed_at: null, remind_at: "2026-06-01T10:01:00.000Z" });
  t.match(await remindersOf(rig), [{ over_at: /2026/ }]);
  await rig.pass(minutes(61));
  t.match(await remindersOf(rig), [{ over_at: /2026/ }, { over_at: null }]);
  await deliverAll(rig);
  await rig.get("answer_task", { task_id, answer: "done" }, { as: "bridge" });
  await rig.pass(minutes(1));
  t.match(await remindersOf(rig), [{ over_at: /2026/ }, { over_at: /2026/ }]);
});

t.test("a person's task never wakes the agent, and no other person sees it", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { task_id } = await task(rig, "create_task", { title: "a", due_at: "2026-06-01T08:30Z" }, ANA);
  await rig.pass(hours(1));
  t.match(await agendaOf(rig), { due: [], open_tasks: 0, next_due: null });
  t.match(await rig.get("list_tasks"), { count: 0 });
  t.match(await task(rig, "list_tasks", {}, BEN), { count: 0 });
  for (const operation of ["complete_task", "delete_task"])
    t.equal((await refused(rig, operation, { task_id }, BEN)).code, "NOT_FOUND");
  t.equal((await refused(rig, "update_task", { task_id, title: "b" }, BEN)).code, "NOT_FOUND");
  t.match(await task(rig, "list_tasks", {}, ANA), { count: 1 });
  await rig.core.get(reminders).settled();
  const shownTo = async (who: object) => {
    const { notifications } = await rig.get("list_notifications", {}, who);
    return (notifications as readonly Value[]).length;
  };
  t.same(
    [await shownTo(ANA), await shownTo(BEN), await shownTo({ as: "bridge" })],
    [1, 0, 1],
    "her reminder neither",
  );
});

t.test("a task for the agent starts it at its time, and hands over the payload unchanged", async (t) => {
  const rig = await rigFor(t, { start: START });
  const made = await schedule(rig, "every other day at 7am");
  t.match(made, {
    message: "Scheduled: Mist the fern, every 2 days at 07:00, starting Tuesday 2 June 2026 (UTC).",
    at: "2026-06-02T07:00:00.000Z",
    recurrence: /^FREQ=DAILY;INTERVAL=2/,
    zone: "UTC",
    next: ["2026-06-02T07:00:00.000Z", "2026-06-04T07:00:00.000Z", "2026-06-06T07:00:00.000Z"],
  });
  t.match(await agendaOf(rig), { due: [], open_tasks: 1, next_due: "2026-06-02T07:00:00.000Z" });
  await rig.pass(hours(24));
  const { due } = (await agendaOf(rig)) as unknown as { due: readonly Value[] };
  t.match(due, [{ description: "Mist the fern", payload: { query: "mist" } }]);
  await rig.get("complete_task", { id: due[0]?.id });
  t.match(await agendaOf(rig), { due: [], open_tasks: 1, next_due: "2026-06-04T07:00:00.000Z" });
  t.match(await task(rig, "list_tasks"), { tasks: [{ task_id: made.task_id, for: "agent" }] });
});

t.test("its text is the sentence, which says what was taken for granted, then the facts", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { content, structuredContent } = await rig.core.registry.call({
    name: "scheduleAgentTask",
    arguments: { taskPayload: "x", timeExpression: "tomorrow", humanReadableDescription: "Look" },
    identity: { name: "agent", role: "agent" },
    signal: () => new AbortController().signal,
    progress: () => undefined,
  });
  const sentence =
    "Scheduled: Look, Tuesday 2 June 2026 at 09:00 (UTC); a day without a time is taken as 09:00.";
  t.match(content, [{ text: sentence }, { text: JSON.stringify(structuredContent) }]);
  t.match(structuredContent, { message: sentence, at: "2026-06-02T09:00:00.000Z", task_id: String });
});

t.test(
  "a time for the agent that is past, unclear or no time is refused, and nothing is scheduled",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    for (const [words, code] of [
      ["yesterday at noon", "TIME_PAST"],
      ["when the soil is dry", "TIME_NOT_UNDERSTOOD"],
    ] as const) {
      const args = { taskPayload: "x", timeExpression: words, humanReadableDescription: "x" };
      t.equal((await rig.refused("scheduleAgentTask", args)).code, code, words);
    }
    t.match(await task(rig, "list_tasks"), { count: 0 });
    const long = {
      taskPayload: "x".repeat(17_000),
      timeExpression: "tomorrow",
      humanReadableDescription: "x",
    };
    t.match(await rig.refused("scheduleAgentTask", long), {
      code: "INVALID_ARGUMENT",
      message: /16384 bytes/,
    });
  },
);

t.test(
  "tasks that versions before people had tasks wrote are there, each with one id that stays",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    await rig.get("add_task", { description: "look", due: "2026-06-01T10:00:00Z" });
    const { tasks } = (await task(rig, "list_tasks")) as { tasks: readonly Value[] };
    t.match(tasks, [{ title: "look", for: "agent", task_id: /^[0-9a-f-]{36}$/ }]);
    const { task_id } = tasks[0] as { task_id: string };
    t.match(await task(rig, "complete_task", { task_id }), { title: "look" });
    t.match(await rig.get("list_tasks"), { count: 0 }, "both tools see one record");
  },
);

t.test("what the agent is to do for a person is seen and done by that person's tokens alone", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const payload = {
    taskPayload: "x",
    timeExpression: "tomorrow at noon",
    humanReadableDescription: "a secret",
  };
  await rig.get("scheduleAgentTask", { ...payload, user_id: "ana" });
  t.match(await rig.get("list_tasks", {}, BEN), { count: 0, tasks: [] });
  t.match(await rig.get("list_tasks", {}, ANA), { count: 1 });
  t.equal((await rig.refused("complete_task", { id: 1 }, BEN)).code, "UNKNOWN_TASK");
  t.match(await rig.get("add_task", { description: "A SECRET", due: "2026-06-03T10:00Z" }, BEN), {
    known: false,
  });
});

t.test(
  "an agent's token makes at most fifty tasks in 24 hours, deleted ones too; a person as many as wanted",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    for (let n = 0; n < 50; n += 1) {
      const { task_id } = await task(rig, "create_task", { title: `${n}` });
      await task(rig, "delete_task", { task_id });
    }
    t.equal((await refused(rig, "create_task", { title: "51" })).code, "TOO_MANY_TASKS");
    await rig.restart();
    t.equal(
      (await refused(rig, "create_task", { title: "51" })).code,
      "TOO_MANY_TASKS",
      "also after a restart",
    );
    await task(rig, "create_task", { title: "a person's" }, { as: "human" });
    await rig.pass(hours(25));
    await task(rig, "create_task", { title: "the next day" });
  },
);

t.test(
  "a reminder is answered only where there is one: of no agent's task, and nothing rings for what is done",
  async (t) => {
    const rig = await rigFor(t, { start: START });
    const { task_id } = await schedule(rig, "tomorrow at noon");
    t.equal(
      (await rig.refused("answer_task", { task_id, answer: "done" }, { as: "human" })).code,
      "NOT_FOUND",
    );
    const own = await task(rig, "create_task", { title: "a", due_at: "2026-06-01T09:00Z" });
    await task(rig, "complete_task", { task_id: own.task_id });
    const later = await rig.get("answer_task", { task_id: own.task_id, answer: "later" }, { as: "human" });
    t.match(later, { completed_at: START, remind_at: null });
  },
);

t.test("a recurrence that would never end, or that no calendar has, is refused or ends", async (t) => {
  const rig = await rigFor(t, { start: START });
  const due_at = "2028-02-29T12:00Z";
  for (const recurrence of [
    "FREQ=YEARLY;INTERVAL=99999999",
    "FREQ=DAILY;BYHOUR=-9999999999999",
    "FREQ=MINUTELY;INTERVAL=99999999999999",
  ])
    t.equal(
      (await refused(rig, "create_task", { title: "a", due_at, recurrence })).code,
      "INVALID_ARGUMENT",
      recurrence,
    );
  const rare = { title: "a", due_at, recurrence: "FREQ=YEARLY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=29" };
  const { task_id } = await task(rig, "create_task", rare);
  t.match(await task(rig, "complete_task", { task_id }), { next_due_at: "3028-02-29T12:00:00.000Z" });
});

t.test("open tasks are bounded for each owner, and for all together", async (t) => {
  const rig = await rigFor(t, { start: START });
  const withTasks = async (owners: number, each: number) => {
    await rig.stop();
    const line = (owner: number, n: number) => ({
      id: owner * each + n + 1,
      ...{ timestamp: START, by: "agent", description: `${n}` },
      ...{ task: `task ${owner} ${n}`, for: "person", owner: `p${owner}` },
    });
    const lines = Array.from({ length: owners }, (_, owner) =>
      Array.from({ length: each }, (__, n) => `${JSON.stringify(line(owner, n))}\n`),
    );
    await writeFile(join(rig.state, "journal", "tasks.jsonl"), lines.flat().join(""));
    await rm(join(rig.state, "tendril.sqlite"));
    await rig.open();
  };
  const create = (user_id: string) => refused(rig, "create_task", { title: "x", user_id }, { as: "human" });
  await withTasks(1, MAX_OPEN);
  t.match(await create("p0"), { code: "TOO_MANY_TASKS", message: /p0 has 200 open tasks/ });
  await withTasks(10, MAX_OPEN_IN_ALL / 10);
  t.match(await create("new"), { code: "TOO_MANY_TASKS", message: /2000 tasks are open/ });
});

t.test("docs/limits.md has the limits of tasks", async (t) => {
  const page = await readFile("docs/limits.md", "utf8");
  const all = MAX_OPEN_IN_ALL.toLocaleString("en-US");
  for (const limit of [`| open tasks | ${MAX_OPEN} of each owner,`, `| open tasks of all owners | ${all} |`])
    t.ok(page.includes(limit), limit);
});

t.test("the agenda shows and counts the tasks that its reader may see", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  for (const user_id of ["ana", "ben", "household"]) {
    const of = { taskPayload: user_id, timeExpression: "tomorrow at 9am", humanReadableDescription: user_id };
    await rig.get("scheduleAgentTask", { ...of, user_id });
  }
  await rig.pass(hours(30));
  const seen = async (name: string, role: Role = "human") => {
    const { due, open_tasks } = await agendaOf(rig, { name, role });
    return [open_tasks, ...(due as { description: string }[]).map(({ description }) => description)];
  };
  t.same((await seen("human.ana")).sort(), [2, "ana", "household"]);
  t.same((await seen("human.ben")).sort(), [2, "ben", "household"]);
  t.same(await seen("observer", "observer"), [1, "household"]);
  t.same((await seen("agent", "agent")).sort(), [3, "ana", "ben", "household"], "whose cycles they start");
});

t.test(
  "a person sees how words of a time are understood, in the own zone, and nothing is saved",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: FAMILY });
    const evening = { time: "every other evening" };
    const read = await rig.get("read_time", evening, ANA);
    t.match(read, {
      recurrence: "FREQ=DAILY;INTERVAL=2;BYHOUR=19;BYMINUTE=0",
      zone: "America/Bogota",
      words: /^every 2 days at 19:00/,
      notes: [/evening/],
      next: ["2026-06-02T00:00:00.000Z", "2026-06-04T00:00:00.000Z", "2026-06-06T00:00:00.000Z"],
    });
    t.match(await rig.get("read_time", evening, BEN), { zone: "UTC", next: ["2026-06-01T19:00:00.000Z"] });
    const made = await task(rig, "create_task", { title: "look", ...evening }, ANA);
    t.equal(made.due_at, read.at, "a task with these words falls due then");
    t.match(await rig.refused("read_time", { time: "on the 45th of nowhere" }, ANA), {
      code: "TIME_NOT_UNDERSTOOD",
      message: /nowhere/,
    });
    t.match(await rig.refused("read_time", { ...evening, user_id: "ben" }, ANA), { code: "FORBIDDEN" });
    t.match(await task(rig, "list_tasks", {}, ANA), { count: 1 });
  },
);

t.test("a done is taken back: the task is open as it was, and once more changes nothing", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const given = { title: "a", description: "b", due_at: "2026-06-02T10:00:00.000Z", priority: 2 };
  const { task_id } = await task(rig, "create_task", { ...given, remind_before: 15, chat_id: "c" }, ANA);
  const shown = async () => {
    const { tasks } = await task(rig, "list_tasks", {}, ANA);
    return (tasks as Value[]).map(({ updated_at: _, ...each }) => each);
  };
  const before = await shown();
  await task(rig, "complete_task", { task_id }, ANA);
  t.match(await task(rig, "list_tasks", { completed: true }, ANA), { count: 1 });
  t.match(await task(rig, "reopen_task", { task_id }, ANA), { task_id, title: "a", due_at: given.due_at });
  t.same(await shown(), before);
  t.match(await task(rig, "list_tasks", { completed: true }, ANA), { count: 0, tasks: [] });
  const journal = () => readFile(join(rig.state, "journal", "tasks.jsonl"), "utf8");
  const lines = await journal();
  await Promise.all([1, 2, 3].map(() => task(rig, "reopen_task", { task_id }, ANA)));
  t.equal(await journal(), lines);
  await rig.restart();
  t.same(await shown(), before);
  t.match(await task(rig, "list_tasks", {}, ANA), { count: 1 });
  t.match(await task(rig, "complete_task", { task_id }, ANA), { completed_at: /^2026/ });
});

t.test("what is deleted, unknown or another's is not reopened", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { task_id } = await task(rig, "create_task", { title: "a" }, ANA);
  await task(rig, "complete_task", { task_id }, ANA);
  t.match(await refused(rig, "reopen_task", { task_id }, BEN), { code: "NOT_FOUND" });
  await task(rig, "delete_task", { task_id }, ANA);
  t.match(await refused(rig, "reopen_task", { task_id }, ANA), { code: "NOT_FOUND" });
  t.match(await refused(rig, "reopen_task", { task_id: "nothing" }, ANA), { code: "NOT_FOUND" });
  t.match(await task(rig, "list_tasks", {}, ANA), { count: 0 });
});

t.test("a recurring task that is reopened has its former time, its last done and its later", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { task_id, due_at } = await task(rig, "create_task", { title: "a", time: "every day at 9am" });
  const shown = async () => ((await task(rig, "list_tasks")).tasks as Value[])[0] ?? {};
  const second = await task(rig, "complete_task", { task_id });
  await rig.pass(hours(25));
  t.equal((await remindersOf(rig)).length, 1);
  await rig.get("answer_task", { task_id, answer: "later" }, { as: "human" });
  const before = await shown();
  t.match(before, { due_at: second.next_due_at, completed_at: START });
  t.match(await task(rig, "complete_task", { task_id }), { next_due_at: "2026-06-03T09:00:00.000Z" });
  t.match(await task(rig, "reopen_task", { task_id }), { due_at: second.next_due_at });
  t.match(await shown(), { due_at: second.next_due_at, completed_at: START, next_due_at: /06-03/ });
  t.match(await task(rig, "reopen_task", { task_id }), { due_at: second.next_due_at }, "not the one before");
  t.not(due_at, second.next_due_at);
  await rig.restart();
  t.match(await shown(), { due_at: second.next_due_at, completed_at: START });
  await rig.pass(minutes(59));
  t.equal((await remindersOf(rig)).length, 1, "each time is told once");
  await rig.pass(minutes(2));
  t.equal((await remindersOf(rig)).length, 2, "later is still an hour after it was said");
});

t.test("a recurring task that got another time since it was done keeps that", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { task_id } = await task(rig, "create_task", { title: "a", time: "every day at 9am" });
  await task(rig, "complete_task", { task_id });
  const due_at = "2026-06-05T09:00:00.000Z";
  await task(rig, "update_task", { task_id, due_at });
  t.match(await task(rig, "reopen_task", { task_id }), { due_at });
});

t.test("a task whose time has come meanwhile rings when it is reopened, and is not skipped", async (t) => {
  const rig = await rigFor(t, { start: START });
  const due = { due_at: "2026-06-01T09:00:00.000Z", if_missed: "skip" };
  const { task_id } = await task(rig, "create_task", { title: "a", ...due });
  await task(rig, "complete_task", { task_id });
  await rig.pass(hours(2));
  await task(rig, "reopen_task", { task_id });
  t.match(await remindersOf(rig), [{ data: { task_id } }]);
  t.match(await task(rig, "list_tasks"), { tasks: [{ completed: false, skipped_at: null }] });
});

t.test("a task that was skipped is open again once it is reopened", async (t) => {
  const rig = await rigFor(t, { start: START });
  const due = { due_at: "2026-06-01T09:00:00.000Z", if_missed: "skip" };
  const { task_id } = await task(rig, "create_task", { title: "a", ...due });
  await rig.crash();
  await rig.clock.advance(hours(5));
  await rig.open();
  await remindersOf(rig);
  t.match(await task(rig, "list_tasks"), { tasks: [{ completed: true, skipped_at: due.due_at }] });
  await task(rig, "reopen_task", { task_id });
  t.match(await task(rig, "list_tasks"), { tasks: [{ completed: false, due_at: due.due_at }] });
  t.match(await task(rig, "complete_task", { task_id }), { completed_at: /^2026-06-01T13/ });
});

t.test("a task of the agent that is reopened is due again", async (t) => {
  const rig = await rigFor(t, { start: START });
  const { task_id } = await schedule(rig, "in 20 minutes");
  await rig.pass(minutes(21));
  const agenda = async () => JSON.stringify((await agendaOf(rig)).due);
  t.match(await agenda(), /Mist the fern/);
  await task(rig, "complete_task", { task_id });
  t.notMatch(await agenda(), /Mist the fern/);
  await task(rig, "reopen_task", { task_id });
  t.match(await agenda(), /Mist the fern/);
});

t.test("no more tasks are reopened than may be open", async (t) => {
  const rig = await rigFor(t, { start: START, config: FAMILY });
  const { task_id } = await task(rig, "create_task", { title: "first" }, ANA);
  await task(rig, "complete_task", { task_id }, ANA);
  for (let n = 0; n < MAX_OPEN; n += 1) await task(rig, "create_task", { title: `${n}` }, ANA);
  t.match(await refused(rig, "reopen_task", { task_id }, ANA), { code: "TOO_MANY_TASKS" });
  t.match(await task(rig, "list_tasks", { completed: true }, ANA), { tasks: [{ task_id }] });
});

import { rm } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours, minutes } from "../../../drivers/units.js";
import { timesOf } from "../../../runtime/services/planner/times.js";
import { agenda as agendaShape } from "../../../runtime/wire/agenda.js";
import { agendaOf } from "../../agent-client/agenda-rig.js";
import { rigFor } from "../../rig.js";

const START = "2026-06-01T08:00:00.000Z";
const SEVERAL =
  "server: { calls_per_second: 100000 }\nplants: [{ id: basil, name: Basil }, { id: fern, name: Fred, probe: { channel: 1 } }]";

const at = (clock: string) => `2026-06-01T${clock}:00Z`;
const descriptions = (value: Readonly<Record<string, unknown>>) =>
  (value.tasks as { description: string }[]).map(({ description }) => description);

t.test("a task is stamped by the plant's clock, and its time may have any offset or none", async (t) => {
  const rig = await rigFor(t, { start: START });
  const east = await rig.get("add_task", { description: "a", due: "2026-06-01T12:00:00+02:00" });
  t.match(east, {
    task: { due: at("10:00").replace("Z", ".000Z"), added: START, is_due: false, by: "agent" },
  });
  const naive = await rig.get("add_task", { description: "b", due: "2026-06-01T10:00" });
  t.match(naive, { task: { due: "2026-06-01T10:00:00.000Z" }, known: false });
  const unreadable = await rig.refused("add_task", { description: "c", due: "tomorrow" });
  t.match(unreadable, { code: "INVALID_ARGUMENT", message: /due .*ISO 8601/ });
});

t.test("tasks are listed by their time, those that are due first, ties in the order they came", async (t) => {
  const rig = await rigFor(t, { start: START });
  for (const [description, due] of [
    ["late", at("12:00")],
    ["tie 1", at("10:00")],
    ["tie 2", at("10:00")],
    ["early", at("09:00")],
  ])
    await rig.get("add_task", { description, due });
  await rig.pass(hours(1));
  const listed = await rig.get("list_tasks");
  t.same(descriptions(listed), ["early", "tie 1", "tie 2", "late"]);
  t.match(listed, { count: 4, tasks: [{ is_due: true }, { is_due: false }] });
  t.same(descriptions(await rig.get("list_tasks", { limit: 2, offset: 1 })), ["tie 1", "tie 2"]);
});

t.test("the same task in another case and spacing is one task, at the sooner time", async (t) => {
  const rig = await rigFor(t, { start: START });
  await rig.get("add_task", { description: "Look at the leaves", due: at("10:00") });
  const later = await rig.get("add_task", { description: "  look  at THE leaves ", due: at("12:00") });
  t.match(later, { known: true, task: { id: 1, due: "2026-06-01T10:00:00.000Z" }, note: /sooner/ });
  const sooner = await rig.get("add_task", { description: "look at the leaves", due: at("09:00") });
  t.match(sooner, { known: true, task: { id: 1, due: "2026-06-01T09:00:00.000Z" } });
  await rig.restart();
  t.match(await rig.get("list_tasks"), { count: 1, tasks: [{ due: "2026-06-01T09:00:00.000Z" }] });
});

t.test("two calls at once add one task", async (t) => {
  const rig = await rigFor(t, { start: START });
  const both = ["x", "X"].map((description) => rig.get("add_task", { description, due: at("10:00") }));
  t.match(await Promise.all(both), [{ known: false }, { known: true }]);
  t.equal((await rig.get("list_tasks")).count, 1);
});

t.test(
  "check_plant:NAME is for that plant, by id or name in any case; an unknown one is an error",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: SEVERAL });
    const due = at("10:00");
    const named = await rig.get("add_task", { description: "check_plant:FRED", due });
    t.match(named, { task: { plant: "fern", description: "check_plant:fern" } });
    t.match(await rig.get("add_task", { description: "Check_Plant: fern", due }), { known: true });
    for (const description of ["check_plant:Cactus1", "check_plant:"])
      t.equal((await rig.refused("add_task", { description, due })).code, "UNKNOWN_PLANT", description);
    const contradiction = { description: "check_plant:fern", due, plant: "basil" };
    t.equal((await rig.refused("add_task", contradiction)).code, "INVALID_ARGUMENT");
    t.equal((await rig.get("list_tasks")).count, 1);
  },
);

t.test(
  "a task is for the plant it was given, or for all; the same words for two plants are two tasks",
  async (t) => {
    const rig = await rigFor(t, { start: START, config: SEVERAL });
    const task = { description: "turn the pot", due: at("10:00") };
    t.match(await rig.get("add_task", task), { task: { plant: null } });
    t.match(await rig.get("add_task", { ...task, plant: "Fred" }), { known: false, task: { plant: "fern" } });
    t.equal((await rig.refused("add_task", { ...task, plant: "rose" })).code, "UNKNOWN_PLANT");
  },
);

t.test("a task that is done calls no more; done twice is no error, an unknown one is", async (t) => {
  const rig = await rigFor(t, { start: START });
  await rig.get("add_task", { description: "a", due: at("08:00") });
  t.match(await rig.get("complete_task", { id: 1 }), { was_done: false, task: { done_at: START } });
  await rig.restart();
  t.match(await rig.get("complete_task", { id: 1 }), { was_done: true, task: { done_at: START } });
  t.equal((await rig.get("list_tasks")).count, 0);
  t.match(await rig.get("list_tasks", { done: true }), {
    count: 1,
    tasks: [{ description: "a", is_due: false }],
  });
  t.match(await rig.refused("complete_task", { id: 7 }), { code: "UNKNOWN_TASK" });
  t.match(await rig.get("add_task", { description: "a", due: at("09:00") }), {
    known: false,
    task: { id: 3 },
  });
});

t.test("tasks survive a crash and the loss of the database", async (t) => {
  const rig = await rigFor(t, { start: START });
  await rig.get("add_task", { description: "a", due: at("10:00") });
  await rig.crash();
  await rm(join(rig.state, "tendril.sqlite"), { force: true });
  await rig.open();
  t.same(descriptions(await rig.get("list_tasks")), ["a"]);
});

t.test("a model that loops cannot fill the disk with tasks", async (t) => {
  const rig = await rigFor(t, { start: START });
  for (let n = 1; n <= 200; n += 1) await rig.get("add_task", { description: `task ${n}`, due: at("10:00") });
  const refusal = await rig.refused("add_task", { description: "one more", due: at("10:00") });
  t.match(refusal, { code: "TOO_MANY_TASKS", message: /200 tasks are open/ });
  t.match(await rig.get("add_task", { description: "task 7", due: at("11:00") }), { known: true });
  await rig.get("complete_task", { id: 1 });
  t.match(await rig.get("add_task", { description: "one more", due: at("10:00") }), { known: false });
});

t.test("a description that is empty or too long is refused, counted in code points", async (t) => {
  const rig = await rigFor(t, { start: START });
  const due = at("10:00");
  t.match(await rig.get("add_task", { description: "🌱".repeat(500), due }), { known: false });
  for (const description of ["🌱".repeat(501), " "])
    t.equal((await rig.refused("add_task", { description, due })).code, "INVALID_ARGUMENT");
});

t.test("an observer reads tasks, and adds none", async (t) => {
  const rig = await rigFor(t, { start: START });
  const observer = { as: "observer" } as const;
  t.equal((await rig.get("list_tasks", {}, observer)).count, 0);
  t.equal((await rig.refused("add_task", { description: "a", due: START }, observer)).code, "FORBIDDEN");
});

t.test("the agenda names what is due, how many are open, and when the next falls due", async (t) => {
  const rig = await rigFor(t, { start: START, config: SEVERAL });
  await rig.get("add_task", { description: "check_plant:fern", due: at("09:00") });
  await rig.get("add_task", { description: "later", due: at("11:00") });
  await rig.pass(hours(1));
  t.match(await agendaOf(rig), {
    due: [{ id: 1, description: "check_plant:fern", plant: "fern" }],
    open_tasks: 2,
    next_due: "2026-06-01T11:00:00.000Z",
  });
});

t.test("a reader takes in all that the agenda says of tasks, and adds nothing", async (t) => {
  const rig = await rigFor(t, { start: START });
  await rig.get("add_task", { description: "Look again", due: at("07:00") });
  const said = await agendaOf(rig);
  t.match(said, { due: [{ description: "Look again" }], open_tasks: 1 });
  t.same(agendaShape.parse(said), said);
});

t.test("watchers are told when a task falls due, and when the next time changes", async (t) => {
  const rig = await rigFor(t, { start: START });
  let told = 0;
  const cancel = rig.core.house.watchAgenda(() => {
    told += 1;
  });
  const tells = async (news: number, what: string, step: () => Promise<unknown>) => {
    told = 0;
    await step();
    t.equal(told, news, what);
  };
  const add = (description: string, due: string) => () => rig.get("add_task", { description, due });
  await tells(1, "a first task", add("a", at("10:00")));
  await tells(0, "a later one", add("b", at("12:00")));
  await tells(1, "a sooner one", add("c", at("09:00")));
  await tells(1, "the time has come", () => rig.pass(hours(1)));
  await tells(0, "it has come already", () => rig.pass(minutes(10)));
  await tells(0, "what was due is done", () => rig.get("complete_task", { id: 3 }));
  await tells(1, "the next one is done", () => rig.get("complete_task", { id: 1 }));
  cancel();
  await tells(0, "nobody watches", () => rig.pass(hours(4)));
});

t.test("a wall clock that is set forward brings a task due within a minute", async (t) => {
  const rig = await rigFor(t, { start: START });
  await rig.get("add_task", { description: "a", due: at("20:00") });
  let told = 0;
  rig.core.house.watchAgenda(() => {
    told += 1;
  });
  rig.clock.stepWall(hours(13));
  await rig.pass(minutes(1));
  t.equal(told, 1);
  t.match(await rig.get("list_tasks"), { tasks: [{ is_due: true }] });
});

t.test(
  "a recurrence takes what it leaves open from its first time, as the house's clocks show it",
  async (t) => {
    const kept = (recurrence: string) =>
      timesOf(
        "create_task",
        { due_at: "2026-06-15T00:30", recurrence },
        { zone: "Asia/Kathmandu", now: Date.parse(START) },
      ).recurrence;
    t.equal(kept("FREQ=DAILY"), "FREQ=DAILY;BYHOUR=0;BYMINUTE=30");
    t.equal(kept("FREQ=DAILY;BYHOUR=7;BYMINUTE=5"), "FREQ=DAILY;BYHOUR=7;BYMINUTE=5");
    t.equal(kept("FREQ=WEEKLY"), "FREQ=WEEKLY;BYDAY=MO;BYHOUR=0;BYMINUTE=30");
    t.equal(kept("FREQ=WEEKLY;BYDAY=FR"), "FREQ=WEEKLY;BYDAY=FR;BYHOUR=0;BYMINUTE=30");
    t.equal(kept("FREQ=MONTHLY"), "FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=0;BYMINUTE=30");
    t.equal(kept("FREQ=MONTHLY;BYDAY=2TU"), "FREQ=MONTHLY;BYDAY=2TU;BYHOUR=0;BYMINUTE=30");
    t.equal(kept("FREQ=YEARLY"), "FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=15;BYHOUR=0;BYMINUTE=30");
    t.equal(kept("FREQ=YEARLY;BYMONTH=2"), "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=15;BYHOUR=0;BYMINUTE=30");
    t.equal(kept("rrule:freq=hourly"), "FREQ=HOURLY");
  },
);

import t from "tap";
import type { AgendaNews } from "../../../agent-client/link/agenda.js";
import { hours, minutes } from "../../../drivers/units.js";
import { agentOf, eras, Inbox, kinds, soon, watched, wiredRig } from "../../agent-client/agenda-rig.js";

const PERSON = { as: "human" } as const;

for (const era of eras) {
  t.test(`${era}: a watch tells of a task as it falls due, by the plant's clock`, async (t) => {
    const wired = await wiredRig(t);
    const { news } = await watched(t, wired, era);
    await wired.rig.get("send_message_to_agent", { message: "I am here" }, PERSON);
    t.same(kinds(await news.next()), ["message"], "the watch has begun");
    await wired.rig.get("add_task", { description: "look at the leaves", due: soon(wired.rig, hours(2)) });
    await wired.rig.pass(hours(2));
    t.match(await news.next(), [{ kind: "task_due", what: "due: look at the leaves" }]);
    t.equal(news.unread.length, 0, "a task that was merely added is no news");
  });
}

t.test("what is due and unread when a watch begins is news, and only once", async (t) => {
  const wired = await wiredRig(t);
  await wired.rig.get("add_task", { description: "check_plant:Basil", due: soon(wired.rig, 0) });
  await wired.rig.get("send_message_to_agent", { message: "welcome" }, PERSON);
  const runtime = await agentOf(t, wired);
  const news = new Inbox<AgendaNews>();
  runtime.watchAgenda(news.take);
  t.same(kinds(await news.next()), ["task_due", "message"]);
  await wired.rig.get("add_task", { description: "later", due: soon(wired.rig, minutes(5)) });
  await wired.rig.pass(minutes(5));
  t.match(await news.next(), [{ what: "due: later" }]);
});

t.test("a task that was due in an agenda read before the watch is no news", async (t) => {
  const wired = await wiredRig(t);
  await wired.rig.get("add_task", { description: "known", due: soon(wired.rig, 0) });
  const runtime = await agentOf(t, wired);
  await runtime.agenda();
  const news = new Inbox<AgendaNews>();
  runtime.watchAgenda(news.take);
  await wired.rig.get("send_message_to_agent", { message: "since" }, PERSON);
  t.same(kinds(await news.next()), ["message"]);
});

t.test("a task that the agent adds as due wakes it neither before its watch begins nor in it", async (t) => {
  const wired = await wiredRig(t);
  const runtime = await agentOf(t, wired);
  await runtime.agenda();
  const add = (description: string, ms: number) =>
    runtime.call("add_task", { description, due: soon(wired.rig, ms) });
  await add("before", 0);
  const news = new Inbox<AgendaNews>();
  runtime.watchAgenda(news.take);
  await wired.rig.get("send_message_to_agent", { message: "one" }, PERSON);
  t.same(kinds(await news.next()), ["message"]);
  await add("within", 0);
  await add("later", minutes(5));
  await wired.rig.get("add_task", { description: "another's", due: soon(wired.rig, 0) });
  t.match(await news.next(), [{ what: "due: another's" }]);
  await wired.rig.pass(minutes(5));
  const reasons = await news.next();
  t.match(reasons, [{ what: "due: later" }], "what it set for later does");
});

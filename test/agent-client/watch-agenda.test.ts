import { Client } from "@modelcontextprotocol/client";
import t, { type Test } from "tap";
import type { AgendaNews } from "../../agent-client/agenda.js";
import { SystemClock } from "../../agent-client/clock.js";
import { openSocket } from "../../agent-client/open-socket.js";
import { watchAgenda } from "../../agent-client/watch-agenda.js";
import { WebSocketTransport } from "../../agent-client/websocket-transport.js";
import { hours, minutes } from "../../drivers/units.js";
import { control } from "../../runtime/services/people/control.js";
import { agentOf, Inbox, soon, type WiredRig, wiredRig } from "./agenda-rig.js";

const ERAS = { "2025": "legacy", "2026-07-28": { pin: "2026-07-28" } } as const;
type Era = keyof typeof ERAS;

const PERSON = { as: "human" } as const;
const kinds = ({ reasons }: AgendaNews) => reasons.map(({ kind }) => kind);

/** A watch over a connection of one era that is never opened anew. */
async function watched(t: Test, { server, token }: WiredRig, era: Era) {
  const clock = new SystemClock();
  const socket = await openSocket({ url: server.url, token }, new AbortController().signal);
  const client = new Client({ name: "t", version: "1" }, { versionNegotiation: { mode: ERAS[era] } });
  await client.connect(new WebSocketTransport(socket, clock));
  const link = { ready: async () => client, closed: () => new Promise<void>(() => undefined) };
  const news = new Inbox<AgendaNews>();
  const cancel = watchAgenda({ link, clock, random: () => 0, onNews: news.take });
  t.teardown(async () => {
    cancel();
    await client.close();
  });
  return { client, news, cancel };
}

for (const era of Object.keys(ERAS) as Era[]) {
  t.test(`${era}: a watch tells of a task as it falls due, by the plant's clock`, async (t) => {
    const wired = await wiredRig(t);
    const { news } = await watched(t, wired, era);
    await wired.rig.get("send_message_to_agent", { message: "I am here" }, PERSON);
    t.same(kinds(await news.next()), ["message"], "the watch has begun");
    await wired.rig.get("add_task", { description: "look at the leaves", due: soon(wired.rig, hours(2)) });
    await wired.rig.pass(hours(2));
    const { reasons, agenda } = await news.next();
    t.match(reasons, [{ kind: "task_due", plant: null, what: "due: look at the leaves" }]);
    t.match(agenda, { due: [{ description: "look at the leaves" }], next_due: null, open_tasks: 1 });
    t.equal(news.unread.length, 0, "a task that was merely added is no news");
  });

  t.test(`${era}: a watch tells when the person writes, lifts a hold and clears a fault`, async (t) => {
    const wired = await wiredRig(t);
    const { rig } = wired;
    await rig.get("set_hold", { hold: true }, PERSON);
    await rig.core.get(control).record({
      timestamp: soon(rig, 0),
      kind: "fault",
      code: "NO_RESPONSE",
      plant: "basil",
      by: "runtime",
      reason: "the soil stayed dry",
    });
    const { news } = await watched(t, wired, era);
    await rig.get("send_message_to_agent", { message: "mind the fern" }, PERSON);
    t.match((await news.next()).reasons, [{ kind: "message", what: "the person wrote: mind the fern" }]);
    await rig.get("set_hold", { hold: false }, PERSON);
    t.match((await news.next()).reasons, [{ kind: "hold_lifted", plant: "basil" }]);
    await rig.get("clear_fault", {}, PERSON);
    t.match((await news.next()).reasons, [
      { kind: "fault_cleared", what: "NO_RESPONSE of Basil was cleared" },
    ]);
  });

  t.test(`${era}: a watch that has ended is told nothing more`, async (t) => {
    const wired = await wiredRig(t);
    const { news, cancel, client } = await watched(t, wired, era);
    await wired.rig.get("send_message_to_agent", { message: "one" }, PERSON);
    await news.next();
    cancel();
    await wired.rig.get("send_message_to_agent", { message: "two" }, PERSON);
    await client.listTools();
    t.equal(news.unread.length, 0);
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
  t.match((await news.next()).reasons, [{ what: "due: later" }]);
});

t.test(
  "what an agenda that was read before the watch showed is no news, what came up since is",
  async (t) => {
    const wired = await wiredRig(t);
    await wired.rig.get("add_task", { description: "known", due: soon(wired.rig, 0) });
    await wired.rig.get("send_message_to_agent", { message: "known" }, PERSON);
    const runtime = await agentOf(t, wired);
    await runtime.agenda();
    await wired.rig.get("send_message_to_agent", { message: "since" }, PERSON);
    await runtime.agenda();
    const news = new Inbox<AgendaNews>();
    runtime.watchAgenda(news.take);
    t.match((await news.next()).reasons, [{ kind: "message", what: "the person wrote: since" }]);
  },
);

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
  t.match((await news.next()).reasons, [{ what: "due: another's" }]);
  await wired.rig.pass(minutes(5));
  const { reasons } = await news.next();
  t.match(reasons, [{ what: "due: later" }], "what it set for later does");
});

t.test("a watch survives a runtime that goes away, and tells what came up meanwhile", async (t) => {
  const wired = await wiredRig(t);
  const runtime = await agentOf(t, wired);
  const news = new Inbox<AgendaNews>();
  runtime.watchAgenda(news.take);
  await wired.rig.get("send_message_to_agent", { message: "one" }, PERSON);
  await news.next();
  const { port } = wired.server;
  await wired.server.close();
  await wired.rig.restart();
  await wired.rig.get("send_message_to_agent", { message: "two" }, PERSON);
  await wired.serve(port);
  t.match((await news.next()).reasons, [{ what: "the person wrote: two" }]);
  await wired.rig.get("send_message_to_agent", { message: "three" }, PERSON);
  t.match((await news.next()).reasons, [{ what: "the person wrote: three" }], "it listens anew");
});

t.test("the agenda is read afresh each time", async (t) => {
  const wired = await wiredRig(t);
  const runtime = await agentOf(t, wired);
  t.match(await runtime.agenda(), { open_tasks: 0, next_due: null, unread: { count: 0 } });
  await wired.rig.get("add_task", { description: "x", due: "2036-01-01" });
  t.match(await runtime.agenda(), { open_tasks: 1, next_due: "2036-01-01T00:00:00.000Z" });
});

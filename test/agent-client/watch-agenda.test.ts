import t from "tap";
import type { AgendaNews } from "../../agent-client/link/agenda.js";
import { control } from "../../runtime/services/people/control.js";
import { agentOf, eras, Inbox, kinds, soon, watched, wiredRig } from "./agenda-rig.js";

const PERSON = { as: "human" } as const;

for (const era of eras) {
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
    t.match(await news.next(), [{ kind: "message", what: "the person wrote: mind the fern" }]);
    await rig.get("set_hold", { hold: false }, PERSON);
    t.match(await news.next(), [{ kind: "hold_lifted", what: /Basil/ }]);
    await rig.get("clear_fault", {}, PERSON);
    t.match(await news.next(), [{ kind: "fault_cleared", what: "NO_RESPONSE of Basil was cleared" }]);
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

t.test("what is unread when a watch begins is news, and only once", async (t) => {
  const wired = await wiredRig(t);
  await wired.rig.get("send_message_to_agent", { message: "welcome" }, PERSON);
  const runtime = await agentOf(t, wired);
  const news = new Inbox<AgendaNews>();
  runtime.watchAgenda(news.take);
  t.same(kinds(await news.next()), ["message"]);
  await wired.rig.get("send_message_to_agent", { message: "later" }, PERSON);
  t.match(await news.next(), [{ what: "the person wrote: later" }]);
});

t.test(
  "what an agenda that was read before the watch showed is no news, what came up since is",
  async (t) => {
    const wired = await wiredRig(t);
    await wired.rig.get("send_message_to_agent", { message: "known" }, PERSON);
    const runtime = await agentOf(t, wired);
    await runtime.agenda();
    await wired.rig.get("send_message_to_agent", { message: "since" }, PERSON);
    await runtime.agenda();
    const news = new Inbox<AgendaNews>();
    runtime.watchAgenda(news.take);
    t.match(await news.next(), [{ kind: "message", what: "the person wrote: since" }]);
  },
);

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
  t.match(await news.next(), [{ what: "the person wrote: two" }]);
  await wired.rig.get("send_message_to_agent", { message: "three" }, PERSON);
  t.match(await news.next(), [{ what: "the person wrote: three" }], "it listens anew");
});

t.test("the agenda is read afresh each time", async (t) => {
  const wired = await wiredRig(t);
  const runtime = await agentOf(t, wired);
  t.match(await runtime.agenda(), { unread: { count: 0 } });
  await wired.rig.get("send_message_to_agent", { message: "one" }, PERSON);
  t.match(await runtime.agenda(), { unread: { count: 1 } });
});

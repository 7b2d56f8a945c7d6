import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { hours, minutes, seconds } from "../../drivers/units.js";
import { outbox, type Told } from "../../runtime/services/outbox/outbox.js";
import { control } from "../../runtime/services/people/control.js";
import type { ListedNotification } from "../../runtime/wire/notifications.js";

import { type CallOptions, type Rig, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const WIRED = `
server: { calls_per_second: 100000 }
inputs:
  - { kind: stop, name: red button, gpio: 5 }
  - { kind: leak, name: tray, gpio: 6 }
  - { kind: tank, name: can, gpio: 13 }
confirm: { dispense_water: always }
`;
/** It never ends by itself. */
const NEWS: Told = {
  kind: "hardware_trouble",
  severity: "warning",
  data: { code: "GUARD_LOST", trouble: {}, held: false },
};
const NAMED: Told = { ...NEWS, key: "guard" };
const NAME = { kind: "hardware_trouble", key: "guard" } as const;

const wired = (t: Test) => rigFor(t, { config: WIRED, start: "2026-06-01T08:00:00.000Z" });

const tell = (rig: Rig, told: Told = NEWS) => rig.core.get(outbox).tell(told);

async function listed(rig: Rig, args = {}, options: CallOptions = HUMAN): Promise<ListedNotification[]> {
  return (await rig.get("list_notifications", args, options)).notifications as ListedNotification[];
}

const kinds = async (rig: Rig, args = {}, options: CallOptions = HUMAN) =>
  (await listed(rig, args, options)).map(({ kind }) => kind);

const note = (rig: Rig, message_id: string, changes = {}, options: CallOptions = HUMAN) =>
  rig.get("note_delivery", { message_id, channel: "chat", state: "delivered", ...changes }, options);

const letters = async (rig: Rig) =>
  (await rig.get("list_messages_from_agent", { limit: 50 }, HUMAN)).messages as Record<string, unknown>[];

const journal = (rig: Rig) => join(rig.state, "journal/messages.jsonl");

/** The button, the leak, the tank and a request: four kinds at once. */
async function busy(rig: Rig): Promise<void> {
  await rig.status([{ action: "water", value: 20 }]);
  await rig.call("dispense_water", { ml: 20 });
  for (const input of ["can", "tray", "red button"]) {
    rig.bench.setInput(input, true);
    await rig.core.settled();
  }
}

t.test("what the runtime tells is typed: kind, severity, plant, data, time, expiry, answers", async (t) => {
  const rig = await wired(t);
  await busy(rig);
  t.match(await listed(rig), [
    { kind: "stop_pressed", severity: "warning", plant: null, data: { input: "red button" }, answers: [] },
    { kind: "leak", severity: "urgent", data: { input: "tray", plants: ["basil"] } },
    { kind: "tank_empty", severity: "warning", data: { input: "can", plants: ["basil"] } },
    {
      message_id: "1",
      timestamp: "2026-06-01T08:00:00.000Z",
      kind: "approval_requested",
      severity: "info",
      plant: "basil",
      data: {
        id: 1,
        agent: "agent",
        tool: "dispense_water",
        arguments: { ml: 20 },
        until: "2026-06-01T08:05:00.000Z",
      },
      expires_at: "2026-06-01T08:05:00.000Z",
      answers: ["yes", "no"],
      deliveries: [],
    },
  ]);
});

t.test("no data of a notification has a command in it; the words that are shown have", async (t) => {
  const rig = await wired(t);
  await busy(rig);
  t.notMatch(JSON.stringify((await listed(rig)).map(({ data }) => data)), /tendril/);
  t.match(
    (await letters(rig)).map(({ content }) => content).join("\n"),
    /tendril resume.*tendril approve 1/s,
  );
});

t.test(
  "messages and notifications are one list with one order; people's programs can tell them apart",
  async (t) => {
    const rig = await wired(t);
    await rig.get("send_message_to_human", { message: "first" });
    await tell(rig);
    await rig.get("send_message_to_human", { message: "last" });
    t.match(await letters(rig), [
      { message_id: "3", from: "agent", content: "last", notification: undefined },
      {
        message_id: "2",
        from: "runtime",
        content: /guard of the relays died/,
        notification: { kind: "hardware_trouble" },
      },
      { message_id: "1", from: "agent", content: "first" },
    ]);
    t.match(await listed(rig), [{ message_id: "2" }], "the same number");
    const reply = { message: "filled", in_reply_to: "2" };
    t.match(await rig.get("send_message_to_agent", reply, HUMAN), { message_id: "4" });
  },
);

t.test("to read a list marks nothing, for nobody", async (t) => {
  const rig = await wired(t);
  await tell(rig);
  await rig.get("send_message_to_human", { message: "hello" });
  const before = await readFile(journal(rig), "utf8");
  for (const token of ["human", "human.page"]) {
    t.equal((await listed(rig, { channel: "chat" }, { ...HUMAN, token })).length, 1);
    t.match(await rig.get("list_messages_from_agent", {}, { ...HUMAN, token }), {
      messages: [{ read_at: null }, { delivered_at: null }],
    });
  }
  t.equal(await readFile(journal(rig), "utf8"), before);
});

t.test("a channel is shown what it has still to deliver; others are another matter", async (t) => {
  const rig = await wired(t);
  await tell(rig);
  t.match(await note(rig, "1"), { known: false });
  t.match(await note(rig, "1"), { known: true });
  t.same(await kinds(rig, { channel: "chat" }), []);
  t.same(await kinds(rig, { channel: "mail" }), ["hardware_trouble"], "another channel of the same program");
  const page = { ...HUMAN, token: "human.page" };
  t.same(
    await kinds(rig, { channel: "chat" }, page),
    ["hardware_trouble"],
    "one of that name of another program",
  );
  await rig.restart();
  t.same(await kinds(rig, { channel: "chat" }), []);
  t.same(await kinds(rig), ["hardware_trouble"], "the list itself has it all");
});

t.test("when it was delivered and seen is kept by channel, and the first time counts", async (t) => {
  const rig = await wired(t);
  await tell(rig);
  await note(rig, "1");
  await rig.pass(seconds(10));
  await note(rig, "1", { state: "seen" });
  await rig.pass(seconds(10));
  for (const state of ["seen", "delivered"]) t.match(await note(rig, "1", { state }), { known: true });
  await note(rig, "1", { channel: "mail" });
  const [told] = await listed(rig);
  t.same(told?.deliveries, [
    {
      channel: "chat",
      token: "human",
      delivered_at: "2026-06-01T08:00:00.000Z",
      seen_at: "2026-06-01T08:00:10.000Z",
    },
    { channel: "mail", token: "human", delivered_at: "2026-06-01T08:00:20.000Z", seen_at: null },
  ]);
  t.match((await letters(rig))[0], { delivered_at: "2026-06-01T08:00:00.000Z", read_at: String });
});

t.test("an agent's message can be delivered on a channel too; what the person wrote cannot", async (t) => {
  const rig = await wired(t);
  await rig.get("send_message_to_human", { message: "hello" });
  await rig.get("send_message_to_agent", { message: "hello" }, HUMAN);
  t.match(await note(rig, "1"), { known: false });
  const refused = (message_id: string) =>
    rig.refused("note_delivery", { message_id, channel: "chat", state: "seen" }, HUMAN);
  for (const id of ["2", "99", "x"])
    t.match(await refused(id), { code: "UNKNOWN_MESSAGE", message: /message_id/ });
});

t.test("what has expired is not delivered late; nor is a request that was answered", async (t) => {
  const rig = await wired(t);
  await tell(rig, { ...NEWS, freshFor: minutes(5) });
  await tell(rig);
  await rig.pass(minutes(5));
  t.match(await listed(rig, { channel: "chat" }), [{ message_id: "2" }]);
  await rig.pass(hours(7 * 24));
  t.same(await kinds(rig, { channel: "chat" }), [], "a week, where nobody says otherwise");
  await rig.status([{ action: "water", value: 20 }]);
  await rig.call("dispense_water", { ml: 20 });
  t.same(await kinds(rig, { channel: "chat" }), ["approval_requested"]);
  await rig.get("answer_approval", { id: 1, approve: false }, HUMAN);
  await rig.pass(seconds(1));
  t.same(await kinds(rig, { channel: "chat" }), []);
  t.match(await listed(rig, { limit: 1 }), [{ kind: "approval_requested", over_at: String }]);
});

t.test("a request that waited when the runtime ended is not delivered by the next", async (t) => {
  const rig = await wired(t);
  await rig.status([{ action: "water", value: 20 }]);
  await rig.call("dispense_water", { ml: 20 });
  await rig.crash();
  await rig.open();
  t.same(await kinds(rig, { channel: "chat" }), ["approval_void"], "but that it is over");
});

t.test(
  "the same news is told once while it stands, also after a restart, and anew when it was over",
  async (t) => {
    const rig = await wired(t);
    await Promise.all([tell(rig, NAMED), tell(rig, NAMED)]);
    t.equal((await listed(rig)).length, 1, "at once");
    await rig.crash();
    await rig.open();
    await tell(rig, NAMED);
    t.equal((await listed(rig)).length, 1);
    await tell(rig, { ...NAMED, key: "barrel" });
    await tell(rig, { ...NAMED, plant: "basil" });
    t.equal((await listed(rig)).length, 3, "another key or plant is other news");
    await rig.core.get(outbox).over(NAME);
    await rig.restart();
    await tell(rig, NAMED);
    t.equal((await listed(rig)).length, 4);
    await tell(rig);
    await tell(rig);
    t.equal((await listed(rig)).length, 6, "without a key all is news");
  },
);

t.test(
  "news stands for as long as was said, and a clock that is set rather lets it be told again",
  async (t) => {
    const rig = await wired(t);
    const hourly = { ...NAMED, standsFor: hours(1) };
    await tell(rig, hourly);
    await rig.pass(minutes(59));
    await tell(rig, hourly);
    t.equal((await listed(rig)).length, 1);
    await rig.pass(minutes(1));
    await tell(rig, hourly);
    t.equal((await listed(rig)).length, 2);
    rig.clock.stepWall(hours(-24));
    await tell(rig, hourly);
    t.equal((await listed(rig)).length, 3);
  },
);

t.test("what the disk refused was not told: it is told when it comes again", async (t) => {
  const rig = await wired(t);
  const empty = rig.fillDisk();
  await t.rejects(tell(rig, NAMED), { code: "STORE_FAILED" });
  empty();
  await tell(rig, NAMED);
  t.equal((await listed(rig)).length, 1);
});

t.test("`since` and `limit` bound the list, newest first", async (t) => {
  const rig = await wired(t);
  for (let n = 0; n < 4; n += 1) await tell(rig);
  const ids = async (args: object) => (await listed(rig, args)).map(({ message_id }) => message_id);
  t.same(await ids({ limit: 2 }), ["4", "3"]);
  t.same(await ids({ since: "2" }), ["4", "3"]);
  t.equal((await rig.refused("list_notifications", { since: "two" }, HUMAN)).code, "INVALID_ARGUMENT");
  t.equal((await rig.refused("list_notifications", { channel: "my chat" }, HUMAN)).code, "INVALID_ARGUMENT");
});

t.test(
  "letters of versions before, and kinds of later ones, are shown in the words they were written with",
  async (t) => {
    const rig = await wired(t);
    await tell(rig);
    await rig.stop();
    const line = {
      timestamp: "2026-06-01T09:00:00.000Z",
      direction: "to_human",
      in_reply_to: null,
      by: "runtime",
    };
    const later = {
      kind: "tea_is_ready",
      severity: "info",
      data: {},
      expires_at: "2026-06-09T09:00:00.000Z",
    };
    const lines = [
      { id: 2, ...line, content: "an old letter" },
      { id: 3, ...line, content: "Tea is ready.", notification: later },
    ];
    await appendFile(journal(rig), lines.map((each) => `${JSON.stringify(each)}\n`).join(""));
    await rig.open();
    t.match(await letters(rig), [
      { content: "Tea is ready.", from: "runtime" },
      { content: "an old letter", from: "runtime" },
      { content: /guard of the relays died/ },
    ]);
    t.same(await kinds(rig), ["tea_is_ready", "hardware_trouble"]);
  },
);

interface OldLine {
  readonly timestamp: string;
  readonly of?: number;
  readonly reached?: string;
}

/** As versions before 2026-11-23 fold journal/messages.jsonl, word for word. */
function foldedBefore(previous: Record<string, unknown> | undefined, entry: OldLine) {
  if (!("of" in entry)) return { ...entry, delivered_at: null, read_at: null };
  if (!previous) throw new Error(`messages.jsonl: message ${entry.of} was read before it was sent`);
  const delivered_at = previous.delivered_at ?? entry.timestamp;
  return {
    ...previous,
    delivered_at,
    read_at: entry.reached === "read" ? (previous.read_at ?? entry.timestamp) : previous.read_at,
  };
}

t.test(
  "a version before reads the same journal: the words, and that they were delivered or read",
  async (t) => {
    const rig = await wired(t);
    await tell(rig, NAMED);
    await note(rig, "1");
    await rig.core.get(outbox).over(NAME);
    await tell(rig);
    await note(rig, "4", { state: "seen" });
    const records = new Map<number, Record<string, unknown>>();
    for (const text of (await readFile(journal(rig), "utf8")).trim().split("\n")) {
      const { id, ...entry } = JSON.parse(text);
      const of = entry.of ?? id;
      records.set(of, foldedBefore(records.get(of), entry));
    }
    t.match(
      [...records.values()],
      [
        {
          by: "runtime",
          direction: "to_human",
          content: /the guard of the relays died/,
          delivered_at: String,
          read_at: null,
        },
        { content: /the guard of the relays died/, read_at: String },
      ],
    );
  },
);

t.test("only people's programs see and note notifications", async (t) => {
  const rig = await wired(t);
  for (const as of ["agent", "observer"] as const) {
    t.equal((await rig.refused("list_notifications", {}, { as })).code, "FORBIDDEN");
    const args = { message_id: "1", channel: "chat", state: "seen" };
    t.equal((await rig.refused("note_delivery", args, { as })).code, "FORBIDDEN");
  }
});

t.test("no data of a notification says what to do: the words that are shown do", async (t) => {
  const rig = await wired(t);
  await tell(rig);
  t.same((await listed(rig))[0]?.data, NEWS.data);
  t.match((await letters(rig))[0]?.content, /the guard of the relays died: wait until the guard is back/);
});

/** What its channel has still to deliver, by kind. */
const waiting = (rig: Rig) => kinds(rig, { channel: "chat" });

t.test("news of a button, a leak and a tank is over once it is no longer true", async (t) => {
  const rig = await rigFor(t, { config: WIRED.replace("confirm: { dispense_water: always }", "") });
  const set = async (input: string, is: boolean) => {
    rig.bench.setInput(input, is);
    await rig.core.settled();
  };
  for (const input of ["can", "tray", "red button"]) await set(input, true);
  t.same(await waiting(rig), ["stop_pressed", "leak", "tank_empty"]);
  for (const input of ["can", "tray", "red button"]) await set(input, false);
  t.same(await waiting(rig), ["stop_pressed", "leak"], "a tank is full by itself");
  await rig.get("set_hold", { hold: false }, HUMAN);
  await rig.core.settled();
  t.same(await waiting(rig), ["leak"], "the hold was lifted");
  await rig.get("clear_fault", {}, HUMAN);
  await rig.core.settled();
  t.same(await waiting(rig), [], "the fault was cleared");
  t.ok((await listed(rig)).every(({ over_at }) => over_at !== null));
  await set("tray", true);
  t.same(await waiting(rig), ["leak"], "what comes again is news");
});

t.test("what ended while no runtime could note it is over at the next start", async (t) => {
  const rig = await wired(t);
  await tell(rig, { kind: "leak", severity: "urgent", data: { input: "tray", plants: ["basil"] } });
  const held = { code: "PIN_FAILED", trouble: { part: "basil-pump" }, held: true };
  await tell(rig, { kind: "hardware_trouble", severity: "urgent", data: held });
  const fault = { code: "INTERLOCK_FAULT", faults: ["no heartbeat"] };
  await tell(rig, { kind: "interlock_fault", severity: "urgent", data: fault });
  await tell(rig);
  await rig.restart();
  t.same(await waiting(rig), ["hardware_trouble"], "the one that nobody knows an end of");
  t.match(await listed(rig), [{ over_at: null }, { over_at: String }, { over_at: String }, {}]);
});

t.test("news of a locked pump is over once a person has cleared that", async (t) => {
  const rig = await wired(t);
  const data = { code: "NO_RESPONSE", unanswered_ml: 75 };
  await tell(rig, { kind: "pump_locked", severity: "urgent", plant: "basil", data });
  const fault = { timestamp: rig.clock.now(), kind: "fault", code: "NO_RESPONSE", plant: "basil" } as const;
  const timestamp = new Date(fault.timestamp).toISOString();
  await rig.core.get(control).record({ ...fault, timestamp, by: "runtime", reason: "no answer" });
  await rig.core.sample();
  t.same(await waiting(rig), ["pump_locked"]);
  await rig.get("clear_fault", { plant: "basil" }, HUMAN);
  await rig.core.sample();
  t.same(await waiting(rig), []);
});

t.test("a bridge answers only requests that it has delivered itself", async (t) => {
  const rig = await wired(t);
  await rig.status([{ action: "water", value: 20 }]);
  await rig.call("dispense_water", { ml: 20 });
  const bridge = { as: "bridge", token: "bridge.chat" } as const;
  const answer = (id: number, options: CallOptions = bridge) =>
    rig.call("answer_approval", { id, approve: false }, options);
  t.match(await answer(9), { error: { code: "UNKNOWN_APPROVAL" } });
  t.match(await answer(1), { error: { code: "FORBIDDEN", message: /note_delivery/ } });
  await note(rig, "1", {}, { as: "bridge", token: "bridge.mail" });
  t.match(await answer(1), { error: { code: "FORBIDDEN" } }, "another bridge has delivered it");
  await note(rig, "1", {}, bridge);
  t.match(await answer(1), { ok: true });
  const { details } = await rig.refused("dispense_water", { ml: 10 });
  const page = { ...HUMAN, token: "human.page" };
  t.match(await answer(Number(details?.id), page), { ok: true }, "a person needs no delivery");
});

t.test("a token notes a message's delivery on at most 16 channels, also all at once", async (t) => {
  const rig = await rigFor(t, { config: "server: { calls_per_second: 100000 }" });
  await rig.get("send_message_to_human", { message: "hello" });
  const note = (channel: string, options: CallOptions = { as: "bridge" }) =>
    rig.call("note_delivery", { message_id: "1", channel, state: "delivered" }, options);
  const all = await Promise.all(Array.from({ length: 40 }, (_, n) => note(`c${n}`)));
  const refused = all.flatMap((each) => (each.ok ? [] : [each.error.code]));
  t.same(
    refused,
    Array.from({ length: 24 }, () => "TOO_MANY_CHANNELS"),
  );
  t.match(await note("c0"), { ok: true, value: { known: true } }, "a known channel is no further one");
  t.match(await note("mine", { as: "human" }), { ok: true }, "another token has channels of its own");
});

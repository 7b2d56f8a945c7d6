import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours, minutes } from "../../drivers/units.js";
import { outbox } from "../../runtime/services/outbox/outbox.js";
import { messages } from "../../runtime/services/people/messages.js";
import { type CallOptions, type Rig, rigFor } from "../rig.js";

const PERSON = { as: "human" } as const;
const DAYS = hours(24);

const tell = (rig: Rig, message = "dry", options: CallOptions = {}) =>
  rig.call("send_message_to_human", { message }, options);
const refusal = (rig: Rig, args = {}) => rig.refused("send_message_to_human", { message: "more", ...args });
/** How many of the messages with this text reached the person. */
const stored = async (rig: Rig, text: string): Promise<number> =>
  (await readFile(join(rig.state, "journal/messages.jsonl"), "utf8")).split(`"content":"${text}`).length - 1;

/** A cycle with three messages. */
async function fullCycle(rig: Rig): Promise<void> {
  await rig.status();
  for (let n = 0; n < 3; n += 1) t.ok((await tell(rig)).ok);
}

t.test(
  "an agent sends the person at most three messages in a cycle, and is told when the next may go",
  async (t) => {
    const rig = await rigFor(t);
    await fullCycle(rig);
    await rig.pass(minutes(10));
    const error = await refusal(rig);
    t.match(error, {
      code: "TOO_MANY_MESSAGES",
      message:
        /agent has sent 3 messages .* at most 3 .* in a care cycle; the next may go at 2026-06-01T08:30/,
      retryable: true,
      retry_after_s: 1200,
      details: { sent: 3, at_most: 3 },
    });
    await rig.status();
    t.ok((await tell(rig)).ok, "a new status is a new cycle");
  },
);

t.test(
  "status after status makes no new cycle: a model that writes one for every message sends three",
  async (t) => {
    const rig = await rigFor(t);
    await fullCycle(rig);
    for (let n = 0; n < 4; n += 1) {
      await rig.status();
      t.equal((await refusal(rig)).code, "TOO_MANY_MESSAGES");
    }
    await rig.pass(minutes(5));
    await rig.status();
    t.ok((await tell(rig)).ok);
  },
);

t.test("outside of a cycle it is three in the time that a cycle lasts", async (t) => {
  const rig = await rigFor(t);
  for (let n = 0; n < 3; n += 1) {
    t.ok((await tell(rig)).ok);
    await rig.pass(minutes(1));
  }
  t.equal((await refusal(rig)).retry_after_s, 27 * 60);
  await rig.pass(minutes(27));
  t.ok((await tell(rig)).ok, "the first is half an hour old");
  t.equal((await refusal(rig)).code, "TOO_MANY_MESSAGES", "the others are not");
});

t.test("an agent sends at most 20 messages in 24 hours, in however many cycles", async (t) => {
  const rig = await rigFor(t);
  for (let cycle = 0; cycle < 6; cycle += 1) {
    await fullCycle(rig);
    await rig.pass(hours(1));
  }
  await rig.status();
  for (let n = 0; n < 2; n += 1) t.ok((await tell(rig)).ok);
  const error = await refusal(rig);
  t.match(error, { message: /at most 20 may go in 24 h/, details: { at_most: 20 } });
  t.equal(error.retry_after_s, 18 * 3600);
  await rig.pass(hours(18));
  await rig.status();
  t.ok((await tell(rig)).ok);
});

t.test("of a thousand messages at once three are sent, by however many names", async (t) => {
  const rig = await rigFor(t, { config: "server: { calls_per_second: 1000 }" });
  await rig.status();
  const calls = Array.from({ length: 1000 }, (_, n) => tell(rig, `flood ${n}`, { instance: `agent-${n}` }));
  const answers = await Promise.all(calls);
  t.equal(answers.filter(({ ok }) => ok).length, 3);
  t.equal(await stored(rig, "flood"), 3);
});

t.test("a restart, a crash or a clock that is set forward gives no further messages", async (t) => {
  const rig = await rigFor(t);
  await fullCycle(rig);
  await rig.restart();
  t.equal((await refusal(rig)).code, "TOO_MANY_MESSAGES");
  rig.clock.stepWall(DAYS);
  t.equal((await refusal(rig)).code, "TOO_MANY_MESSAGES");
  await rig.crash();
  rig.clock.reboot({ downtime: minutes(1), synchronised: false });
  rig.clock.stepWall(DAYS);
  await rig.open();
  t.equal((await refusal(rig)).code, "TOO_MANY_MESSAGES", "nobody can prove how long it was off");
  await rig.pass(minutes(30));
  t.ok((await tell(rig)).ok, "now it was long enough in any case");
});

const ALARM = {
  kind: "tls_trouble",
  severity: "warning",
  data: { trouble: { problem: { is: "open_to_all", file: "/alarm.pem" }, serves: "nothing" } },
} as const;

t.test("what people and the runtime itself write is not limited, and counts for no agent", async (t) => {
  const rig = await rigFor(t);
  for (let n = 0; n < 25; n += 1) {
    t.ok((await tell(rig, "by hand", PERSON)).ok);
    await rig.get("send_message_to_agent", { message: "please" }, PERSON);
    await rig.core.get(outbox).tell(ALARM);
  }
  await fullCycle(rig);
  await rig.core.get(outbox).tell(ALARM);
  t.equal(await stored(rig, "TLS is not served"), 26);
});

t.test("each agent has a limit of its own", async (t) => {
  const rig = await rigFor(t);
  await fullCycle(rig);
  t.ok((await tell(rig, "from the cellar", { token: "agent.cellar" })).ok);
});

t.test(
  "the first answer to a message of the person always goes; a second one counts as any other",
  async (t) => {
    const rig = await rigFor(t);
    const { message_id } = await rig.get("send_message_to_agent", { message: "How is it?" }, PERSON);
    await fullCycle(rig);
    t.equal((await refusal(rig, { in_reply_to: "2" })).code, "TOO_MANY_MESSAGES", "an answer to itself");
    const reply = { message: "well", in_reply_to: message_id };
    await rig.get("send_message_to_human", reply);
    t.equal((await refusal(rig, reply)).code, "TOO_MANY_MESSAGES");
    await rig.restart();
    t.equal((await refusal(rig, reply)).code, "TOO_MANY_MESSAGES", "and it is known after a restart");
  },
);

t.test("of old messages that nobody answered only the newest ten are answered freely", async (t) => {
  const rig = await rigFor(t);
  const ids: unknown[] = [];
  for (let n = 0; n < 12; n += 1)
    ids.push((await rig.get("send_message_to_agent", { message: "?" }, PERSON)).message_id);
  await fullCycle(rig);
  const answers = await Promise.all(
    ids.map((in_reply_to) => rig.call("send_message_to_human", { message: "yes", in_reply_to })),
  );
  t.same(
    answers.map(({ ok }) => ok),
    [false, false, ...Array(10).fill(true)],
  );
});

t.test(
  "a message that was refused leaves its key free, and one that could not be written does not count",
  async (t) => {
    const rig = await rigFor(t);
    await fullCycle(rig);
    t.notOk((await tell(rig, "later", { key: "k" })).ok);
    await rig.pass(minutes(5));
    await rig.status();
    t.ok((await tell(rig, "later", { key: "k" })).ok);
    for (let n = 0; n < 5; n += 1) {
      rig.disk.refuseNextWrite();
      t.match(await refusal(rig), { code: "STORE_FAILED" });
    }
    t.ok((await tell(rig)).ok);
  },
);

t.test("the configuration says how many", async (t) => {
  const rig = await rigFor(t, { config: "agent: { messages_per_cycle: 1, messages_per_day: 2 }" });
  t.ok((await tell(rig)).ok);
  t.equal((await refusal(rig)).code, "TOO_MANY_MESSAGES");
  await rig.status();
  t.ok((await tell(rig)).ok);
  await rig.status();
  t.match(await refusal(rig), { message: /at most 2 may go in 24 h/ });
});

t.test("messages of a version before there was a limit count for nobody", async (t) => {
  const rig = await rigFor(t);
  const letters = rig.core.get(messages);
  for (let n = 0; n < 30; n += 1) await letters.send("to_human", { content: "old", by: "agent" });
  await rig.restart();
  await fullCycle(rig);
});

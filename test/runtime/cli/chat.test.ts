import t from "tap";
import { type Millis, plus, seconds } from "../../../drivers/units.js";
import { Chat } from "../../../runtime/cli/chat.js";
import { rigFor } from "../../rig.js";
import { rigRemote } from "./rig-remote.js";

/** Asks in a house where no agent takes the message up; each look at the clock is ten seconds after the last. */
async function asking(t: Parameters<typeof rigFor>[0], isAsked: boolean) {
  const rig = await rigFor(t, {
    start: "2026-06-01T08:00:00.000Z",
    config: "confirm: { dispense_water: always }",
  });
  if (isAsked) {
    await rig.status([{ action: "water", value: 20 }]);
    await rig.refused("dispense_water", { ml: 20 });
  }
  const notes: string[] = [];
  let now = 0 as Millis;
  const clock = { monotonic: () => (now = plus(now, seconds(10))), sleep: async () => undefined };
  const around = {
    remote: rigRemote(rig),
    clock,
    show: () => undefined,
    note: (text: string) => notes.push(text),
  };
  const answer = new Chat(around, { wait: 5 }).ask("how are you?", new AbortController().signal);
  return { notes, message: await answer.then(String, ({ message }: Error) => message) };
}

t.test("an agent that waits for a person's yes is not taken for one that is not there", async (t) => {
  const { notes, message } = await asking(t, true);
  t.match(notes, [
    /^The agent waits for your yes: agent wants to .*20 ml.* for Basil: tendril approve 1, or tendril deny 1 \(until /,
  ]);
  t.equal(notes.length, 1);
  t.equal(message, "no answer within 5 s: the agent waits for your yes");
});

t.test("without any agent a person is told how to start one", async (t) => {
  const { notes, message } = await asking(t, false);
  t.match(notes, [/^No agent has begun on it yet\. Is one running\? tendril agent$/]);
  t.match(message, /^nobody answered within 5 s: is an agent running\?/);
});

t.test("who writes is named by id or name, and a wrong name holds no stop back", async (t) => {
  const remote = rigRemote(await rigFor(t, { config: "people: [{ id: anna, name: Anna K }]" }));
  const notes: string[] = [];
  const note = (text: string) => notes.push(text);
  const clock = { monotonic: () => 0 as Millis, sleep: async () => undefined };
  const chatAs = (as: string) => new Chat({ remote, clock, show: () => undefined, note }, { wait: 5, as });
  t.same((await chatAs("anna k").earlier()).messages, []);
  const wrong = chatAs("ann").ask("stop", new AbortController().signal);
  await t.rejects(wrong, /there is no person "ann"\. The people are: anna \(Anna K\)/);
  t.match(notes, [/^All pumps and lights are off/]);
});

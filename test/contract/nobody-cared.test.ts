import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { hours, minutes } from "../../drivers/units.js";
import { control } from "../../runtime/services/people/control.js";
import { type Rig, type RigOptions, rigFor } from "../rig.js";

const HUMAN = { as: "human" } as const;
const WATER = [{ action: "water", value: 20 }];
const LIGHT = [{ action: "light", value: 60 }];

type Test = Parameters<typeof rigFor>[0];

async function dryRig(t: Test, options: RigOptions = {}): Promise<Rig> {
  return rigFor(t, { hydration: 30, start: "2026-06-01T08:00:00.000Z", ...options });
}

/** Time as the runtime spends it: a mark on every hour. */
async function passHours(rig: Rig, count: number, each: (hour: number) => Promise<unknown> = async () => {}) {
  for (let hour = 1; hour <= count; hour += 1) {
    await rig.pass(hours(1));
    await rig.core.mark();
    await each(hour);
  }
}

/** What the runtime told the person of missing care, oldest first. */
async function told(rig: Rig): Promise<string[]> {
  const { messages } = await rig.get("list_messages_from_agent", { limit: 50 }, HUMAN);
  return (messages as { content: string; from: string }[])
    .filter(({ content, from }) => from === "runtime" && content.includes("Nobody has cared"))
    .map(({ content }) => content)
    .reverse();
}

const uncared = async (rig: Rig, plant = 0) => {
  const { plants } = await rig.get("get_overview", {}, HUMAN);
  return (plants as { uncared: { since: string; hours: number } | null }[])[plant]?.uncared;
};

t.test("where nobody has completed a care of a plant for 36 hours, the person is told", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 35);
  t.same(await told(rig), []);
  t.equal(await uncared(rig), null);
  await passHours(rig, 1);
  t.same(await told(rig), [
    [
      "Nobody has cared for Basil for 36 hours: it has been watched, without any care, since 2026-06-01T08:00:00.000Z. No agent has written a plant status since then: perhaps none is running.",
      "On the agent's computer, tendril log shows what the agent did last, and tendril agent starts one if none runs.",
      "Please look after Basil; tendril status shows every plant. This message comes again after each 36 hours without care (care.tell_after_hours in the configuration).",
    ].join("\n"),
  ]);
  t.same(await uncared(rig), { since: "2026-06-01T08:00:00.000Z", hours: 36 });
  await passHours(rig, 35);
  t.equal((await told(rig)).length, 1);
  await passHours(rig, 1);
  t.match((await told(rig))[1], /for 3 days/);
});

t.test("an agent that looks and finds nothing to do has cared, once a day is enough", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 24 * 5, async (hour) => hour % 24 === 0 && rig.status([{ action: "observe" }]));
  t.same(await told(rig), []);
});

t.test("an agent whose statuses are all refused has not cared, and the person reads why", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 36, () => rig.status(WATER, { water_24h: 499 }));
  const [letter] = await told(rig);
  t.match(
    letter,
    /of 2026-06-02T19:00:00\.000Z, was refused: The status counts 499 ml of water in 24 hours \(water_24h\), but the record has 0 ml/,
  );
  const { notifications } = await rig.get("list_notifications", {}, { as: "human" });
  const [{ data }] = notifications as [{ data: { plants: [{ attempt: object }] } }];
  t.same(data.plants[0].attempt, {
    ...{ timestamp: "2026-06-02T19:00:00.000Z", what: "refused" },
    problems: [{ is: "water_24h", claimed: 499, actual: 0 }],
  });
});

t.test("an agent that plans and pours nothing has not cared; what it pours then is care", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 36, () => rig.status(WATER));
  t.match((await told(rig))[0], /accepted, but nothing of its plan was carried out/);
  await rig.status(WATER);
  t.match(await uncared(rig), { hours: 36 }, "a plan alone");
  await rig.water(10);
  t.equal(await uncared(rig), null, "a part of it is enough");
  await passHours(rig, 35);
  t.equal((await told(rig)).length, 1);
  await passHours(rig, 1);
  t.match((await told(rig))[1], /for 36 hours: the last time was 2026-06-02T20:00/);
});

t.test("light that was planned is care from the moment that it shines", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 35);
  await rig.status(LIGHT);
  await rig.pass(minutes(20));
  await rig.get("turn_on_light", { minutes: 60 });
  await rig.pass(minutes(40));
  await rig.core.mark();
  t.same(await told(rig), []);
  await passHours(rig, 35);
  t.same(await told(rig), [], "and until its end");
});

t.test("of several agents any one's care counts, and one that is turned away does not", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 30, () => rig.status(WATER, {}, { instance: "talks-only" }));
  await rig.pass(minutes(31));
  await rig.status([], {}, { instance: "other" });
  t.match(await rig.status([], {}, { instance: "talks-only" }), { proceed: false }, "turned away");
  await passHours(rig, 35);
  t.same(await told(rig), []);
  await passHours(rig, 1);
  t.match((await told(rig))[0], /the last time was 2026-06-02T14:31/);
  t.match((await told(rig))[0], /No agent has written/);
});

t.test("a person's dose and a person's cleared status are care", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 30);
  await rig.water(10, HUMAN);
  await passHours(rig, 30);
  await rig.status(WATER, {}, HUMAN);
  await passHours(rig, 35);
  t.same(await told(rig), []);
});

t.test("each plant counts for itself, from its own first start", async (t) => {
  const config = "plants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]";
  const rig = await dryRig(t, { config });
  await passHours(rig, 36, () => rig.status([], { plant: "fern" }));
  const letters = await told(rig);
  t.equal(letters.length, 1);
  t.match(letters[0], /cared for basil/);
  t.match(await uncared(rig, 0), { hours: 36 });
  t.equal(await uncared(rig, 1), null);
});

t.test("where the agent is gone, one message tells of all plants", async (t) => {
  const config = "plants: [{ id: basil }, { id: fern, probe: { channel: 1 } }]";
  const rig = await dryRig(t, { config });
  await rig.get("set_hold", { hold: true, plant: "fern", reason: "repotted" }, HUMAN);
  await passHours(rig, 36);
  const letters = await told(rig);
  t.equal(letters.length, 1);
  t.match(letters[0], /^Nobody has cared for basil .*\nNobody has cared for fern .*\(repotted\)/);
  t.match(letters[0], /Please look after basil, fern;/);
});

t.test("under a hold nothing is care, and the person reads of the hold and how to lift it", async (t) => {
  const rig = await dryRig(t);
  await rig.status([]);
  await rig.pass(minutes(1));
  await rig.get("set_hold", { hold: true, reason: "holiday" }, HUMAN);
  await passHours(rig, 36, () => rig.status([]));
  const [letter] = await told(rig);
  t.match(letter, /Basil is on hold since 2026-06-01T08:01:00\.000Z \(holiday\)\./);
  t.match(letter, /lift the hold with: tendril resume/);
  t.notMatch(letter, /No agent/);
  await rig.get("set_hold", { hold: false }, HUMAN);
  await rig.status([]);
  t.equal(await uncared(rig), null);
});

t.test("while a fault locks the water nothing is care, light neither", async (t) => {
  const rig = await dryRig(t);
  const fault = { kind: "fault", code: "NO_RESPONSE", plant: "basil", by: "runtime" } as const;
  const reason = "60 ml changed nothing";
  await rig.core.get(control).record({ ...fault, timestamp: rig.core.house.timestamp(), reason });
  await passHours(rig, 35, () => rig.status([]));
  await rig.status(LIGHT);
  await rig.get("turn_on_light", { minutes: 30 });
  await passHours(rig, 1);
  const [letter] = await told(rig);
  t.match(letter, /water is locked since 2026-06-01T08:00:00\.000Z \(NO_RESPONSE\)/);
  t.match(letter, /tendril clear basil/);
});

t.test("while the probe is faulty there is no water, so nothing is care", async (t) => {
  const rig = await dryRig(t);
  rig.bench.faults("basil").probe = "unplugged";
  await rig.pass(hours(1));
  await rig.core.sample();
  await passHours(rig, 35, () => rig.status([]));
  t.match((await told(rig))[0], /its moisture probe is faulty since 2026-06-01T09:00/);
});

t.test("a wall clock that jumps by 30 hours makes no false message, and hides no true one", async (t) => {
  for (const jump of [30, -30]) {
    const rig = await dryRig(t);
    await passHours(rig, 10);
    rig.clock.stepWall(hours(jump));
    await passHours(rig, 25);
    t.same(await told(rig), [], `${jump} h`);
    await passHours(rig, 1);
    t.equal((await told(rig)).length, 1, `${jump} h`);
  }
});

t.test("restarts, and reboots with an unset clock every few hours, hide nothing", async (t) => {
  const rig = await dryRig(t);
  for (let boot = 0; boot < 12; boot += 1) {
    t.same(await told(rig), [], `boot ${boot}`);
    await passHours(rig, 2);
    await rig.restart();
    await passHours(rig, 1);
    if (boot === 11) break;
    await rig.crash();
    rig.clock.reboot({ downtime: minutes(10), synchronised: false });
    await rig.open();
  }
  t.equal((await told(rig)).length, 1);
});

t.test("of one period the person is told once, whatever is started anew", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 36);
  for (let start = 0; start < 5; start += 1) {
    await rig.restart();
    await rig.core.mark();
    await passHours(rig, 2);
    await rig.crash();
    rig.clock.reboot({ downtime: minutes(1), synchronised: true });
    await rig.open();
    await rig.core.mark();
  }
  t.equal((await told(rig)).length, 1);
});

t.test("a dose of which nobody knows what became is no care", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 20);
  await rig.status(WATER);
  void rig.call("dispense_water", { ml: 20 });
  while (rig.bench.pumpEdges("basil").length === 0) await rig.pass(minutes(0));
  await rig.crash();
  rig.clock.reboot({ downtime: minutes(1) });
  await rig.open();
  await passHours(rig, 16);
  t.match(
    (await told(rig))[0],
    /without any care, since 2026-06-01T08:00.*nothing of its plan was carried out/,
  );
});

t.test("care that came after the last count is known after a crash", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 30);
  await rig.pass(minutes(5));
  await rig.status(WATER);
  await rig.water(20);
  await rig.crash();
  rig.clock.reboot({ downtime: hours(20), synchronised: true });
  await rig.open();
  await rig.core.mark();
  t.same(await told(rig), []);
  await passHours(rig, 17);
  t.match((await told(rig))[0], /the last time was 2026-06-02T14:05/);
});

t.test("an older version that cared without writing the count down is believed", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 2);
  const file = join(rig.state, "care.json");
  const old = await readFile(file);
  await passHours(rig, 30, () => rig.status([]));
  await rig.stop();
  await writeFile(file, old);
  await rig.open();
  await passHours(rig, 30);
  t.same(await told(rig), []);
});

t.test(
  "a care under a clock that was ahead is no news at the starts after the clock was set back",
  async (t) => {
    const rig = await dryRig(t);
    rig.clock.stepWall(hours(30));
    await rig.status([]);
    await rig.core.mark();
    rig.clock.stepWall(hours(-30));
    for (let boot = 0; boot < 5; boot += 1) {
      await passHours(rig, 7);
      await rig.crash();
      rig.clock.reboot({ downtime: minutes(0) });
      await rig.open();
    }
    t.same(await told(rig), []);
    await passHours(rig, 1);
    t.equal((await told(rig)).length, 1);
  },
);

t.test(
  "a plant that was away from the configuration counts from its start, not from its last care",
  async (t) => {
    const rig = await dryRig(t);
    await rig.status([]);
    await passHours(rig, 30);
    await rig.stop();
    await writeFile(join(rig.state, "care.json"), '{"plants":{}}');
    for (let start = 0; start < 2; start += 1) {
      await rig.open();
      await passHours(rig, 17);
      await rig.stop();
    }
    await rig.open();
    t.same(await told(rig), []);
    await passHours(rig, 2);
    t.match((await told(rig))[0], /watched, without any care, since 2026-06-02T14:00/);
  },
);

t.test("a status that is refused while the message is written does not make it come twice", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 35);
  await rig.pass(hours(1));
  const looking = rig.core.mark();
  await rig.status(WATER, { water_24h: 499 });
  await looking;
  await passHours(rig, 3);
  t.equal((await told(rig)).length, 1);
});

t.test("a count that is lost or damaged begins anew, and keeps nothing from starting", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 30);
  const file = join(rig.state, "care.json");
  for (const spoil of [
    () => rm(file),
    () => writeFile(file, "{"),
    () => writeFile(file, '{"plants":{"basil":1}}'),
  ]) {
    await rig.stop();
    await spoil();
    await rig.open();
    await passHours(rig, 10);
  }
  t.same(await told(rig), []);
  t.equal(rig.log.filter((line) => /^error .*care\.json.*counted anew/.test(line)).length, 2);
  await passHours(rig, 26);
  t.equal((await told(rig)).length, 1);
});

t.test("where the disk takes no message, the person is told once it does", async (t) => {
  const rig = await dryRig(t);
  await passHours(rig, 35);
  const free = rig.fillDisk();
  await rig.pass(hours(1));
  await t.rejects(rig.core.mark());
  free();
  await passHours(rig, 1);
  t.equal((await told(rig)).length, 1);
});

t.test("the configuration says after how long, or never", async (t) => {
  const soon = await dryRig(t, { config: "care: { tell_after_hours: 12 }" });
  await passHours(soon, 24);
  t.equal((await told(soon)).length, 2);
  const never = await dryRig(t, { config: "care: { tell_after_hours: never }" });
  await passHours(never, 100);
  t.same(await told(never), []);
  t.equal(await uncared(never), null);
});

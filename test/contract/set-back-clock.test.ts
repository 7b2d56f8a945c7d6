import t, { type Test } from "tap";
import { hours, type Millis, millis, minutes, seconds } from "../../drivers/units.js";
import { type Rig, rigFor } from "../rig.js";

/**
 * A wall clock that says all the time that it is right, as it does where a person has set it by hand: the mark of the
 * last synchronisation stays until the next boot.
 */

const HUMAN = { as: "human" } as const;
const used = async (rig: Rig) => (await rig.get("get_water_usage_24h")).used_ml;

const rigOf = (t: Test): Promise<Rig> =>
  rigFor(t, { config: "{ server: { calls_per_second: 100000 }, water: { no_response: { ml: 500 } } }" });

const pourAll = async (rig: Rig): Promise<void> => {
  for (let poured = 0; poured < 500; poured += 25) await rig.water(25, HUMAN);
};

/** Each hour with its mark. */
async function passHours(rig: Rig, count: number, beforeMark: () => void = () => undefined): Promise<void> {
  for (let hour = 0; hour < count; hour += 1) {
    await rig.pass(minutes(59));
    beforeMark();
    await rig.pass(minutes(1));
    await rig.core.mark();
  }
}

/** A minute without power; afterwards the clock is right. */
async function reboot(rig: Rig): Promise<void> {
  await rig.stop();
  rig.clock.reboot({ downtime: minutes(1) });
  rig.clock.synchronise();
  await rig.open();
}

/** All 500 ml were poured within the last hour. */
async function assertCountsForADay(t: Test, rig: Rig): Promise<void> {
  for (let hour = 0; hour < 22; hour += 1) {
    t.equal(await used(rig), 500, `${hour} hours later`);
    await passHours(rig, 1);
  }
  await passHours(rig, 2);
  t.equal(await used(rig), 0, "after a day it does not count any more");
}

t.test("a clock that is set back by an hour, hour after hour, gives no water back", async (t) => {
  const rig = await rigOf(t);
  await passHours(rig, 23, () => rig.clock.stepWall(millis(-minutes(58))));
  await pourAll(rig);
  await rig.core.mark();
  await reboot(rig);
  await assertCountsForADay(t, rig);
});

t.test("a clock that was set back gives no water back when the record before it is a day old", async (t) => {
  const rig = await rigOf(t);
  await rig.pass(hours(20));
  rig.clock.stepWall(hours(-21));
  await pourAll(rig);
  await reboot(rig);
  await assertCountsForADay(t, rig);
});

t.test("a clock that was set back while the runtime was down gives no water back either", async (t) => {
  const rig = await rigOf(t);
  await rig.core.mark();
  await rig.stop();
  await rig.clock.advance(hours(20));
  rig.clock.forgetReadings();
  rig.clock.stepWall(hours(-19));
  await rig.open();
  await pourAll(rig);
  await reboot(rig);
  await assertCountsForADay(t, rig);
});

const OTHERS = ["fern", "mint", "sage", "thyme"];
const MANY = `{ server: { calls_per_second: 100000 }, water: { no_response: { ml: 500 } }, plants: [{ id: basil },
  ${OTHERS.map((id, at) => `{ id: ${id}, probe: { address: 0x49, channel: ${at} } }`).join(", ")}] }`;

t.test(
  "a clock that was set back between two boots gives no water back, however many doses lie between",
  async (t) => {
    const rig = await rigFor(t, { config: MANY });
    const pour = (plant: string) => rig.during("dispense_water", { plant, ml: 10 }, HUMAN);
    await pour("basil");
    for (const plant of OTHERS) for (let ml = 0; ml < 500; ml += 10) await pour(plant); // as many as a start reads first
    rig.clock.stepWall(hours(100));
    await pour("basil");
    await rig.stop();
    rig.clock.reboot({ downtime: minutes(1) });
    rig.clock.stepWall(hours(-70));
    await rig.open();
    t.match(await rig.get("get_water_usage_24h", { plant: "basil" }), { used_ml: 20 });
  },
);

t.test("a boot whose clock is behind an earlier boot's proves nothing, also a day later", async (t) => {
  const rig = await rigOf(t);
  await rig.core.mark();
  await rig.stop();
  rig.clock.reboot({ downtime: minutes(1) });
  rig.clock.stepWall(hours(-20));
  await rig.open();
  await rig.pass(hours(23.5));
  await pourAll(rig);
  await reboot(rig);
  await assertCountsForADay(t, rig);
});

/** Another boot a minute later, with a clock that was moved meanwhile: no plant has lived through the years between. */
async function wakeUp(rig: Rig, moved: Millis, synchronised = true): Promise<void> {
  await rig.stop();
  rig.clock.reboot({ downtime: minutes(1), synchronised });
  rig.clock.stepWall(moved);
  await rig.open();
}

t.test("once a clock was found set back, no wall time gives water back until a day of running", async (t) => {
  const rig = await rigOf(t);
  await pourAll(rig);
  await wakeUp(rig, hours(30 * 24));
  t.equal(await used(rig), 0, "a jump ahead that the system calls synchronised looks like a long power cut");
  await rig.water(25, HUMAN);
  for (const [what, moved] of [
    ["40 days back", hours(-40 * 24)],
    ["to the year 2000", hours(-26 * 365 * 24)],
    ["30 years ahead", hours(30 * 365 * 24)],
    ["to where it was right", hours(-4 * 365 * 24 + 10 * 24)],
  ] as const) {
    await wakeUp(rig, moved);
    t.equal(await used(rig), 525, what);
    t.match(await rig.refused("dispense_water", { ml: 10 }, HUMAN), { code: "BUDGET_EXCEEDED" }, what);
  }
  await passHours(rig, 23);
  t.equal(await used(rig), 525, "23 hours later");
  await passHours(rig, 2);
  t.equal(await used(rig), 0, "a day of running is a day");
});

t.test(
  "a clock that is set back while the runtime runs takes back what its jump ahead had freed",
  async (t) => {
    const rig = await rigOf(t);
    await pourAll(rig);
    await wakeUp(rig, hours(30 * 24));
    await rig.water(25, HUMAN);
    await passHours(rig, 2);
    rig.clock.stepWall(hours(-30 * 24));
    t.equal(await used(rig), 525);
    await rig.restart();
    t.equal(await used(rig), 525, "also after a restart");
  },
);

t.test("a clock that jumps ahead and is not synchronised gives no water back", async (t) => {
  const rig = await rigOf(t);
  await pourAll(rig);
  for (const days of [30, 365, -400]) {
    await wakeUp(rig, hours(days * 24), false);
    t.equal(await used(rig), 500, `${days} days`);
  }
});

t.test("a clock that nobody has set takes nothing back that a right clock had given back", async (t) => {
  const rig = await rigOf(t);
  await pourAll(rig);
  await rig.stop();
  rig.clock.reboot({ downtime: hours(30) });
  await rig.open();
  t.equal(await used(rig), 0, "a power cut of 30 hours");
  await wakeUp(rig, hours(-26 * 365 * 24), false);
  t.equal(await used(rig), 0, "a computer without a clock of its own starts in the past");
});

t.test("a dose that a restart settles does not make a right clock look set back", async (t) => {
  const rig = await rigOf(t);
  void rig.call("dispense_water", { ml: 25 }, HUMAN);
  while (rig.bench.pumpEdges("basil").length === 0) await rig.pass(millis(0));
  await rig.pass(seconds(3));
  await rig.core.mark(); // behind the dose, whose stamp will be of the restart
  await rig.crash();
  rig.clock.reboot({ downtime: minutes(5) });
  await rig.open();
  await wakeUp(rig, minutes(5));
  t.ok(rig.clock.synchronised());
});

t.test("a clock that was set back shortens no rest of the light", async (t) => {
  const rig = await rigOf(t);
  await rig.pass(hours(1));
  rig.clock.stepWall(hours(-1));
  await rig.get("turn_on_light", { minutes: 30 }, HUMAN);
  await rig.get("turn_off_light", {}, HUMAN);
  await reboot(rig);
  t.match(await rig.get("get_light_status"), { can_activate: false, minutes_until_available: 30 });
});

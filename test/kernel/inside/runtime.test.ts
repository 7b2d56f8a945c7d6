import { readFileSync } from "node:fs";
import t from "tap";
import { seconds } from "../../../drivers/units.js";
import { startChild } from "./child.js";
import { ALL_OFF, AT_ONCE, FLOW, isAbout, levels, MOIST, PotOnAPi, SLACK } from "./pot-on-a-pi.js";

/** `tendril serve` as a Pi runs it: configuration, drivers, guard and wire, judged by the metal of the pins. */

/** A process that never waits. */
const ENDLESS = 'console.log("on"); for (;;);';
const pot = await PotOnAPi.start(t);

t.test("after the start every relay is off, whichever level that is", async (t) => {
  t.same(levels(), ALL_OFF);
  t.comment(`listening after ${Math.round(pot.startedIn)} ms`);
  for (const [who, pid] of [
    ["runtime", pot.runtime.pid],
    ["guard", pot.guard()],
  ] as const)
    t.comment(`${who}: ${/^VmRSS.*$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))}`);
});

t.test("read_moisture tells the percentage of the probe's voltage", async (t) => {
  const known = [
    [2.75, 0],
    [1.51, 80],
    [1.2, 100],
    [1.975, 50],
  ] as const;
  for (const [volts, percent] of known) {
    await pot.chip.show({ volts });
    t.match(await pot.agent.get("read_moisture"), { percent, quality: "ok" }, `${volts} V`);
  }
});

t.test(
  "a chip that repeats itself is a probe at fault, and no water flows until it measures again",
  async (t) => {
    await pot.chip.show({ ...MOIST, frozen: true });
    const { code, details } = await pot.agent.refused("read_moisture");
    t.match([code, details], ["PROBE_FAULT", { cause: "PROBE_STUCK", last_good: { percent: 50 } }]);
    t.equal((await pot.human.refused("dispense_water", { ml: 10 })).code, "PROBE_FAULT");
    t.same(levels(), ALL_OFF);
    await pot.chip.show(MOIST);
    t.match(await pot.agent.get("read_moisture"), { percent: 50 });
  },
);

t.test("a chip that does not answer is a probe at fault, and its plant gets no water", async (t) => {
  const fern = { plant: "fern" };
  const { code, details } = await pot.agent.refused("read_moisture", fern, "as said");
  t.match([code, details], ["PROBE_FAULT", { cause: "BUS_NACK", last_good: null }]);
  t.equal((await pot.human.refused("dispense_water", { ml: 10, ...fern }, "as said")).code, "PROBE_FAULT");
  t.same(levels(), ALL_OFF);
});

t.test("a person's 10 ml are that much time with the pin high, charged and told", async (t) => {
  const answer = pot.human.get("dispense_water", { ml: 10 });
  const on = await pot.pump.until(1, seconds(5));
  const lasted = (await pot.pump.until(0, seconds(6))) - on;
  t.ok(Math.abs(lasted - 10_000 / FLOW) < AT_ONCE, `${Math.round(lasted)} ms`);
  const { dispensed, remaining_24h } = await answer;
  t.ok(isAbout(10, dispensed), `${dispensed} ml`);
  const used_ml = Number(dispensed);
  t.match(await pot.human.get("get_water_usage_24h"), { used_ml, remaining_ml: remaining_24h, events: 1 });
  const asked = { hours: 1, samples_per_hour: 1, aggregation: "sum", value_field: "ml_dispensed" };
  t.match(await pot.human.get("get_water_history", asked), { items: [{ value: used_ml }] });
});

t.test("a dose is as long where others want the processor too", async (t) => {
  const others = [await startChild(ENDLESS), await startChild(ENDLESS)];
  const answer = pot.human.get("dispense_water", { ml: 10 });
  const on = await pot.pump.until(1, seconds(5));
  const lasted = (await pot.pump.until(0, seconds(8))) - on;
  for (const other of others) await other.killNow();
  t.ok(Math.abs(lasted - 10_000 / FLOW) < AT_ONCE, `${Math.round(lasted)} ms`);
  t.ok(isAbout(10, (await answer).dispensed));
});

t.test("an agent waters once its status is cleared, and not before", async (t) => {
  t.equal((await pot.agent.refused("dispense_water", { ml: 10 })).code, "NO_CYCLE");
  t.equal(pot.pump.level(), 0);
  t.same(await pot.plan("water", 10), { proceed: true });
  const answer = pot.agent.get("dispense_water", { ml: 10 });
  await pot.pump.until(1, seconds(5));
  t.ok(isAbout(10, (await answer).dispensed));
  await pot.pump.until(0, SLACK);
});

t.test("the light's pin is high from turn_on_light to turn_off_light", async (t) => {
  await pot.human.get("turn_on_light", { minutes: 30 });
  await pot.light.until(1, SLACK);
  t.same(levels(), { ...ALL_OFF, light: 1 });
  t.match(await pot.human.get("get_light_status"), { status: "on" });
  t.match(await pot.human.get("turn_off_light"), { was_on: true });
  await pot.light.until(0, SLACK);
  t.match(await pot.human.get("get_light_status"), { status: "off", minutes_until_available: 30 });
});

t.test("the log tells how each relay is driven, and what ends its pulses", async (t) => {
  const { log, code } = await pot.runtime.stop();
  t.equal(code, 0);
  t.comment(log);
  t.match(log, /info +basil-pump: GPIO 17 as LED basil-pump; .*the kernel's timer after 30 s at most/);
  t.match(log, /info +basil-light: GPIO 22 as LED basil-light; .*the kernel's timer after 136 min at most/);
  t.match(log, /info +fern-pump: GPIO 27 \(on while low\) as LED fern-pump/);
  t.match(log, /warn +sampling failed plant=fern error="nothing answers at 0x4b on i2c-\d+: check wiring/);
  t.notMatch(log, /file:|\n +at /, "nothing for programmers");
});

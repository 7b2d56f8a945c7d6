import t from "tap";
import { millis, seconds } from "../../../drivers/units.js";
import { clock } from "./gpio-sim.js";
import { ALL_OFF, levels, MOIST, PotOnAPi, SLACK } from "./pot-on-a-pi.js";

/** `tendril serve` as a Pi would run it, judged by the metal of the pins. */

const before = clock.monotonic();
const pot = await PotOnAPi.start(t);
t.comment(`start ${Math.round(clock.monotonic() - before)} ms`);

t.test("after the start every relay is off, whichever level that is", async (t) => {
  t.same(levels(), ALL_OFF);
});

t.test("read_moisture tells the percentage of the probe's voltage", async (t) => {
  for (const [volts, percent] of [[1.975, 50], [2.75, 0], [1.2, 100], [1.51, 80]] as const) {
    await pot.chip.show({ volts });
    t.match(await pot.agent.get("read_moisture"), { percent, quality: "ok" }, `${volts} V`);
  }
  await pot.chip.show(MOIST);
});

t.test("10 ml: pump on for 2 s", async (t) => {
  const answer = pot.human.get("dispense_water", { ml: 10 });
  const on = await pot.pump.until(1, seconds(2));
  const lasted = (await pot.pump.until(0, seconds(4))) - on;
  t.ok(Math.abs(lasted - 2000) < SLACK, `${Math.round(lasted)} ms`);
  t.match(await answer, { dispensed: 10, remaining_24h: 490 });
  t.equal(await pot.used(), 10);
});
t.test("end", async (t) => {
  const e = await pot.runtime.stop();
  t.comment(e.log);
  t.match(e, {code: 0});
  await clock.sleep(millis(1));
});

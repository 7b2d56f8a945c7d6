import t from "tap";
import { minutes } from "../../../drivers/units.js";
import { benchRig } from "../bench-rig.js";

t.test("the light goes on with its end, and off by its own hardware", async (t) => {
  const { clock, light, bench } = await benchRig(t);
  let started = false;
  const over = light.pulse(minutes(90), () => {
    started = true;
  });
  t.equal(started, true);
  t.equal(light.isOn(), true);
  await clock.advance(minutes(91));
  t.equal(light.isOn(), false);
  t.match(await over, { onFor: minutes(90), outcome: "elapsed" });
  t.same(bench.lightEdges("basil"), [
    { level: 1, at: 0 },
    { level: 0, at: minutes(90) },
  ]);
});

t.test("120 minutes are the most that the hardware accepts, off is at once", async (t) => {
  const { clock, light } = await benchRig(t);
  await t.rejects(light.pulse(minutes(120.001)), { code: "PULSE_TOO_LONG" });
  const over = light.pulse(minutes(120));
  await clock.advance(minutes(10));
  await light.end();
  t.match(await over, { onFor: minutes(10), outcome: "ended" });
});

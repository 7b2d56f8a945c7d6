import t from "tap";
import { hours, minutes } from "../../agent-client/units.js";
import { WakeLimit } from "../../agent-client/wake-limit.js";

t.test("six due tasks an hour begin a turn, the seventh waits until the first is an hour old", async (t) => {
  const limit = new WakeLimit();
  for (let task = 0; task < 6; task++) t.equal(limit.admits(minutes(task)), true);
  t.equal(limit.admits(minutes(59)), false);
  t.equal(limit.admits(hours(1)), true);
  t.equal(limit.admits(hours(1)), false);
});

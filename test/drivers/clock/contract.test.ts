import t from "tap";
import { BenchClock } from "../../../drivers/bench/bench-clock.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import type { EpochMillis } from "../../../drivers/units.js";
import { millis } from "../../../drivers/units.js";
import { clockContract } from "../clock-contract.js";

t.test("the system's clock keeps the contract of clocks", async (t) => {
  const clock = new SystemClock();
  clockContract(t, () => ({ clock, pass: (time) => clock.sleep(millis(time + 2)) }));
});

t.test("the simulated clock keeps it", async (t) => {
  clockContract(t, () => {
    const clock = new SimulatedClock();
    return { clock, pass: (time) => clock.advance(time) };
  });
});

t.test("the bench's clock keeps it, sixty times as fast as the one behind it", async (t) => {
  const speed = 60;
  clockContract(t, () => {
    const real = new SimulatedClock();
    const clock = new BenchClock({ speed, start: 0 as EpochMillis, boot: 1 }, real);
    return { clock, pass: (time) => real.advance(millis(Math.ceil(time / speed))) };
  });
});

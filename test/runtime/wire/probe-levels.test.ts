import t from "tap";
import type { MeasuredProbe } from "../../../runtime/wire/plants.js";
import { NotSteady, untilSteady } from "../../../runtime/wire/probe-levels.js";

const measured = (level: number): MeasuredProbe => ({
  ...{ timestamp: "2026-11-23T08:00:00.000Z", level, unit: "V", spread: 0.001 },
  ...{ resembles: null, dry: 2.75, wet: 1.2 },
});

/** A link on which each measurement takes so many milliseconds. */
function waiting(took: number) {
  let now = 0;
  const asked = { count: 0 };
  return {
    asked,
    measure: async (level: number) => {
      now += took;
      asked.count += 1;
      return measured(level);
    },
    clock: {
      monotonic: () => now,
      sleep: async (ms: number) => {
        now += ms;
      },
      tell: () => undefined,
    },
  };
}

t.test(
  "a probe that is steady is found so over a link on which a minute is enough for two measurements",
  async (t) => {
    const { measure, clock, asked } = waiting(30_000);
    const { level } = await untilSteady(() => measure(1.2), clock);
    t.same([level, asked.count], [1.2, 6]);
  },
);

t.test("a probe that never settles is given up after a minute, and after twelve measurements", async (t) => {
  const quick = waiting(100);
  await t.rejects(
    untilSteady(() => quick.measure(1 + (quick.asked.count % 2)), quick.clock),
    NotSteady,
  );
  t.equal(quick.asked.count, 100, "a minute's worth");
  const slow = waiting(30_000);
  await t.rejects(
    untilSteady(() => slow.measure(1 + (slow.asked.count % 2)), slow.clock),
    NotSteady,
  );
  t.equal(slow.asked.count, 12);
});

import t from "tap";
import type { InterlockLimits } from "../../../../drivers/devices/interlock/device.js";
import { assertFits, interlockNeeds } from "../../../../drivers/devices/interlock/device.js";
import { MIN_FLOW } from "../../../../drivers/devices/pump.js";
import { type MlPerSecond, millis, seconds } from "../../../../drivers/units.js";
import { BASIL } from "../../bench-rig.js";
import { LIMITS } from "./scripted-interlock.js";

const withFlow = (flow: number) => interlockNeeds([{ ...BASIL, pump: { flow: flow as MlPerSecond } }]);

t.test("the firmware's own limits fit the slowest pump that there may be", async (t) => {
  t.doesNotThrow(() => assertFits(LIMITS, withFlow(MIN_FLOW)));
});

const LOOSE: [Partial<InterlockLimits>, RegExp][] = [
  [{ pumpCut: millis(29_001) }, /cuts the pump at 29.001 s and a gap of 1 s, later than 30 s/],
  [{ lightCut: millis(7_259_001) }, /cuts the light/],
  [{ maxGap: millis(1001) }, /gap between two steps is 1.001 s, more than 1 s/],
  [{ pumpRest: millis(9999) }, /rest of the pump is 9.999 s, less than 10 s/],
  [{ lightRest: seconds(599) }, /rest of the light/],
  [{ pumpHeartbeat: millis(2001) }, /heartbeat with the pump on is 2.001 s, more than 2 s/],
  [{ lightHeartbeat: millis(30_001) }, /heartbeat with the light on/],
  [{ feedback: millis(101) }, /contact to open is 0.101 s, more than 0.1 s/],
  [{ budget: millis(600_001) }, /pump time in 24 h is 600.001 s, more than 600 s/],
  [{ protocol: 2 }, /version 2 of the protocol, not 1/],
];

for (const [change, message] of LOOSE)
  t.test(`an interlock that lets more through is not trusted: ${JSON.stringify(change)}`, async (t) => {
    t.throws(() => assertFits({ ...LIMITS, ...change }, withFlow(1.5)), {
      code: "INTERLOCK_LIMITS",
      message,
    });
  });

t.test("an interlock that would cut what is lawful is refused too, with the figures", async (t) => {
  const strict = { ...LIMITS, pumpCut: seconds(20) };
  t.doesNotThrow(() => assertFits(strict, withFlow(1.3)));
  t.throws(() => assertFits(strict, withFlow(1.25)), {
    code: "INTERLOCK_LIMITS",
    message:
      /the pump of basil \(1\.25 ml\/s\) needs 20 s for 25 ml and 0\.5 s to spare, and it cuts at 20 s/,
  });
  t.throws(() => assertFits({ ...LIMITS, lightCut: seconds(7200) }, withFlow(1.5)), {
    message: /a light may be on for 7200 s, and it cuts at 7200 s/,
  });
  t.throws(() => assertFits({ ...LIMITS, pumpHeartbeat: millis(900) }, withFlow(1.5)), {
    message: /0.9 s, less than 1 s/,
  });
});

import t from "tap";
import {
  BenchInterlock,
  type InterlockFaults,
  passingMemory,
} from "../../../../drivers/bench/bench-interlock.js";
import { SimulatedClock } from "../../../../drivers/clock/simulated-clock.js";
import { askInterlock } from "../../../../drivers/pi/inspect/chips.js";
import { millis } from "../../../../drivers/units.js";
import { parseConfig } from "../../../../runtime/configuration.js";
import { judged } from "../../../../runtime/doctor/checks/devices.js";
import { LIMITS, WELL } from "../../devices/interlock/scripted-interlock.js";

const OPEN = { settle: () => undefined, conducted: () => false, edgeAfter: () => undefined };

/** Asks the firmware's own core at the other end of a line. */
async function asked(faults: InterlockFaults = {}) {
  const clock = new SimulatedClock();
  const device = new BenchInterlock(clock, OPEN, passingMemory());
  Object.assign(device.faults, faults);
  const answer = askInterlock("/dev/ttyUSB0", clock, async () => device.line);
  for (let passed = 0; passed < 10_000; passed += 100) await clock.advance(millis(100));
  return { device, latest: await answer };
}

t.test("who is at the port says its version, and every contact is open after", async (t) => {
  const { device, latest } = await asked();
  t.match(latest, {
    limits: { protocol: 1, firmware: Number },
    status: { closed: { pump: false, light: false } },
  });
  t.notOk(device.isClosed("pump") || device.isClosed("light"));
});

t.test("a line at whose end nobody is gives nobody, and no error", async (t) => {
  t.equal((await asked({ unplugged: true })).latest, undefined);
});

const CONFIG = parseConfig(
  "board: pi\ninterlock: serial\nplants: [{ id: basil, pump: { output: { gpio: 17 } } }]\n",
  "a test",
);

t.test(
  "what it says is judged by what the configuration needs: stop, fault, firmware that lets too much through",
  async (t) => {
    t.match(judged({ limits: LIMITS, status: WELL }, CONFIG), {
      verdict: "ok",
      found: /firmware 1, protocol 1/,
    });
    t.match(judged({ limits: LIMITS, status: { ...WELL, stopPressed: true } }, CONFIG), {
      verdict: "failure",
      found: /emergency stop/,
    });
    t.match(
      judged({ limits: LIMITS, status: { ...WELL, faults: ["the pump's contact is welded"] } }, CONFIG),
      {
        verdict: "failure",
        found: /welded/,
        mend: /tendril clear/,
      },
    );
    const other = { ...LIMITS, protocol: 2 };
    t.throws(() => judged({ limits: other, status: WELL }, CONFIG), { code: "INTERLOCK_LIMITS" });
  },
);

import t from "tap";
import type { OutputWiring } from "../../../drivers/board.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { Switches } from "../../../drivers/pi/switches.js";
import { type MlPerSecond, volts } from "../../../drivers/units.js";

const calibration = { dry: volts(2.75), wet: volts(1.2) };
const plant = (id: string, channel: 0 | 1, output?: OutputWiring) => ({
  id,
  probe: { address: 0x48, channel, calibration } as const,
  pump: { flow: 1.5 as MlPerSecond, ...(output && { output }) },
});
const pigpio = (gpio: number): OutputWiring => ({
  gpio,
  activeLow: false,
  via: "pigpio",
  led: `led-${gpio}`,
  acceptSoftwareCutoff: true,
});

t.test("a second relay by pigpio is refused before anything is opened or written", async (t) => {
  const plants = [plant("basil", 0, pigpio(17)), plant("fern", 1, pigpio(27))];
  const beforeStart = async () => void t.fail("the guard must not be started");
  const opening = Switches.open({ kind: "pi", plants }, new SimulatedClock(), { beforeStart });
  await t.rejects(opening, { code: "OUTPUT_UNSAFE", message: /^fern-pump: pigpio times one pulse at once/ });
});

t.test("a board without relays and inputs needs no guard", async (t) => {
  const switches = await Switches.open({ kind: "pi", plants: [plant("basil", 0)] }, new SimulatedClock());
  t.equal(switches.pid, undefined);
  t.equal(switches.output("basil", "pump"), undefined);
  await switches.allOff();
  await switches.close();
});

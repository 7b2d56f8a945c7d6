import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { OutputWiring } from "../../../drivers/board.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import type { GuardPlan } from "../../../drivers/guard/protocol.js";
import { Switches } from "../../../drivers/pi/switches.js";
import { type MlPerSecond, volts } from "../../../drivers/units.js";
import { LedFolder } from "../guard/led-folder.js";

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

t.test(
  "how to switch a relay off is written down before a guard opens it, or no guard is started",
  async (t) => {
    const leds = t.testdir();
    const led = new LedFolder(leds, "led-17");
    writeFileSync(join(led.path, "brightness"), "1"); // as somebody left it: the first that a guard does is to switch it off
    const output: OutputWiring = { ...pigpio(17), via: "led" };
    const beforeStart = async ({ outputs }: GuardPlan) => {
      t.match(outputs, [{ line: { via: "led", path: led.path } }]);
      t.equal(led.isOn(), true, "not opened yet");
      throw new Error("the disk is full");
    };
    const kernel = { leds, gpio: "/nowhere" };
    const opening = Switches.open({ kind: "pi", plants: [plant("basil", 0, output)] }, new SystemClock(), {
      kernel,
      beforeStart,
    });
    await t.rejects(opening, { message: "the disk is full" });
    t.equal(led.isOn(), true, "and never was");
  },
);

t.test("a board without relays and inputs needs no guard", async (t) => {
  const switches = await Switches.open({ kind: "pi", plants: [plant("basil", 0)] }, new SimulatedClock());
  t.equal(switches.pid, undefined);
  t.equal(switches.output("basil", "pump"), undefined);
  await switches.allOff();
  await switches.close();
});

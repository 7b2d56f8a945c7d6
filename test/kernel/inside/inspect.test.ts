import { writeFileSync } from "node:fs";
import t from "tap";
import { openLinuxI2c } from "../../../drivers/buses/linux-i2c.js";
import { findAdcs } from "../../../drivers/pi/inspect/chips.js";
import { Machine } from "../../../drivers/pi/inspect/machine.js";
import { pinTakers, relayLeds, relayRefusal, suitablePins } from "../../../drivers/pi/inspect/pins.js";
import { baseOf, clock, PI_CHIP } from "./gpio-sim.js";
import { i2c, StubChip, stubBus } from "./stub-chip.js";

/** What setup and doctor see, by the kernel's own files: device tree, LED class, sysfs, /dev/i2c-N. */

const machine = new Machine();
const CONFIG = 1;

t.test("relays that an overlay makes are found with pin, polarity and timer", async (t) => {
  t.same(relayLeds(machine), [
    { name: "basil-light", node: { gpio: 22, activeLow: false } },
    { name: "basil-pump", node: { gpio: 17, activeLow: false } },
    { name: "fern-pump", node: { gpio: 27, activeLow: true } },
  ]);
});

t.test(
  "their pins are taken, each for itself alone, and so is one that a program has exported",
  async (t) => {
    writeFileSync("/sys/class/gpio/export", String(baseOf(PI_CHIP) + 24));
    const taken = pinTakers(machine);
    t.same(
      [...taken.keys()].sort((a, b) => a - b),
      [17, 22, 24, 27],
    );
    t.match(relayRefusal(24, "high", taken), /GPIO 24 is taken by a program, by sysfs/);
    t.match(relayRefusal(17, "high", taken, "fern-pump"), /taken by the LED basil-pump/);
    t.equal(relayRefusal(17, "high", taken, "basil-pump"), undefined);
    t.same(suitablePins("high", taken), [23, 25]);
  },
);

t.test(
  "an ADC as it comes is known, one of another kind is not taken for it, a silent address is none",
  async (t) => {
    const sync = i2c.openSync(stubBus());
    t.teardown(() => sync.closeSync());
    new StubChip(sync, 0x48).set(CONFIG, [0x85, 0x83]);
    new StubChip(sync, 0x49).set(CONFIG, [0x60, 0xa0]);
    const bus = await openLinuxI2c(stubBus(), { clock });
    t.teardown(() => bus.close());
    t.match(await findAdcs(bus), [
      { address: 0x48, kind: "ads1115", said: "config register 0x8583" },
      { address: 0x49, kind: "unknown", said: "config register 0x60a0" },
    ]);
  },
);

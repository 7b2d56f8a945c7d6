import t from "tap";
import { Ads1115Model } from "../../../drivers/bench/ads1115-model.js";
import { BenchBus } from "../../../drivers/bench/bench-bus.js";
import { SeesawModel } from "../../../drivers/bench/seesaw-model.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { counts, volts } from "../../../drivers/units.js";
import { i2cBusContract } from "../i2c-bus-contract.js";

/** The comparator's thresholds keep what is written to them [SBAS444D 9.6.4]. */
const LO_THRESH = 0b10;

i2cBusContract(t, () => {
  const chip = new Ads1115Model(() => volts(1), new SimulatedClock());
  const bus = new BenchBus(new Map([[0x48, chip]]));
  return { bus, chip: { address: 0x48, register: LO_THRESH }, absent: 0x49, plain: true };
});

t.test("a chip that is unplugged answers no more", async (t) => {
  let plugged = true;
  const chip = new SeesawModel({ touch: () => (plugged ? counts(500) : undefined) }, new SimulatedClock());
  const bus = new BenchBus(new Map([[0x36, chip]]));
  await bus.write(0x36, [0, 1]);
  t.same(await bus.read(0x36, 1), [0x55]);
  plugged = false;
  await t.rejects(bus.read(0x36, 1), { code: "BUS_NACK", message: /0x36 on bench/ });
});

import t from "tap";
import { openLinuxI2c } from "../../../drivers/buses/linux-i2c.js";
import { i2cBusContract } from "../../drivers/i2c-bus-contract.js";
import { clock } from "./gpio-sim.js";
import { stubBus } from "./stub-chip.js";

t.test("the kernel's bus keeps the contract of an I²C bus; i2c-stub makes no plain transfers", async (t) => {
  const bus = await openLinuxI2c(stubBus(), { clock });
  t.teardown(() => bus.close());
  i2cBusContract(t, () => ({ bus, chip: { address: 0x48, register: 3 }, absent: 0x4b, plain: false }));
});

t.test("a bus that is not there is said to be missing", async (t) => {
  await t.rejects(openLinuxI2c(77, { clock }), { code: "BUS_MISSING", message: /\/dev\/i2c-77/ });
});

import type { Test } from "tap";
import type { I2cBus } from "../../drivers/ports.js";

export interface BusUnderTest {
  readonly bus: I2cBus;
  /** A chip with a register that keeps the words written to it. */
  readonly chip: { readonly address: number; readonly register: number };
  /** Where nothing answers. */
  readonly absent: number;
  /** Whether the bus makes plain transfers, and the chip takes a pointer, then bytes, high or low first. */
  readonly plain: boolean;
}

/** What every I²C bus has to promise, whatever it is made of. */
export function i2cBusContract(t: Test, make: () => BusUnderTest | Promise<BusUnderTest>): void {
  t.test("a register keeps the word that was written, whatever its bits", async (t) => {
    const { bus, chip } = await make();
    for (const word of [0x0000, 0x1234, 0xff00, 0x00ff, 0xffff]) {
      await bus.writeWord(chip.address, chip.register, word);
      t.equal(await bus.readWord(chip.address, chip.register), word);
    }
  });

  t.test("transfers that are asked for at once are carried out in the order of asking", async (t) => {
    const { bus, chip } = await make();
    const { address, register } = chip;
    const words = [0x0102, 0x0304, 0x0506];
    const pairs = words.map((word) => [
      bus.writeWord(address, register, word),
      bus.readWord(address, register),
    ]);
    t.same(
      (await Promise.all(pairs.flat())).filter((word) => word !== undefined),
      words,
    );
  });

  t.test(
    "an address without a chip is a BUS_NACK that names address and bus, and harms nothing after it",
    async (t) => {
      const { bus, chip, absent } = await make();
      const expected = { code: "BUS_NACK", message: new RegExp(`0x${absent.toString(16)} on ${bus.name}: `) };
      await t.rejects(bus.readWord(absent, 0), expected);
      await t.rejects(bus.writeWord(absent, 0, 1), expected);
      await bus.writeWord(chip.address, chip.register, 0x5a5a);
      t.equal(await bus.readWord(chip.address, chip.register), 0x5a5a);
    },
  );

  t.test(
    "a plain transfer of no bytes, or of more than 32, is refused before the bus is asked",
    async (t) => {
      const { bus, absent } = await make();
      for (const length of [0, 33, 1.5])
        await t.rejects(bus.read(absent, length), RangeError, `${length} bytes`);
      for (const length of [0, 33])
        await t.rejects(bus.write(absent, new Array(length).fill(0)), RangeError, `${length} bytes`);
    },
  );

  t.test(
    "plain transfers reach the same register as words do, the low byte first; or fail as such",
    async (t) => {
      const { bus, chip, absent, plain } = await make();
      const { address, register } = chip;
      if (!plain) return t.rejects(bus.write(address, [register, 0x34, 0x12]), { code: "BUS_FAILED" });
      await bus.write(address, [register, 0x34, 0x12]);
      t.equal(await bus.readWord(address, register), 0x1234);
      await bus.writeWord(address, register, 0x5678);
      await bus.write(address, [register]);
      t.same(await bus.read(address, 2), [0x78, 0x56]);
      await t.rejects(bus.write(absent, [0]), { code: "BUS_NACK" });
      await t.rejects(bus.read(absent, 1), { code: "BUS_NACK" });
    },
  );
}

import type { Test } from "tap";
import type { OutputPin } from "../../drivers/ports.js";

export interface PinUnderTest {
  readonly pin: OutputPin;
  /** Whether what hangs on the pin has power, as the metal or the bench's world says. */
  readonly isOn: () => boolean | Promise<boolean>;
}

/** What every output that feeds something promises, whatever drives it. `make` opens the same pin each time. */
export function outputPinContract(t: Test, make: (t: Test) => Promise<PinUnderTest>): void {
  t.test("it is off when it is opened, and does as it is told, twice the same too", async (t) => {
    const { pin, isOn } = await make(t);
    t.equal(await isOn(), false);
    for (const on of [true, true, false, false, true]) {
      await pin.set(on);
      t.equal(await isOn(), on);
    }
    await pin.close();
  });

  t.test("closing it switches it off, and it can be opened again", async (t) => {
    const { pin, isOn } = await make(t);
    await pin.set(true);
    await pin.close();
    t.equal(await isOn(), false);
    const again = await make(t);
    t.equal(await again.isOn(), false);
    await again.pin.set(true);
    t.equal(await again.isOn(), true);
    await again.pin.close();
  });
}

import type { Test } from "tap";
import type { InputPin } from "../../drivers/ports.js";

export interface InputUnderTest {
  readonly pin: InputPin;
  /** Presses or lets go of the contact, and waits until that is settled. */
  readonly set: (active: boolean) => Promise<void>;
}

/** What every input promises, whatever is behind it. `active`: how its contact is before it is opened. */
export function inputPinContract(t: Test, make: (t: Test, active: boolean) => Promise<InputUnderTest>): void {
  t.test("it follows its contact, and tells of each change once, after it", async (t) => {
    const { pin, set } = await make(t, false);
    const heard: [told: boolean, is: boolean][] = [];
    pin.watch((active) => heard.push([active, pin.isActive()]));
    t.equal(pin.isActive(), false);
    for (const active of [true, true, false, false, true]) {
      await set(active);
      t.equal(pin.isActive(), active);
    }
    t.same(heard, [
      [true, true],
      [false, false],
      [true, true],
    ]);
    pin.close();
  });

  t.test("found active, it is active at once, without a word", async (t) => {
    const { pin, set } = await make(t, true);
    const heard: boolean[] = [];
    pin.watch((active) => heard.push(active));
    t.equal(pin.isActive(), true);
    await set(false);
    t.equal(pin.isActive(), false);
    t.same(heard, [false]);
    pin.close();
  });

  t.test("who has cancelled hears nothing, the others do", async (t) => {
    const { pin, set } = await make(t, false);
    const heard: string[] = [];
    const cancel = pin.watch(() => heard.push("cancelled"));
    pin.watch(() => heard.push("other"));
    cancel();
    await set(true);
    t.same(heard, ["other"]);
    pin.close();
  });
}

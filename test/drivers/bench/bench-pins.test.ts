import t from "tap";
import { LeadingClock } from "../../../drivers/bench/bench-clock.js";
import { wireProbes } from "../../../drivers/bench/wiring.js";
import { Ads1115 } from "../../../drivers/chips/ads1115.js";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { BoardInputs, type InputWiring } from "../../../drivers/inputs.js";
import { millis, volts } from "../../../drivers/units.js";
import { inputPinContract } from "../input-pin-contract.js";
import { outputPinContract } from "../output-pin-contract.js";

const BUTTON: InputWiring = { kind: "stop", name: "red button", gpio: 5, activeLow: true, plants: ["basil"] };
const LEAK: InputWiring = { ...BUTTON, kind: "leak", name: "tray", gpio: 6 };

t.test("an input of the bench keeps the contract of inputs", async (t) => {
  inputPinContract(t, async (_t, active) => {
    const inputs = new BoardInputs([LEAK, BUTTON]);
    if (active) inputs.set(BUTTON.name, true);
    const pin = {
      isActive: () => inputs.states().some(({ name, active }) => name === BUTTON.name && active),
      watch: (listener: (active: boolean) => void) => inputs.watch(({ active }) => listener(active)),
      close: () => undefined,
    };
    return { pin, set: async (active) => inputs.set(BUTTON.name, active) };
  });
});

t.test(
  "a supply pin of the bench keeps the contract of outputs: the probe has power or it has not",
  async (t) => {
    const clock = new LeadingClock(new SimulatedClock());
    const calibration = { dry: volts(2.75), wet: volts(1.2) };
    const probe = { address: 0x48, channel: 0, calibration, power: { gpio: 22, settle: millis(0) } } as const;
    const pot = { voltage: () => volts(2), output: () => volts(2), faults: {} };
    const { bus, openPowerPin } = wireProbes([{ probe, pot }], clock);
    const adc = new Ads1115(bus, 0x48, clock);
    outputPinContract(t, async () => ({
      pin: await openPowerPin(22),
      isOn: async () => (await adc.readCounts(0)) > 1000,
    }));
  },
);

import type { Gpio } from "onoff";
import t from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { SysfsInput } from "../../../drivers/pins/sysfs-lines.js";
import { millis, seconds } from "../../../drivers/units.js";
import { inputPinContract } from "../input-pin-contract.js";

const TIMES = { trip: millis(10), release: millis(500) };
const NUMBER = 521;

/** Shaped as onoff's Gpio, over a level that the test moves; the genuine one is in test/kernel. */
function scripted(level: 0 | 1, deaf = false) {
  const line = { level, done: [] as string[], told: [] as (() => void)[] };
  class Pin {
    constructor(number: number, direction: string, edge: string, { activeLow }: { activeLow: boolean }) {
      line.done.push(`${number} ${direction} ${edge} ${activeLow}`);
    }
    readSync = () => line.level;
    direction = () => (deaf ? "out" : "in");
    edge = () => "both";
    activeLow = () => false;
    watch = (tell: () => void) => void line.told.push(tell);
    unexport = () => void line.done.push("unexport");
  }
  const set = (level: 0 | 1) => {
    line.level = level;
    for (const tell of line.told) tell();
  };
  return { line, set, Pin: Pin as unknown as typeof Gpio };
}

for (const activeLow of [false, true]) {
  t.test(`keeps the contract of inputs, active ${activeLow ? "low" : "high"}`, async (t) => {
    const levelOf = (active: boolean) => (active === activeLow ? 0 : 1);
    inputPinContract(t, async (_t, active) => {
      const clock = new SimulatedClock();
      const { Pin, set } = scripted(levelOf(active));
      const pin = new SysfsInput(Pin, NUMBER, activeLow, TIMES, clock);
      return {
        pin,
        set: async (active) => {
          set(levelOf(active));
          await clock.advance(seconds(1));
        },
      };
    });
  });
}

t.test("a closed input is given back, and tells of nothing that was under way", async (t) => {
  const clock = new SimulatedClock();
  const { Pin, set, line } = scripted(1);
  const pin = new SysfsInput(Pin, NUMBER, true, TIMES, clock);
  const heard: boolean[] = [];
  pin.watch((active) => heard.push(active));
  set(0);
  pin.close();
  await clock.advance(seconds(1));
  t.same(heard, []);
  t.same(line.done, ["521 in both false", "unexport"]);
});

t.test("a line that onoff could not set up, and kept quiet about, is refused", async (t) => {
  const { Pin } = scripted(1, true);
  t.throws(() => new SysfsInput(Pin, NUMBER, true, TIMES, new SimulatedClock()), {
    message: /line 521 could not be set up as an input/,
  });
});

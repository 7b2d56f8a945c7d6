import t from "tap";
import { pinRefusal, relayRefusal, suitablePins } from "../../../../drivers/pi/inspect/pins.js";

const NONE = new Map<number, string>();

t.test("a relay must be off from power-on: up to 8 pins are pulled up, from 9 on down", async (t) => {
  t.match(relayRefusal(5, "high", NONE), /GPIO 5 is pulled high from power-on.*take 17, 22/);
  t.match(relayRefusal(17, "low", NONE), /GPIO 17 is pulled low from power-on.*take 5, 6/);
  t.equal(relayRefusal(5, "low", NONE), undefined);
  t.equal(relayRefusal(17, "high", NONE), undefined);
});

t.test("pins that are something else are refused with what they are, and pins that are none", async (t) => {
  for (const [gpio, why] of [
    [0, /HAT's memory/],
    [2, /I²C bus/],
    [3, /I²C bus/],
    [14, /goes high while the Pi boots/],
    [28, /no GPIO 28.*BCM/],
    [4.5, /no GPIO 4.5/],
  ] as const)
    t.match(pinRefusal(gpio, NONE), why);
});

t.test("a taken pin is refused with its taker, but not to the relay that it is", async (t) => {
  const taken = new Map([[17, "the LED basil-pump"]]);
  t.match(relayRefusal(17, "high", taken), /GPIO 17 is taken by the LED basil-pump/);
  t.equal(relayRefusal(17, "high", taken, "basil-pump"), undefined);
  t.notOk(suitablePins("high", taken).includes(17));
});

t.test("every pin that is offered is one that would not be refused", async (t) => {
  for (const level of ["high", "low"] as const) {
    const pins = suitablePins(level, NONE);
    t.ok(pins.length > 0);
    for (const pin of pins) t.equal(relayRefusal(pin, level, NONE), undefined, `${pin} ${level}`);
  }
});

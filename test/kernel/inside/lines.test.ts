import { readFileSync, writeFileSync } from "node:fs";
import t from "tap";
import { LedLine, latestEnd, ledNode } from "../../../drivers/pins/led-line.js";
import { globalNumber, loadOnoff, SysfsLine } from "../../../drivers/pins/sysfs-lines.js";
import { millis, plus } from "../../../drivers/units.js";
import { relayLineContract } from "../../drivers/relay-line-contract.js";
import { baseOf, clock, PI_CHIP, SimLine } from "./gpio-sim.js";
import { RELAYS, readLed } from "./led.js";

/** A simulated line may sleep: the LED core moves it from a work queue, a little later. */
const SETTLED = millis(60);
const pulse = millis(400);
/** The kernel's end, and as much again for a machine that is busy. */
const endsBy = (duration: typeof pulse) => plus(latestEnd(duration), 400);

const onoff = await loadOnoff();

async function level(pin: number): Promise<0 | 1> {
  await clock.sleep(SETTLED);
  return new SimLine(pin).level();
}

t.test("a BCM number is found on the Pi's own chip, not on the first, nor as itself", async (t) => {
  t.equal(globalNumber(17), baseOf(PI_CHIP) + 17);
  t.not(globalNumber(17), 17);
  t.throws(() => new onoff(17, "low"), { code: "EINVAL" }, "which is what the BCM number itself gives");
  t.throws(() => globalNumber(28), { code: "PIN_UNKNOWN" });
});

t.test("a LED line keeps the contract of relay lines, its pulses ended by the kernel", async (t) => {
  relayLineContract(t, {
    open: async (activeLow) => {
      const { label, pin } = activeLow ? RELAYS.fernPump : RELAYS.basilPump;
      const line = await LedLine.open(`/sys/class/leds/${label}`, clock);
      return { line, level: () => level(pin), pass: (time) => clock.sleep(time) };
    },
    pulse,
    endsBy,
  });
});

t.test("a sysfs line keeps the contract of relay lines, its pulses ended by nobody", async (t) => {
  relayLineContract(t, {
    open: async (activeLow) => {
      const pin = activeLow ? 6 : 5;
      const line = new SysfsLine(onoff, globalNumber(pin), activeLow);
      return { line, level: () => level(pin), pass: (time) => clock.sleep(time) };
    },
    pulse,
    endsBy,
  });
});

t.test("a line that was left on by a process that died is off as soon as it is opened", async (t) => {
  new SysfsLine(onoff, globalNumber(7), true).switchOn();
  t.equal(await level(7), 0);
  t.equal(new SysfsLine(onoff, globalNumber(7), true).isOn(), false);
  t.equal(await level(7), 1);
  writeFileSync("/sys/class/leds/basil-light/brightness", "1");
  t.equal(await level(RELAYS.basilLight.pin), 1);
  await LedLine.open("/sys/class/leds/basil-light", clock);
  t.equal(await level(RELAYS.basilLight.pin), 0);
});

t.test("a line that somebody has made an input is an output again when it is opened", async (t) => {
  const number = globalNumber(8);
  new onoff(number, "in");
  const line = new SysfsLine(onoff, number, false);
  line.switchOn();
  t.equal(await level(8), 1);
  line.close();
});

t.test("the device tree tells each LED's pin and polarity", async (t) => {
  for (const { label, pin, activeLow } of Object.values(RELAYS))
    t.same(ledNode(`/sys/class/leds/${label}`), { gpio: pin, activeLow });
});

t.test("brightness 0 from anywhere ends a pulse, and the next one has the kernel's end again", async (t) => {
  const line = await LedLine.open("/sys/class/leds/basil-pump", clock);
  line.switchOn(pulse);
  writeFileSync("/sys/class/leds/basil-pump/brightness", "0");
  t.equal(line.isOn(), false);
  line.switchOn(pulse);
  t.equal(line.isOn(), true);
  t.equal(Number(readLed("basil-pump", "duration")), pulse + 250);
  await clock.sleep(endsBy(pulse));
  t.equal(await level(RELAYS.basilPump.pin), 0);
  line.close();
  t.match(readFileSync("/sys/class/leds/basil-pump/trigger", "utf8"), /\[transient\]/);
});

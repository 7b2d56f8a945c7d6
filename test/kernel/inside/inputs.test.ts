import { Gpio } from "onoff";
import t from "tap";
import { globalNumber, SysfsInput, SysfsOutput } from "../../../drivers/pins/sysfs-lines.js";
import { type Millis, millis } from "../../../drivers/units.js";
import { inputPinContract } from "../../drivers/input-pin-contract.js";
import { outputPinContract } from "../../drivers/output-pin-contract.js";
import { clock, SimLine } from "./gpio-sim.js";

/** Buttons, sensors and a probe's supply on plain lines; on one processor with ticks of 10 ms, so nothing is short. */
const TIMES = { trip: millis(50), release: millis(300) };
/** A timer and a busy machine. A choice. */
const SLACK = millis(100);
const SETTLED: Millis = millis(TIMES.release + SLACK);

const pressed = (line: SimLine, active: boolean, activeLow: boolean) =>
  line.pull(active === activeLow ? 0 : 1);

for (const [activeLow, gpio] of [
  [false, 5],
  [true, 6],
] as const) {
  t.test(
    `an input by sysfs keeps the contract of inputs, active ${activeLow ? "low" : "high"}`,
    async (t) => {
      inputPinContract(t, async (_t, active) => {
        const line = new SimLine(gpio);
        pressed(line, active, activeLow);
        const pin = new SysfsInput(Gpio, globalNumber(gpio), activeLow, TIMES, clock);
        const set = async (active: boolean) => {
          pressed(line, active, activeLow);
          await clock.sleep(SETTLED);
        };
        return { pin, set };
      });
    },
  );
}

/** A button on GPIO 7, open, with what it tells and when. */
function button() {
  const line = new SimLine(7);
  line.pull(1);
  const pin = new SysfsInput(Gpio, globalNumber(7), true, TIMES, clock);
  const heard: { readonly active: boolean; readonly at: Millis }[] = [];
  pin.watch((active) => heard.push({ active, at: clock.monotonic() }));
  return { line, pin, heard };
}

t.test("a press counts after the trip time, a release after the release time", async (t) => {
  const { line, pin, heard } = button();
  const closed = clock.monotonic();
  line.pull(0);
  await clock.sleep(SETTLED);
  const opened = clock.monotonic();
  line.pull(1);
  await clock.sleep(SETTLED);
  pin.close();
  t.match(heard, [{ active: true }, { active: false }]);
  const [trip = Number.NaN, release = Number.NaN] = heard.map(
    ({ at }, each) => at - (each === 0 ? closed : opened),
  );
  t.ok(trip >= TIMES.trip - 1 && trip < TIMES.trip + SLACK, `${trip} ms`);
  t.ok(release >= TIMES.release - 1 && release < TIMES.release + SLACK, `${release} ms`);
});

t.test("a contact that bounces at both ends is pressed once and let go of once", async (t) => {
  const { line, pin, heard } = button();
  for (const level of [0, 1, 0, 1, 0] as const) line.pull(level);
  await clock.sleep(SETTLED);
  for (const level of [1, 0, 1, 0, 1] as const) line.pull(level);
  await clock.sleep(SETTLED);
  pin.close();
  t.match(heard, [{ active: true }, { active: false }]);
  t.equal(heard.length, 2);
});

t.test(
  "a spike is no press, a contact that chatters on is one, and is none only when it is quiet",
  async (t) => {
    const { line, pin, heard } = button();
    line.pull(0);
    line.pull(1);
    await clock.sleep(SETTLED);
    t.same(heard, []);
    const ends = clock.monotonic() + 25 * TIMES.trip;
    for (let level: 0 | 1 = 0; clock.monotonic() < ends; level = level === 0 ? 1 : 0) {
      line.pull(level);
      await clock.sleep(millis(20));
    }
    t.match(heard, [{ active: true }]);
    t.equal(heard.length, 1);
    line.pull(1);
    await clock.sleep(SETTLED);
    t.equal(pin.isActive(), false);
    pin.close();
  },
);

t.test(
  "an input that a killed process left exported is one again, also where it was an output",
  async (t) => {
    const line = new SimLine(8);
    new Gpio(globalNumber(8), "high", "none", { activeLow: true });
    const pin = new SysfsInput(Gpio, globalNumber(8), true, TIMES, clock);
    t.equal(pin.isActive(), false);
    line.pull(0); // not before: a simulated line keeps its level when it becomes an input
    await clock.sleep(SETTLED);
    t.equal(pin.isActive(), true);
    pin.close();
  },
);

t.test("a probe's supply by sysfs keeps the contract of outputs", async (t) => {
  const line = new SimLine(12);
  outputPinContract(t, async () => ({
    pin: await SysfsOutput.open(globalNumber(12), "GPIO 12", clock),
    isOn: () => line.level() === 1,
  }));
});

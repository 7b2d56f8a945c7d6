import { existsSync, readFileSync } from "node:fs";
import { Gpio } from "onoff";
import t from "tap";
import { millis, seconds } from "../../../drivers/units.js";
import { startChild } from "./child.js";
import { baseOf, clock, OTHER_CHIP, PI_CHIP, SimLine } from "./gpio-sim.js";

/** What the drivers take for granted of onoff 6.0.3 and of GPIO in sysfs. */

/** Lines that no relay of bench.dts holds. */
const FREE = { output: 5, input: 6, relay: 13 };
const base = baseOf(PI_CHIP);

t.test("the Pi's chip is found by its label, and its first line is not that of the first chip", async (t) => {
  t.equal(base, 520);
  t.equal(baseOf(OTHER_CHIP), 512);
});

t.test("a number of no chip is EINVAL, as a Pi's old pin numbers are", async (t) => {
  t.throws(() => new Gpio(FREE.output, "in"), { code: "EINVAL" });
  t.throws(() => new Gpio(base + 28, "in"), { code: "EINVAL" });
});

t.test("another chip's number is taken without a word: the Pi's pin does not move", async (t) => {
  const wrong = new Gpio(baseOf(OTHER_CHIP) + FREE.output, "high");
  t.teardown(() => wrong.unexport());
  t.equal(wrong.readSync(), 1);
  t.equal(new SimLine(FREE.output).level(), 0);
});

t.test("a line that the kernel drives as a relay is EBUSY", async (t) => {
  t.throws(() => new Gpio(base + 17, "out"), { code: "EBUSY" });
});

t.test("directions high and low are levels of the metal; high comes without a low before it", async (t) => {
  const line = new SimLine(FREE.output);
  for (const activeLow of [false, true]) {
    const high = new Gpio(base + FREE.output, "high", "none", { activeLow });
    t.equal(line.level(), 1, `high, active low: ${activeLow}`);
    t.equal(high.readSync(), activeLow ? 0 : 1);
    high.setDirection("low");
    t.equal(line.level(), 0, `low, active low: ${activeLow}`);
    high.unexport();
  }
});

t.test("with activeLow, writing 1 drives the metal low", async (t) => {
  const line = new SimLine(FREE.output);
  const gpio = new Gpio(base + FREE.output, "high", "none", { activeLow: true });
  t.teardown(() => gpio.unexport());
  gpio.writeSync(1);
  t.equal(line.level(), 0);
  gpio.writeSync(0);
  t.equal(line.level(), 1);
});

t.test("a line stays on, and exported, after SIGKILL of the process that switched it on", async (t) => {
  const line = new SimLine(FREE.relay);
  const child = await startChild(`
    import { Gpio } from "onoff";
    new Gpio(${base + FREE.relay}, "high");
    console.log("on");
    setInterval(() => {}, 1000);
  `);
  t.equal(line.level(), 1);
  await child.killNow();
  await clock.sleep(millis(300));
  t.equal(line.level(), 1);
  t.ok(existsSync(`/sys/class/gpio/gpio${base + FREE.relay}`));
  const found = new Gpio(base + FREE.relay, "out");
  t.teardown(() => found.unexport());
  t.equal(line.level(), 0, "opened again with `out`, it is low");
});

t.test("direction `low` and reading back leave no doubt that a line is off", async (t) => {
  const gpio = new Gpio(base + FREE.output, "low");
  t.teardown(() => gpio.unexport());
  t.equal(gpio.readSync(), 0);
  t.equal(readFileSync(`/sys/class/gpio/gpio${base + FREE.output}/direction`, "utf8"), "out\n");
});

t.test("an input that is watched tells every edge, in order", async (t) => {
  const line = new SimLine(FREE.input);
  line.pull(0);
  const gpio = new Gpio(base + FREE.input, "in", "both");
  t.teardown(() => gpio.unexport());
  const seen: number[] = [];
  gpio.watch((_error, value) => void seen.push(value));
  const levels = [1, 0, 1, 0, 1] as const;
  for (const level of levels) {
    line.pull(level);
    await clock.sleep(millis(40));
  }
  t.same(seen, levels);
});

t.test("an edge is told within a second of nothing else to do", async (t) => {
  const line = new SimLine(FREE.input);
  line.pull(1);
  const gpio = new Gpio(base + FREE.input, "in", "falling");
  t.teardown(() => gpio.unexport());
  const told = new Promise<number>((resolve) => gpio.watch((_error, value) => resolve(value)));
  line.pull(0);
  t.equal(await Promise.race([told, clock.sleep(seconds(1)).then(() => "nothing")]), 0);
});

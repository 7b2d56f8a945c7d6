import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import t, { type Test } from "tap";
import type { OutputWiring } from "../../../drivers/board.js";
import { GuardLink } from "../../../drivers/guard/guard-link.js";
import { GuardedOutput } from "../../../drivers/guard/guarded-output.js";
import { offList } from "../../../drivers/guard/off-list.js";
import type { LinePlan } from "../../../drivers/guard/protocol.js";
import { latestEndBy } from "../../../drivers/pi/outputs.js";
import { latestEnd } from "../../../drivers/pins/led-line.js";
import { globalNumber } from "../../../drivers/pins/sysfs-lines.js";
import { type Millis, millis, plus, seconds } from "../../../drivers/units.js";
import { HolderProcess } from "../../drivers/guard/holder-process.js";
import { pulsedOutputContract } from "../../drivers/pulsed-output-contract.js";
import { clock, SimLine } from "./gpio-sim.js";

/** The kernel inside has one processor, on a machine that may be busy. */
const SLACK = millis(300);
const LED: OutputWiring = {
  gpio: 17,
  activeLow: false,
  via: "auto",
  led: "basil-pump",
  acceptSoftwareCutoff: false,
};
/** An active-low relay on a plain pin. */
const PLAIN: OutputWiring = {
  gpio: 5,
  activeLow: true,
  via: "sysfs",
  led: "none",
  acceptSoftwareCutoff: true,
};
const WAYS = [
  { name: "LED", output: LED, on: 1, off: 0 },
  { name: "sysfs", output: PLAIN, on: 0, off: 1 },
] as const;

const lineOf = (output: OutputWiring): LinePlan =>
  output.via === "sysfs"
    ? { via: "sysfs", number: globalNumber(output.gpio), activeLow: output.activeLow }
    : { via: "led", path: `/sys/class/leds/${output.led}` };

/** Starts a runtime that pulses, and waits until the pin is on. */
async function pulsing(t: Test, way: (typeof WAYS)[number], pulse: Millis) {
  const pin = new SimLine(way.output.gpio);
  const holder = await HolderProcess.start(t, { output: way.output, pulses: [pulse] });
  await holder.next();
  await pin.until(way.on, SLACK);
  return { pin, holder, since: clock.monotonic() };
}

for (const way of WAYS) {
  t.test(`${way.name}: keeps the contract of a pulsed output, as a process of its own`, async (t) => {
    pulsedOutputContract(t, async (t) => {
      const ceiling = millis(2400);
      const plan = { outputs: [{ name: "basil-pump", ceiling, line: lineOf(way.output) }], inputs: [] };
      const link = new GuardLink(plan, clock);
      const output = new GuardedOutput("basil-pump", ceiling, link, clock, latestEndBy(lineOf(way.output)));
      await link.start();
      t.teardown(() => link.stop());
      return { output, pass: (time) => clock.sleep(time), beat: millis(400), slack: SLACK };
    });
  });

  t.test(`${way.name}: a runtime that is killed has its pump off within 150 ms`, async (t) => {
    const { pin, holder, since } = await pulsing(t, way, seconds(20));
    holder.child.kill("SIGKILL");
    const took = (await pin.until(way.off, seconds(2))) - since;
    t.ok(took < 150, `${Math.round(took)} ms`);
  });

  t.test(`${way.name}: a guard that is killed has its pump off by its parent's hand`, async (t) => {
    const { pin, holder, since } = await pulsing(t, way, seconds(20));
    process.kill(holder.guard, "SIGKILL");
    const took = (await pin.until(way.off, seconds(2))) - since;
    t.ok(took < 150, `${Math.round(took)} ms`);
    const told = [await holder.next(), await holder.next()];
    t.match(told, [{ trouble: "GUARD_LOST" }, { report: { outcome: "unknown" } }]);
    t.ok((told[0]?.at ?? Number.NaN) - since < 100 + SLACK, "and the runtime knows");
  });
}

t.test("LED: with guard and runtime killed, the kernel ends the pulse within its bound", async (t) => {
  const pulse = seconds(2);
  const { pin, holder, since } = await pulsing(t, WAYS[0], pulse);
  await holder.killBoth();
  const lasted = (await pin.until(0, seconds(10))) - since;
  t.ok(lasted >= pulse - SLACK, `not before its time: ${Math.round(lasted)} ms`);
  t.ok(lasted <= plus(latestEnd(pulse), SLACK), `${Math.round(lasted)} ms of ${latestEnd(pulse)} at most`);
});

t.test(
  "LED: the longest pulse that is accepted cannot outlast 30 s, whoever is dead",
  { timeout: 60_000 },
  async (t) => {
    const { pin, holder, since } = await pulsing(t, WAYS[0], seconds(26));
    await holder.killBoth();
    const lasted = (await pin.until(0, seconds(31))) - since;
    t.ok(lasted >= 25_900 && lasted < 30_000, `${Math.round(lasted)} ms`);
  },
);

t.test("sysfs: with guard and runtime killed, the line stays on until the stop step", async (t) => {
  const { pin, holder } = await pulsing(t, WAYS[1], seconds(1));
  await holder.killBoth();
  await clock.sleep(seconds(3));
  t.equal(pin.level(), WAYS[1].on, "which is why it needs i_accept_software_cutoff");
  writeFileSync("/tmp/relays.off", offList(holder.plan));
  execFileSync("systemd/relays-off", ["/tmp/relays.off"]);
  t.equal(pin.level(), WAYS[1].off);
});

t.test(
  "a plain pin without the owner's word is refused, and so is an overlay that says something else",
  async (t) => {
    const start = (output: OutputWiring) => HolderProcess.start(t, { output, pulses: [] });
    await t.rejects(start({ ...PLAIN, acceptSoftwareCutoff: false }), /OUTPUT_UNSAFE/);
    await t.rejects(start({ ...LED, activeLow: true }), /OUTPUT_MISMATCH/);
    await t.rejects(start({ ...LED, gpio: 18 }), /OUTPUT_MISMATCH/);
  },
);

t.test("a stop button works although the runtime hangs", async (t) => {
  const button = { kind: "stop", name: "red button", gpio: 9, activeLow: true, plants: ["basil"] } as const;
  const switched = new SimLine(9);
  switched.pull(1);
  const pin = new SimLine(17);
  const holder = await HolderProcess.start(t, {
    output: LED,
    inputs: [button],
    pulses: [seconds(20), seconds(1)],
  });
  await holder.next();
  await pin.until(1, SLACK);
  holder.child.kill("SIGSTOP");
  const pressed = clock.monotonic();
  switched.pull(0);
  const took = (await pin.until(0, seconds(1))) - pressed;
  t.ok(took < 150, `${Math.round(took)} ms after it was pressed`);
  holder.child.kill("SIGCONT");
  t.match(
    [await holder.next(), await holder.next(), await holder.next()],
    [
      { input: { name: "red button", kind: "stop", active: true } },
      { report: { outcome: "ended" } },
      { refused: "PULSE_INHIBITED" },
    ],
  );
  t.equal(pin.level(), 0, "what is asked for meanwhile switches nothing");
});

t.test("a button that bounces is pressed once", async (t) => {
  const button = { kind: "stop", name: "red button", gpio: 10, activeLow: true, plants: ["basil"] } as const;
  const switched = new SimLine(10);
  switched.pull(1);
  const holder = await HolderProcess.start(t, { output: LED, inputs: [button], pulses: [seconds(20)] });
  await holder.next();
  for (const level of [0, 1, 0, 1, 0] as const) switched.pull(level);
  t.match([await holder.next(), await holder.next()], [{ input: { active: true } }, { report: {} }]);
  t.match(await holder.next(), { closed: true });
});

t.test("twenty pulses end when they should", async (t) => {
  const pulses = Array.from({ length: 20 }, () => millis(200));
  for (const { name, output } of WAYS) {
    const holder = await HolderProcess.start(t, { output, pulses });
    const late: number[] = [];
    for (const pulse of pulses) {
      await holder.next();
      late.push(((await holder.next()).report?.onFor ?? Number.NaN) - pulse);
    }
    const [least, worst] = [Math.min(...late), Math.max(...late)].map((each) => each.toFixed(1));
    t.comment(`${name}: ${least} to ${worst} ms late`);
    t.ok(Math.min(...late) >= 0 && Math.max(...late) < SLACK, `${name}: ${worst} ms late at worst`);
  }
});

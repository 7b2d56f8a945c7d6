import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { SimulatedClock } from "../../../drivers/clock/simulated-clock.js";
import { LedLine } from "../../../drivers/pins/led-line.js";
import { seconds } from "../../../drivers/units.js";

/** Files of a LED with its trigger. Nothing links them: test/kernel has those that a kernel moves. */
const FILES = { brightness: "1", trigger: "---------", activate: "0", state: "", duration: "" };

/** An opened LED, and its files. */
async function opened(t: Test) {
  const path = t.testdir(FILES);
  const line = await LedLine.open(path, new SimulatedClock());
  return { path, line, ...filesOf(path) };
}

function filesOf(path: string) {
  const read = (file: string) => readFileSync(join(path, file), "latin1");
  /** A file of the trigger's that refuses to be written. */
  const block = (file: string) => {
    rmSync(join(path, file));
    mkdirSync(join(path, file));
  };
  return { read, block };
}

t.test("opening switches off first, then chooses the trigger", async (t) => {
  const { line, read } = await opened(t);
  t.equal(read("brightness"), "0");
  t.equal(read("trigger"), "transient");
  t.equal(line.isOn(), false);
  const path = t.testdir({ ...FILES, trigger: {} });
  await t.rejects(LedLine.open(path, new SimulatedClock()), { code: "EISDIR" });
  t.equal(filesOf(path).read("brightness"), "0", "off, although there is no trigger");
});

t.test("a pulse arms the kernel's timer a little beyond the guard's end, then switches on", async (t) => {
  const { line, read } = await opened(t);
  line.switchOn(seconds(26));
  t.same(["state", "duration", "activate"].map(read), ["1", "26250", "1"]);
});

t.test("where the timer cannot be armed nothing goes on", async (t) => {
  for (const file of ["state", "duration"]) {
    const { line, read, block } = await opened(t);
    block(file);
    t.throws(() => line.switchOn(seconds(1)), { code: "EISDIR" }, file);
    t.equal(read("activate"), "0", file);
  }
});

t.test("a trigger that somebody took away is chosen anew; without its files nothing goes on", async (t) => {
  const { path, line, read } = await opened(t);
  for (const file of ["state", "duration", "activate"]) rmSync(join(path, file));
  writeFileSync(join(path, "trigger"), "---------");
  t.throws(() => line.switchOn(seconds(1)), { code: "ENOENT" });
  t.same(["trigger", "brightness"].map(read), ["transient", "0"]);
});

t.test("off keeps the trigger, and brightness is left alone where that was enough", async (t) => {
  const { path, line, read } = await opened(t);
  line.switchOn(seconds(1));
  // is read as off, and would be "00" if anybody wrote
  writeFileSync(join(path, "brightness"), " 0");
  line.switchOff();
  t.same(["activate", "trigger", "brightness"].map(read), ["0", "transient", " 0"]);
});

t.test("off that the trigger does not take is written to brightness, which is always obeyed", async (t) => {
  const { path, line, read, block } = await opened(t);
  writeFileSync(join(path, "brightness"), "1");
  block("activate");
  line.switchOff();
  t.equal(read("brightness"), "0");
});

t.test(
  "an overlay that is removed is a relay that is off: nothing to switch, nothing that can be",
  async (t) => {
    const { path, line } = await opened(t);
    rmSync(path, { recursive: true });
    t.equal(line.isOn(), false);
    line.switchOff();
    line.close();
    t.throws(() => line.switchOn(seconds(1)), { code: "ENOENT" });
  },
);

t.test("the trigger's files may come late, as udev hands them over", async (t) => {
  const path = t.testdir({ brightness: "0", trigger: "---------" });
  const clock = new SimulatedClock();
  const opening = LedLine.open(path, clock);
  await clock.stand();
  await clock.advance(seconds(2));
  writeFileSync(join(path, "activate"), "0");
  await clock.advance(seconds(1));
  t.equal((await opening).isOn(), false);
});

/** Lets `opening` wait for as long as it wants to. */
async function outOfPatience(opening: Promise<unknown>, clock: SimulatedClock): Promise<void> {
  opening.catch(() => undefined);
  await clock.stand();
  await clock.advance(seconds(6));
  await opening;
}

t.test("files that never come are said to be missing, after five seconds", async (t) => {
  const path = t.testdir({ brightness: "0", trigger: "---------" });
  const clock = new SimulatedClock();
  await t.rejects(outOfPatience(LedLine.open(path, clock), clock), { code: "ENOENT", message: /activate/ });
});

const root = process.getuid?.() === 0 && "root may write to everything";
t.test("files that udev never hands over are forbidden ones", { skip: root }, async (t) => {
  const path = t.testdir(FILES);
  chmodSync(join(path, "activate"), 0o444);
  const clock = new SimulatedClock();
  await t.rejects(outOfPatience(LedLine.open(path, clock), clock), { code: "EACCES", message: /activate/ });
});

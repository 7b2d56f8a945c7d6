import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { offList, offWrites, readOffList, switchOffDirectly } from "../../../drivers/guard/off-list.js";
import type { GuardPlan, LinePlan } from "../../../drivers/guard/plan.js";
import { seconds } from "../../../drivers/units.js";

const SCRIPT = "systemd/relays-off";

const planOf = (...lines: LinePlan[]): GuardPlan => ({
  outputs: lines.map((line, at) => ({ name: `pump ${at}`, ceiling: seconds(26), line })),
  inputs: [],
});

/** LED folders whose brightness is on. */
function leds(folder: string, ...names: string[]): LinePlan[] {
  return names.map((name) => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "brightness"), "1");
    return { via: "led", path: join(folder, name) };
  });
}

const brightness = (folder: string, name: string) => readFileSync(join(folder, name, "brightness"), "utf8");

t.test("the list says how each relay is switched off, active-low ones by a high level", async (t) => {
  const list = offList(
    planOf(
      { via: "led", path: "/sys/class/leds/basil-pump" },
      { via: "sysfs", number: 529, activeLow: false },
      { via: "sysfs", number: 530, activeLow: true },
      { via: "pigpio", gpio: 4, activeLow: false },
    ),
  );
  t.equal(
    list,
    [
      "0 /sys/class/leds/basil-pump/brightness",
      "low /sys/class/gpio/gpio529/direction",
      "high /sys/class/gpio/gpio530/direction",
      "",
    ].join("\n"),
  );
});

t.test("the stop step switches off whatever the list names, without Node", async (t) => {
  const folder = t.testdir();
  const plan = planOf(...leds(folder, "one", "two"), { via: "led", path: join(folder, "not there") });
  writeFileSync(join(folder, "relays.off"), offList(plan));
  execFileSync(SCRIPT, [join(folder, "relays.off")]);
  t.same([brightness(folder, "one"), brightness(folder, "two")], ["0", "0"]);
  t.notOk(existsSync(join(folder, "not there")));
});

t.test("the stop step goes on after what it cannot write, and says that it could not", async (t) => {
  const folder = t.testdir();
  const [good] = leds(folder, "good");
  mkdirSync(join(folder, "bad", "brightness"), { recursive: true });
  writeFileSync(
    join(folder, "relays.off"),
    offList(planOf({ via: "led", path: join(folder, "bad") }, ...(good ? [good] : []))),
  );
  t.throws(() => execFileSync(SCRIPT, [join(folder, "relays.off")], { stdio: "ignore" }));
  t.equal(brightness(folder, "good"), "0");
});

t.test("without a list there is nothing to switch off", async (t) => {
  t.doesNotThrow(() => execFileSync(SCRIPT, [join(t.testdir(), "relays.off")]));
});

t.test("whoever lost the guard switches off by hand, and tells what cannot be", async (t) => {
  const folder = t.testdir();
  const lines = leds(folder, "one");
  mkdirSync(join(folder, "bad", "brightness"), { recursive: true });
  const failures = switchOffDirectly(offWrites(planOf({ via: "led", path: join(folder, "bad") }, ...lines)));
  t.match(failures, [/EISDIR/]);
  t.equal(brightness(folder, "one"), "0");
});

t.test("what is written is what is read, also with spaces in a path", async (t) => {
  const plan = planOf(
    { via: "led", path: "/sys/class/leds/a b" },
    { via: "sysfs", number: 530, activeLow: true },
  );
  t.same(readOffList(offList(plan)), offWrites(plan));
  t.same(readOffList(""), []);
});

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { offList, offWrites, readOffList, switchOffDirectly } from "../../../drivers/guard/off-list.js";
import type { GuardPlan, LinePlan } from "../../../drivers/guard/protocol.js";
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

/** How the stop step ends with such a list, beside a relay that is on. */
function stopStep(t: Test, listOf: (relay: string) => string) {
  const folder = t.testdir();
  leds(folder, "one");
  const list = join(folder, "relays.off");
  writeFileSync(list, listOf(join(folder, "one", "brightness")));
  const { status, stdout, stderr } = spawnSync(SCRIPT, [list], { encoding: "utf8" });
  return {
    status,
    stdout,
    stderr,
    brightness: brightness(folder, "one"),
    relay: join(folder, "one", "brightness"),
  };
}

t.test("the stop step says what it has switched off, a line each", async (t) => {
  const { status, stdout, stderr, relay } = stopStep(t, (relay) => `0 ${relay}\nlow /not/there\n`);
  t.same({ status, stdout, stderr }, { status: 0, stdout: `0 > ${relay}\n`, stderr: "" });
});

t.test("a last line without its end, or ends of lines from elsewhere, still switch off", async (t) => {
  t.match(
    stopStep(t, (relay) => `0 ${relay}`),
    { status: 0, brightness: "0" },
  );
  t.match(
    stopStep(t, (relay) => `\r\n0 ${relay}\r\n`),
    { status: 0, brightness: "0" },
  );
});

for (const line of ["/sys/class/leds/basil-pump/brightness", "0", "1 /sys/class/leds/x/brightness", "0 here"])
  t.test(`a line that is none ("${line}") is an error, and the others count`, async (t) => {
    const { status, stderr, brightness } = stopStep(t, (relay) => `${line}\n0 ${relay}\n`);
    t.same({ status, brightness }, { status: 1, brightness: "0" });
    t.match(stderr, line);
  });

t.test("zeros in the list are an error, and the other lines count", async (t) => {
  const { status, stderr, brightness } = stopStep(t, (relay) => `0 ${relay}\n${"\0".repeat(40)}`);
  t.same({ status, brightness }, { status: 1, brightness: "0" });
  t.match(stderr, /is damaged: relays may be missing/);
});

t.test("a list that is not there, or is a folder, is an error: nothing was switched off", async (t) => {
  const folder = t.testdir({ a: {} });
  for (const list of [join(folder, "relays.off"), join(folder, "a")])
    t.match(spawnSync(SCRIPT, [list], { encoding: "utf8" }), {
      status: 1,
      stderr: /no file that can be read/,
    });
});

t.test("nobody has to listen: the stop step ends its work where its words go nowhere", async (t) => {
  const folder = t.testdir();
  const list = join(folder, "relays.off");
  writeFileSync(list, offList(planOf(...leds(folder, "one", "two"))));
  spawnSync("sh", ["-c", `{ sleep 0.1; "$0" "$1"; } | true`, SCRIPT, list]);
  t.same([brightness(folder, "one"), brightness(folder, "two")], ["0", "0"]);
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

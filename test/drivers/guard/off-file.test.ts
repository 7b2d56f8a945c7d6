import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { OFF_FILE, replaceOffList, switchOffAsLastTime } from "../../../drivers/guard/off-list.js";
import type { GuardPlan, InputPlan } from "../../../drivers/guard/protocol.js";
import { seconds } from "../../../drivers/units.js";

const planOf = (folders: readonly string[], inputs: readonly InputPlan[] = []): GuardPlan => ({
  outputs: folders.map((path, at) => ({
    name: `pump ${at}`,
    ceiling: seconds(26),
    line: { via: "led", path },
  })),
  inputs,
});

/** A state folder, and relays that are on; writing to one whose name begins with "bad" fails. */
function rig(t: Test, ...names: string[]) {
  const folder = t.testdir();
  const path = (name: string) => join(folder, name);
  for (const name of names)
    mkdirSync(join(path(name), ...(name.startsWith("bad") ? ["brightness"] : [])), { recursive: true });
  for (const name of names.filter((each) => !each.startsWith("bad")))
    writeFileSync(join(path(name), "brightness"), "1");
  const brightness = (name: string) => readFileSync(join(path(name), "brightness"), "utf8");
  const list = () => readFileSync(path(OFF_FILE), "utf8").trim().split("\n");
  return { folder, path, brightness, list };
}

t.test("what the last list names goes off, and whoever asks is told what does not", async (t) => {
  const { folder, path, brightness } = rig(t, "one", "bad");
  await replaceOffList(folder, planOf([path("bad"), path("one")]));
  t.match(await switchOffAsLastTime(folder), [/EISDIR/]);
  t.equal(brightness("one"), "0");
});

t.test("without a list there is nothing to switch off", async (t) => {
  t.same(await switchOffAsLastTime(t.testdir({})), []);
});

t.test("a list that the disk has spoiled is told of, and what can be read of it goes off", async (t) => {
  const { folder, path, brightness } = rig(t, "good");
  writeFileSync(path(OFF_FILE), `0 ${path("good")}/brightness\n\0\0\0\0`);
  t.match(await switchOffAsLastTime(folder), [/relays.off is damaged/]);
  t.equal(brightness("good"), "0");
});

t.test("a relay that the wiring names no longer goes off, and leaves the list when it is off", async (t) => {
  const { folder, path, brightness, list } = rig(t, "old", "new");
  await replaceOffList(folder, planOf([path("old")]));
  await replaceOffList(folder, planOf([path("new")]));
  t.equal(brightness("old"), "0");
  t.same(list(), [`0 ${path("new")}/brightness`]);
  const mode = statSync(path(OFF_FILE)).mode & 0o777;
  t.equal(mode, 0o666 & ~process.umask(), "the stop step may run as another user");
});

t.test("one that would not go off stays in the list until it does, once", async (t) => {
  const { folder, path, list } = rig(t, "bad", "new");
  await replaceOffList(folder, planOf([path("bad")]));
  for (const _ of [1, 2]) await replaceOffList(folder, planOf([path("new")]));
  t.same(list(), [`0 ${path("new")}/brightness`, `0 ${path("bad")}/brightness`]);
});

t.test("a pin that is an input by now is not driven as the relay it was", async (t) => {
  const folder = t.testdir({ [OFF_FILE]: "low /sys/class/gpio/gpio529/direction\n" });
  const input = { name: "stop", kind: "stop", number: 529, activeLow: true, inhibits: [] } as const;
  await replaceOffList(folder, planOf([], [input]));
  t.equal(readFileSync(join(folder, OFF_FILE), "utf8"), "");
});

t.test("a list that cannot be written leaves the old one whole, and nothing beside it", async (t) => {
  const { folder, path, list } = rig(t, "one", "new");
  await replaceOffList(folder, planOf([path("one")]));
  mkdirSync(join(folder, `${OFF_FILE}.tmp`));
  await t.rejects(replaceOffList(folder, planOf([path("new")])), {
    code: "OFF_LIST_FAILED",
    message: /relays\.off/,
  });
  t.same(list(), [`0 ${path("one")}/brightness`]);
});

t.test("a list that is none is refused by name", async (t) => {
  const folder = t.testdir({ [OFF_FILE]: {} });
  const expected = { code: "OFF_LIST_FAILED", message: /relays\.off could not be read \(.*is no plain file/ };
  await t.rejects(switchOffAsLastTime(folder), expected);
  await t.rejects(replaceOffList(folder, planOf([])), expected);
});

t.test("a list is replaced whole: nothing is left beside it", async (t) => {
  const folder = t.testdir({});
  await replaceOffList(folder, planOf(["/sys/class/leds/basil-pump"]));
  t.same(readdirSync(folder), [OFF_FILE]);
});

import { once } from "node:events";
import { createInterface } from "node:readline";
import t, { type Test } from "tap";
import { claimLines } from "../../../drivers/guard/open-lines.js";
import type { LinePlan } from "../../../drivers/guard/protocol.js";
import { seconds } from "../../../drivers/units.js";
import { spawnNode } from "../../spawn-node.js";

const planOf = (...lines: readonly LinePlan[]) => ({
  outputs: lines.map((line, at) => ({ name: `pump ${at}`, ceiling: seconds(26), line })),
  inputs: [],
});
/** Names that no other test, and no other run of this one, has at the same time: the kernel keeps them for all. */
const led = (name: string): LinePlan => ({ via: "led", path: `/sys/class/leds/${name}-${process.pid}` });
const sysfs = (number: number): LinePlan => ({
  via: "sysfs",
  number: process.pid * 1000 + number,
  activeLow: false,
});

/** A process that claims a line, until it is killed. */
async function claimant(t: Test, line: LinePlan) {
  const module = new URL("../../../drivers/guard/open-lines.js", import.meta.url);
  const child = spawnNode([
    "--input-type=module",
    "--eval",
    `const { claimLines } = await import(${JSON.stringify(module.href)});
     await claimLines(${JSON.stringify(planOf(line))});
     console.log("claimed");
     setInterval(() => {}, 1000);`,
  ]);
  t.teardown(() => child.kill("SIGKILL"));
  await once(createInterface({ input: child.stdout }), "line");
  return child;
}

t.test("a relay is claimed once, and the refusal names it", async (t) => {
  await claimLines(planOf(led("a"), sysfs(17)));
  await t.rejects(claimLines(planOf(led("b"), led("a"))), {
    code: "GUARD_BUSY",
    message: /drives the pump 1/,
  });
  await t.rejects(claimLines(planOf(sysfs(17))), { code: "GUARD_BUSY" });
});

t.test("different relays do not stand in each other's way, however they are reached", async () => {
  await claimLines(
    planOf(led("c"), led("d"), sysfs(18), sysfs(19), { via: "pigpio", gpio: process.pid, activeLow: true }),
  );
  await claimLines(planOf(led("e"), sysfs(20)));
});

t.test("the polarity makes it no other relay", async (t) => {
  await claimLines(planOf(sysfs(21)));
  await t.rejects(claimLines(planOf({ ...sysfs(21), activeLow: true } as LinePlan)), { code: "GUARD_BUSY" });
});

t.test("a claim of another process is over with that process, also by SIGKILL", async (t) => {
  const line = led("f");
  const child = await claimant(t, line);
  await t.rejects(claimLines(planOf(line)), { code: "GUARD_BUSY" });
  child.kill("SIGKILL");
  await once(child, "exit");
  await claimLines(planOf(line));
});

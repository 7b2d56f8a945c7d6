import { createInterface } from "node:readline";
import { millis } from "../../../drivers/units.js";
import { connected, outcome, REST, reconnect, timesOn } from "./connected.js";
import type { Rig } from "./rig.js";

/*
 * One round over what the tests of this folder promise, in some seconds of emulated time: what `npm run firmware:mutate` judges a
 * spoilt binary by before the tests themselves. Each line of standard input asks for one, since a process that goes on is fast.
 */

class Broken extends Error {}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Broken(what);
}

const near = (time: number | undefined, wanted: number, more: number): boolean =>
  time !== undefined && time > wanted - 60 && time <= wanted + more;

async function doses(): Promise<void> {
  const { rig, interlock } = await connected();
  const { budgetLeft } = await rig.until(interlock.status());
  await rig.until(interlock.request("pump", millis(700)));
  await rig.run(300);
  demand((await rig.until(outcome(interlock.request("pump", millis(100))))) !== "taken", "one at a time");
  await rig.run(700);
  const status = await rig.until(interlock.status());
  demand(near(timesOn(rig, "pump")[0], 700, 10), "a dose is as long as it was asked");
  demand(near(status.pumpLive, 700, 60), "what ran is measured");
  demand(budgetLeft - status.budgetLeft >= 700, "a dose is charged");
  await rig.run(REST);
  await rig.until(interlock.request("light", millis(5000)));
  await rig.until(interlock.request("pump", millis(4000)));
  rig.chip.receive(0);
  await rig.run(100);
  await rig.until(interlock.off("pump"));
  await rig.run(20);
  demand(!rig.isOn("pump") && rig.isOn("light"), "each has its own off");
  await rig.until(interlock.allOff());
  await rig.run(20);
  demand(!rig.isOn("light"), "all off");
  demand((await rig.until(interlock.status())).faults.length === 0, "no lawful order ends in a fault");
}

async function contacts(): Promise<void> {
  const { rig, interlock } = await connected();
  await rig.run(2000 - REST);
  await rig.until(interlock.request("light", millis(9000)));
  await rig.until(interlock.request("pump", millis(4000)));
  await rig.run(100);
  rig.pressStop(true);
  await rig.run(25);
  demand(!rig.isOn("pump") && !rig.isOn("light"), "the stop opens both");
  rig.pressStop(false);
  await rig.run(50);
  demand((await rig.until(outcome(interlock.clear()))) === "taken", "a released stop can be cleared");
  for (const output of ["pump", "light"] as const) {
    rig.setWelded(output, true);
    await rig.run(200);
    demand((await rig.until(interlock.status())).faults.length === 1, "a welded contact is found");
    rig.setWelded(output, false);
    await rig.run(50);
    demand((await rig.until(interlock.clear())).faults.length === 0, "and cleared when it is mended");
  }
}

async function silence(): Promise<void> {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(4900)));
  rig.killHost();
  await rig.run(2600);
  demand(!rig.isOn("pump"), "a silent host ends a dose");
  demand(((await reconnect(rig)).latest?.status.faults.length ?? 0) === 1, "and that is a fault");
}

async function hangs(rig: Rig): Promise<void> {
  const hung = rig.now;
  rig.hang();
  await rig.run(600);
  demand(!rig.isOn("pump") && (rig.edges.at(-1)?.at ?? 0) - hung <= 270, "the watchdog opens the contact");
}

async function resets(): Promise<void> {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", millis(500)));
  await rig.run(500 + REST);
  const before = (await rig.until(interlock.status())).budgetLeft;
  await rig.until(interlock.request("pump", millis(3000)));
  await rig.run(200);
  await hangs(rig);
  await rig.run(1000);
  const { faults, budgetLeft } = await rig.until(interlock.status());
  demand(faults.length === 1, "a restart by the watchdog is a fault");
  demand(budgetLeft > 0 && before - budgetLeft >= 3000, "the whole dose stays charged");
  for (const cause of ["power", "pin"] as const) {
    rig.reset(cause);
    await rig.run(1000);
    const after = await rig.until(interlock.status());
    demand(
      after.faults.length === 0 && after.budgetLeft === budgetLeft,
      `a start by ${cause} changes nothing`,
    );
  }
}

async function round(): Promise<string> {
  try {
    for (const part of [doses, contacts, silence, resets]) await part();
    return "as promised";
  } catch (error) {
    return `BROKEN: ${error instanceof Error ? error.message : String(error)}`;
  }
}

for await (const _ of createInterface({ input: process.stdin })) process.stdout.write(`${await round()}\n`);

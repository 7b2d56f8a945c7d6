import { Interlock } from "../../drivers/devices/interlock/interlock.js";
import { hours, millis, minutes, seconds } from "../../drivers/units.js";
import { outcome, timesOn } from "./avr/connected.js";
import { Rig } from "./avr/rig.js";

/**
 * `npm run firmware:long`: the device's own firmware, with its own limits, through the long waits that the tests shorten.
 * Some hours of the chip's time. Prints each promise with what the pins did, and fails where one is broken.
 */
async function connected(): Promise<{ rig: Rig; interlock: Interlock }> {
  const rig = new Rig();
  await rig.run(1000);
  const interlock = await rig.until(Interlock.open(rig.line, rig.clock));
  await rig.run(seconds(10));
  return { rig, interlock };
}

const within = (value: number, least: number, most: number) => value >= least && value <= most;

function judge(promise: string, kept: boolean, figures: string): void {
  console.log(`${kept ? "ok    " : "BROKEN"} ${promise}: ${figures}`);
  if (!kept) process.exitCode = 1;
}

async function longestDose(): Promise<void> {
  const { rig, interlock } = await connected();
  await rig.until(interlock.request("pump", seconds(26)));
  await rig.run(seconds(40));
  await rig.until(interlock.request("pump", millis(28_800)));
  await rig.run(seconds(40));
  const { faults } = await rig.until(interlock.status());
  const beyond = await rig.until(outcome(interlock.request("pump", millis(28_900))));
  await rig.until(interlock.request("pump", millis(28_899)));
  await rig.run(seconds(40));
  const [dose = 0, long = 0, longest = 0] = timesOn(rig, "pump");
  judge("the largest dose, 26 s", within(dose, 25_900, 26_010), `${dose} ms`);
  judge("a request of 28.8 s", within(long, 28_700, 28_810), `${long} ms`);
  judge("neither is a fault", faults.length === 0, faults.join() || "none");
  judge("a request at the cut is refused", beyond === "INTERLOCK_LIMITS", beyond);
  // It ends in the step in which the cut is due too: off either way, and as a fault
  judge("the longest request that is taken, 28.899 s", within(longest, 28_800, 28_910), `${longest} ms`);
}

async function budgetOfADay(): Promise<void> {
  const { rig, interlock } = await connected();
  let answer = "taken";
  while (answer === "taken") {
    answer = await rig.until(outcome(interlock.request("pump", seconds(26))));
    await rig.run(seconds(37));
  }
  const total = timesOn(rig, "pump").reduce((sum, on) => sum + on, 0);
  judge(
    "the budget of a day, 600 s",
    answer === "INTERLOCK_BUDGET" && within(total, 500_000, 600_000),
    `${total} ms`,
  );
}

async function longestLight(): Promise<void> {
  const { rig, interlock } = await connected();
  await rig.run(minutes(10));
  await rig.until(interlock.request("light", minutes(120)));
  await rig.run(minutes(121));
  const [on = 0] = timesOn(rig, "light");
  const { faults } = await rig.until(interlock.status());
  judge("light for 120 min, no fault", within(on, 7_199_000, 7_200_010) && faults.length === 0, `${on} ms`);
  const early = await rig.until(outcome(interlock.request("light", hours(1))));
  judge("the light rests for ten minutes", early === "INTERLOCK_REST", early);
}

for (const part of [longestDose, budgetOfADay, longestLight]) await part();

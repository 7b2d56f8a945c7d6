/** The child of a test with a kill: commits thirty measurements, and lets five wait. */
import { writeSync } from "node:fs";
import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { hours } from "../../../drivers/units.js";
import { openStore } from "../../../runtime/store/store.js";

const store = await openStore({ folder: process.argv[2] ?? "" });
store.delayCommits({ clock: new SystemClock(), within: hours(1) });
const add = (value: number) =>
  store.measurements.add({ place: "kitchen", quantity: "air_temperature", at: 1_767_225_600_000, value });
for (let n = 0; n < 30; n += 1) add(n);
await store.measurements.flush();
for (let n = 0; n < 5; n += 1) add(n);
writeSync(1, "waiting\n");
process.stdin.resume();

import { SystemClock } from "../../../drivers/clock/system-clock.js";
import { millis } from "../../../drivers/units.js";

/** Keeps a processor busy for as long as its parent lives: nobody is left with a loop of ours. */
const LOOK_UP = millis(50);
const clock = new SystemClock();
const parent = process.ppid;
process.stdout.write("busy\n");
while (process.ppid === parent) {
  const end = clock.monotonic() + LOOK_UP;
  while (clock.monotonic() < end);
}

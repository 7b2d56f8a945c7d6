import { rmSync } from "node:fs";
import t from "tap";
import { plus, seconds } from "../../../drivers/units.js";
import { clock } from "../inside/gpio-sim.js";
import { Installed, STATE } from "./installed.js";
import { journal, run } from "./system.js";

/** A disk that is full while everything is on. */

/** Until the runtime has seen it (a third of the deadline) and the deadline has passed; then the stop step. */
const RUN_OUT = seconds(27);
const STOP_STEP = seconds(5);
const FILLER = `${STATE}/filler`;

const service = await Installed.on(t);
await service.stop();
// the state as it is, on a small disk of its own
run("sh", "-c", `cp -a ${STATE} /run/kept && mount -t tmpfs -o size=16M,mode=700 tmpfs ${STATE}`);
run("sh", "-c", `chown tendril:tendril ${STATE} && cp -a /run/kept/. ${STATE}/`);
await service.start();

t.test("a disk that is full: not fed, off, and back once there is room", async (t) => {
  await service.everythingOn();
  const before = service.runtime;
  const filled = clock.monotonic();
  run("sh", "-c", `cat /dev/zero >${FILLER} 2>/dev/null || true`);
  const { pump, light } = await service.off(filled, plus(RUN_OUT, STOP_STEP));
  t.comment(`pump off after ${Math.round(pump)} ms, light ${Math.round(light)} ms`);
  t.match(journal("tendril.service").join("\n"), /not well, .*bytes are left on the disk/);
  rmSync(FILLER);
  const freed = clock.monotonic();
  t.comment(`back ${Math.round(await service.backAfter(before, freed))} ms after there was room`);
});

import t from "tap";
import { seconds } from "../../../drivers/units.js";
import { clock } from "../inside/gpio-sim.js";
import { Installed } from "./installed.js";

/** Processes that die amid a dose. */

/** From a death to the stop step's end. */
const STOP_STEP = seconds(5);
const service = await Installed.on(t);

const victims = {
  "the runtime": () => [service.runtime],
  "runtime and guard at once": () => [service.guard, service.runtime],
};
for (const [who, pids] of Object.entries(victims))
  t.test(`SIGKILL of ${who}: both relays off, and back by itself`, async (t) => {
    await service.everythingOn();
    const before = service.runtime;
    const killed = clock.monotonic();
    for (const pid of pids()) process.kill(pid, "SIGKILL");
    const { pump, light } = await service.off(killed, STOP_STEP);
    t.comment(`pump off after ${Math.round(pump)} ms, light ${Math.round(light)} ms`);
    t.comment(`back after ${Math.round(await service.backAfter(before, killed))} ms`);
    t.same([service.pump.level(), service.light.level()], [0, 0]);
  });

import t from "tap";
import { type Millis, plus, seconds } from "../../../drivers/units.js";
import { clock } from "../inside/gpio-sim.js";
import { Installed } from "./installed.js";
import { journal } from "./system.js";

/** A process that hangs: the deadline of the service manager's watchdog, as it is on a Pi. */

/** WatchdogSec= of tendril.service. */
const DEADLINE: Millis = seconds(20);
/** The guard's lease, 2 s, and a busy machine. */
const LEASE = seconds(4);
const STOP_STEP = seconds(5);
const service = await Installed.on(t);

t.test("fed, a runtime lives on beyond the deadline", async (t) => {
  const before = service.runtime;
  await clock.sleep(plus(DEADLINE, seconds(5)));
  t.equal(service.runtime, before);
});

t.test("a runtime that hangs: off by the guard, then killed by the watchdog, and back", async (t) => {
  await service.everythingOn();
  const before = service.runtime;
  const stopped = clock.monotonic();
  process.kill(before, "SIGSTOP");
  const { pump, light } = await service.off(stopped, LEASE);
  t.comment(`pump off after ${Math.round(pump)} ms, light ${Math.round(light)} ms`);
  const back = await service.backAfter(before, stopped);
  t.comment(`back after ${Math.round(back)} ms`);
  t.match(journal("tendril.service").join("\n"), /Watchdog timeout/);
});

t.test(
  "runtime and guard both hang: the pump by the kernel's timer, the plain pin by the stop step",
  async (t) => {
    await service.everythingOn();
    const before = service.runtime;
    const stopped = clock.monotonic();
    for (const pid of [service.guard, before]) process.kill(pid, "SIGSTOP");
    const { pump, light } = await service.off(stopped, plus(DEADLINE, STOP_STEP));
    t.comment(`pump off after ${Math.round(pump)} ms, light ${Math.round(light)} ms`);
    t.comment(`back after ${Math.round(await service.backAfter(before, stopped))} ms`);
  },
);

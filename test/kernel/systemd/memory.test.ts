import { readFileSync } from "node:fs";
import t from "tap";
import { seconds } from "../../../drivers/units.js";
import { clock } from "../inside/gpio-sim.js";
import { Installed, until } from "./installed.js";
import { property, run } from "./system.js";

/** Too little memory: the kernel kills what is largest in the service's own group, and nothing else. */

const STOP_STEP = seconds(15);
const limit = (bytes: string) =>
  run("systemctl", "set-property", "--runtime", "tendril.service", `MemoryMax=${bytes}`);
const kills = () =>
  Number(
    /^oom_kill (\d+)$/m.exec(
      readFileSync(`/sys/fs/cgroup${property("ControlGroup")}/memory.events`, "utf8"),
    )?.[1],
  );
const service = await Installed.on(t);

t.test("memory.max is hit: the runtime dies of it, everything is off, and it is back", async (t) => {
  await service.everythingOn();
  const before = service.runtime;
  t.equal(kills(), 0);
  const limited = clock.monotonic();
  // what it holds is more than that, and there is nowhere to swap it to
  limit("40M");
  const { pump, light } = await service.off(limited, STOP_STEP);
  t.comment(`pump off after ${Math.round(pump)} ms, light ${Math.round(light)} ms`);
  await until(() => service.runtime !== before, "has the same process still");
  limit("320M");
  t.comment(`back after ${Math.round(await service.backAfter(before, limited))} ms`);
  t.match(
    run("journalctl", "--no-pager", "--output=cat", "--dmesg"),
    /Memory cgroup out of memory: Killed process \d+ \((node|MainThread)\)/,
  );
});

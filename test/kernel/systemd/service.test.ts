import { readFileSync } from "node:fs";
import t from "tap";
import { seconds } from "../../../drivers/units.js";
import { clock } from "../inside/gpio-sim.js";
import { Installed } from "./installed.js";
import { processes, procStatus, property, run } from "./system.js";

/** The installed service under a real systemd, from its start to its end. */

/** From a death to the stop step's end. */
const STOP_STEP = seconds(10);
const NICENESS = 18;
const service = await Installed.on(t);

t.test("systemctl start returns when it serves, with its guard up and every relay off", async (t) => {
  const took = await service.start();
  t.comment(`active after ${Math.round(took)} ms`);
  t.match(property("StatusText"), /^1 plant on ws:\/\/127\.0\.0\.1:8731\/mcp$/);
  t.ok(service.guard > 0);
  t.same([service.pump.level(), service.light.level()], [0, 0]);
});

t.test("the command line works for the service's user", async (t) => {
  t.match(service.cli("status"), /basil/);
});

t.test("every process runs unprivileged, without a capability, under the filter", async (t) => {
  const uid = run("id", "-u", "tendril");
  const groups = ["gpio", "i2c", "video", "dialout"].map(
    (name) => run("getent", "group", name).split(":")[2],
  );
  for (const pid of processes()) {
    const status = procStatus(pid);
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"])
      t.equal(status.get(set), "0".repeat(16), set);
    t.match(Object.fromEntries(status), { NoNewPrivs: "1", Seccomp: "2" });
    t.same(status.get("Uid")?.split("\t"), Array(4).fill(uid));
    for (const group of groups)
      t.ok(status.get("Groups")?.trim().split(" ").includes(String(group)), `group ${group}`);
  }
});

t.test("the guard goes before all others, by its limit alone", async (t) => {
  const fields = readFileSync(`/proc/${service.guard}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  t.equal(Number(fields[NICENESS - 2]), -20);
});

t.test("what it may write to is its own folders and the platform's devices", async (t) => {
  const mounts = readFileSync(`/proc/${service.runtime}/mountinfo`, "utf8").split("\n");
  const options = new Map(mounts.map((line) => line.split(" ")).map(([, , , , where, how]) => [where, how]));
  t.match(options.get("/"), /^ro/);
  t.match(options.get("/sys"), /^ro/);
  for (const where of ["/var/lib/tendril", "/sys/devices/platform", "/sys/class/gpio"])
    t.match(options.get(where), /^rw/, where);
  t.equal(run("cat", "/sys/fs/cgroup/system.slice/tendril.service/memory.max"), String(320 * 2 ** 20));
});

t.test("systemctl stop: off before it is gone, in order, with status 0; and started again", async (t) => {
  await service.everythingOn("asked for");
  const asked = clock.monotonic();
  const off = service.off(asked, STOP_STEP);
  const took = await service.stop();
  const { pump, light } = await off;
  t.comment(
    `pump off after ${Math.round(pump)} ms, light ${Math.round(light)} ms, stopped after ${Math.round(took)} ms`,
  );
  t.match([property("Result"), property("ExecMainStatus")], ["success", "0"]);
  await service.start();
});

t.test("SIGKILL of the runtime: off, and back by itself", async (t) => {
  await service.everythingOn("by hand");
  const before = service.runtime;
  const killed = clock.monotonic();
  process.kill(before, "SIGKILL");
  const { pump, light } = await service.off(killed, STOP_STEP);
  t.comment(`pump off after ${Math.round(pump)} ms, light ${Math.round(light)} ms`);
  t.comment(`back after ${Math.round(await service.backAfter(before, killed))} ms`);
});

t.test("SIGKILL of runtime and guard at once: the plain pin goes off too, by the stop step", async (t) => {
  await service.everythingOn("by hand");
  const before = service.runtime;
  const killed = clock.monotonic();
  for (const pid of [service.guard, before]) process.kill(pid, "SIGKILL");
  const { pump, light } = await service.off(killed, STOP_STEP);
  t.comment(`pump off after ${Math.round(pump)} ms, light ${Math.round(light)} ms`);
  t.comment(`back after ${Math.round(await service.backAfter(before, killed))} ms`);
});

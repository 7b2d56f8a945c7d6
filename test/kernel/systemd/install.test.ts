import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import t from "tap";
import { type millis, seconds } from "../../../drivers/units.js";
import { clock } from "../inside/gpio-sim.js";
import { install, installedVersion, inventory, versionOf } from "./debian.js";
import { CONFIG, config, Installed, STATE } from "./installed.js";
import { OtherComputer } from "./other-computer.js";
import { BEFORE } from "./story.js";
import { journal, memory, processes, procStatus, property, run } from "./system.js";

/** A clean Debian, and the package: from apt to an agent elsewhere that waters. */

/** From the order to stop to the stop step's end. */
const STOP_STEP = seconds(10);
const NICENESS = 18;
writeFileSync(BEFORE, inventory().join("\n"));
let service: Installed;

t.test("apt installs it without a network, and says what to do next", async (t) => {
  const { took, said } = install("current");
  t.comment(`installed after ${Math.round(took)} ms: ${versionOf("current")}`);
  t.match(said, /sudo tendril setup/);
  t.notMatch(said, /^(E|W|dpkg): /m);
  t.equal(run("systemctl", "is-enabled", "tendril.service"), "enabled");
  t.equal(property("ActiveState"), "inactive", "there is nothing yet that says what is wired up");
});

t.test(
  "once it is told what is wired up, systemctl start returns when it serves, every relay off",
  async (t) => {
    writeFileSync(CONFIG, JSON.stringify(config()), { mode: 0o640 });
    run("chgrp", "tendril", CONFIG);
    const asked = clock.monotonic();
    const { status, stderr } = spawnSync("systemctl", ["start", "tendril.service"], { encoding: "utf8" });
    t.equal(status, 0, `the first start is a success: ${stderr}${journal("tendril.service").join("\n")}`);
    service = await Installed.on(t);
    t.comment(`active after ${Math.round(clock.monotonic() - asked)} ms`);
    t.match(property("StatusText"), /^1 plant on /);
    t.same([service.pump.level(), service.light.level()], [0, 0]);
    t.equal(property("NRestarts"), "0");
  },
);

t.test("the command line works for root, who becomes the service's user", async (t) => {
  t.match(run("tendril", "status"), /basil/);
  t.equal(run("tendril", "--version"), installedVersion());
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
  const on = (path: string): string => options.get(path) ?? on(dirname(path));
  for (const path of [
    "/",
    "/etc",
    "/proc/sys",
    "/sys/class",
    "/sys/devices",
    "/sys/fs",
    "/sys/kernel",
    "/sys/module",
  ])
    t.match(on(path), /^ro/, path);
  for (const path of [STATE, "/sys/devices/platform", "/sys/class/gpio"]) t.match(on(path), /^rw/, path);
  t.equal(run("cat", "/sys/fs/cgroup/system.slice/tendril.service/memory.max"), String(320 * 2 ** 20));
});

t.test("an agent on another computer waters over the wire, and its token is in no log", async (t) => {
  const balcony = new OtherComputer(t);
  const token = readFileSync(`${STATE}/tokens/agent`, "utf8").trim();
  const since = clock.monotonic();
  const { said, log } = balcony.runAgent(token);
  t.comment(`a cycle over the wire took ${Math.round(clock.monotonic() - since)} ms`);
  t.ok((await service.used()) > 0, said);
  t.match(journal("bench-chip.service").join("\n"), /^GPIO17 1\nGPIO17 0$/m, "the pump's pin says so too");
  t.equal(service.pump.level(), 0);
  for (const words of [run("journalctl", "--no-pager", "--output=export"), said, log])
    t.notOk(words.includes(token), "the token is in no log");
});

t.test("memory: what the unit holds, and the most that it has held, within its limit", async (t) => {
  const { now, peak } = memory();
  t.comment(`${now} MB now, ${peak} MB at most, of 320`);
  t.ok(peak < 320);
});

t.test("systemctl stop: off before it is gone, in order, with status 0; and started again", async (t) => {
  await service.everythingOn();
  const asked = clock.monotonic();
  const off = service.off(asked, STOP_STEP);
  const took = await service.stop();
  const { pump, light } = await off;
  t.comment(`off after ${at(pump)} and ${at(light)}, stopped after ${at(took)}`);
  t.match([property("Result"), property("ExecMainStatus")], ["success", "0"]);
  t.comment(`active again after ${at(await service.start())}`);
});

const at = (time: ReturnType<typeof millis>): string => `${Math.round(time)} ms`;

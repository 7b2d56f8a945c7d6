import { writeFileSync } from "node:fs";
import t from "tap";
import { install, installedVersion, versionOf } from "./debian.js";
import { Installed } from "./installed.js";
import { CHARGED } from "./story.js";
import { run } from "./system.js";

/** A newer version, an older one, and a reboot, each amid a dose. */

const service = await Installed.on(t);

t.test(
  "apt install of a newer version amid a dose: relays off, it runs again, and the ledger has all",
  async (t) => {
    const before = await service.used();
    const { runtime } = service;
    await service.everythingOn();
    const { took } = install("newer");
    t.comment(`upgraded after ${Math.round(took)} ms`);
    t.equal(installedVersion(), versionOf("newer"));
    await service.active();
    t.not(service.runtime, runtime);
    t.same([service.pump.level(), service.light.level()], [0, 0]);
    t.ok((await service.used()) > before, "the dose that the upgrade has cut short is charged too");
  },
);

t.test("a version that knows nothing of this state is refused, and nothing has changed", async (t) => {
  const used = await service.used();
  t.throws(() => install("older", "--allow-downgrades"), { message: /written by a newer Tendril/ });
  t.equal(installedVersion(), versionOf("newer"));
  await service.active();
  t.equal(await service.used(), used);
  t.equal(run("dpkg", "--audit"), "");
});

t.test("a dose is under way when the machine goes down", async (t) => {
  writeFileSync(CHARGED, String(await service.used()));
  await service.everythingOn();
  t.same([service.pump.level(), service.light.level()], [1, 1]);
});

import { readFileSync } from "node:fs";
import t from "tap";
import { Installed } from "./installed.js";
import { CHARGED } from "./story.js";
import { journal, property, run } from "./system.js";

/** After the reboot. */

t.test("it is up by itself, at the first try, with no relay on at any time", async (t) => {
  const service = await Installed.on(t);
  t.comment(`active ${Number(property("ActiveEnterTimestampMonotonic")) / 1000} ms after the kernel's start`);
  t.comment(run("systemd-analyze", "time").split("\n")[0] ?? "");
  t.equal(property("NRestarts"), "0", journal("tendril.service").join("\n"));
  t.same([service.pump.level(), service.light.level()], [0, 0]);
  const witness = run("journalctl", "--boot", "--no-pager", "--output=cat", "--unit=bench-chip.service");
  t.notMatch(witness, /^GPIO\d+ 1$/m);
});

t.test("the ledger charges what was poured before, the dose of the reboot too", async (t) => {
  const service = await Installed.on(t);
  t.ok((await service.used()) > Number(readFileSync(CHARGED, "utf8")));
});

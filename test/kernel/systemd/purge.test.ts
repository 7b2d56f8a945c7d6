import { readFileSync } from "node:fs";
import t from "tap";
import { inventory, purge } from "./debian.js";
import { Installed } from "./installed.js";
import { BEFORE } from "./story.js";

t.test("apt purge amid a dose: relays off, and the system is as it was before", async (t) => {
  const service = await Installed.on(t);
  await service.everythingOn();
  purge();
  t.same([service.pump.level(), service.light.level()], [0, 0]);
  const before = new Set(readFileSync(BEFORE, "utf8").split("\n"));
  const after = inventory();
  const now = new Set(after);
  t.same(
    { left: after.filter((line) => !before.has(line)), lost: [...before].filter((line) => !now.has(line)) },
    { left: [], lost: [] },
  );
});

import { writeFileSync } from "node:fs";
import t from "tap";
import { CONFIG, config, Installed, until } from "./installed.js";
import { journal, property, run } from "./system.js";

/** A service that cannot be kept up: it is given up, with its relays off and a message. */

const OWN_PROGRAM = "/etc/tendril/on-failure";
const STARTS = 8;
// not to wait for five minutes of pauses
const service = await Installed.on(t, "RestartSec=500ms", "RestartSteps=0");

t.test("the eighth start that fails is the last: relays off, the message, the owner's program", async (t) => {
  await service.everythingOn();
  writeFileSync(CONFIG, "board: pie");
  writeFileSync(OWN_PROGRAM, '#!/bin/sh\necho "told: $1"\n', { mode: 0o755 });
  process.kill(service.runtime, "SIGKILL");
  await until(() => property("ActiveState") === "failed", "is not given up");
  t.same([service.pump.level(), service.light.level()], [0, 0]);
  t.equal(Number(property("NRestarts")), STARTS, "the last restart is refused");
  await until(
    () => journal("tendril-failed.service").some((line) => line.startsWith("told: ")),
    "told nobody",
  );
  const said = journal("tendril-failed.service").join("\n");
  t.match(said, /^0 > \/sys\/class\/leds\/basil-pump\/brightness$/m);
  t.equal(said.match(/^told: /gm)?.length, 1, "told once, not at each failed start");
  t.match(said, /^told: tendril\.service was given up: .*journalctl -u tendril\.service/m);
});

t.test("a person who has mended it starts it again", async (t) => {
  writeFileSync(CONFIG, JSON.stringify(config()));
  run("systemctl", "reset-failed", "tendril.service");
  await service.start();
  t.equal(property("ActiveState"), "active");
});

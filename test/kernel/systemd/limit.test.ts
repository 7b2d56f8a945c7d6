import { renameSync, rmSync, writeFileSync } from "node:fs";
import t, { type Test } from "tap";
import { CONFIG, config, Installed, STATE, until } from "./installed.js";
import { journal, property, run } from "./system.js";

/** A service that cannot be kept up: it is given up, with its relays off and a message. */

const OWN_PROGRAM = "/etc/tendril/on-failure";
const TOKENS = `${STATE}/tokens`;
const STARTS = 8;
writeFileSync(OWN_PROGRAM, '#!/bin/sh\necho "told: $1"\n', { mode: 0o755 });
// not to wait for five minutes of pauses
const service = await Installed.on(t, "RestartSec=500ms", "RestartSteps=0");

const told = () => journal("tendril-failed.service").filter((line) => line.startsWith("told: "));

async function givenUp(t: Test, restarts: number): Promise<void> {
  await until(() => property("ActiveState") === "failed", "is not given up");
  t.same([service.pump.level(), service.light.level()], [0, 0]);
  t.equal(Number(property("NRestarts")), restarts);
}

t.test("the eighth start that fails is the last: relays off, the message, the owner's program", async (t) => {
  await service.everythingOn();
  renameSync(TOKENS, `${TOKENS}.aside`);
  writeFileSync(TOKENS, "no folder");
  process.kill(service.runtime, "SIGKILL");
  await givenUp(t, STARTS); // the last is refused
  await until(() => told().length > 0, "told nobody");
  const said = journal("tendril-failed.service").join("\n");
  t.match(said, /^0 > \/sys\/class\/leds\/basil-pump\/brightness$/m);
  t.equal(told().length, 1, "told once, not at each failed start");
  t.match(told()[0], /tendril\.service was given up: it failed too often\. .*journalctl -u tendril\.service/);
});

t.test("a person who has mended it starts it again", async (t) => {
  rmSync(TOKENS);
  renameSync(`${TOKENS}.aside`, TOKENS);
  run("systemctl", "reset-failed", "tendril.service");
  await service.start();
  t.equal(property("ActiveState"), "active");
});

t.test("a configuration that cannot work is given up at the first start, and told", async (t) => {
  await service.everythingOn();
  writeFileSync(CONFIG, "board: pie");
  process.kill(service.runtime, "SIGKILL");
  await givenUp(t, 1);
  await until(() => told().length > 1, "told nobody");
  t.match(told()[1], /given up: its configuration cannot work\./);
  t.match(journal("tendril.service").join("\n"), /tendril\.yaml:1: board/);
  writeFileSync(CONFIG, JSON.stringify(config()));
  await service.start();
});

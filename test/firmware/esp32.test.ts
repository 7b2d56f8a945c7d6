import { fileURLToPath } from "node:url";
import t from "tap";
import { millis } from "../../drivers/units.js";
import { PLAIN_NODE } from "../spawn-node.js";
import { connected, timesOn } from "./avr/connected.js";
import { Esp32Chip } from "./esp32/chip.js";

/** Another chip is another process: the tests read which one they are for as they are loaded. */
const [node, ...before] = PLAIN_NODE;
const [noHooks, tests] = ["../stray-errors.js", "esp32/avr-tests.js"].map(
  (name) => new URL(name, import.meta.url),
);
const args = [...before, "--import", String(noHooks), fileURLToPath(String(tests))];
t.spawn(node, args, { env: { ...process.env, INTERLOCK_CHIP: "esp32c3" } }, "the ESP32-C3's port");

/** firmware/core/limits-short.h and firmware/ports/esp32/main/cut.c. */
const SHORT_CUT = 5000;
const LATER = 900;

t.test("a main loop that hangs while the watchdog is broken: the second cut opens the contact", async (t) => {
  const { rig, interlock } = await connected({ build: "interlock-esp32c3-short" });
  await rig.until(interlock.request("pump", millis(4900)));
  await rig.run(500);
  if (rig.chip instanceof Esp32Chip) rig.chip.breakWatchdog();
  rig.hang();
  await rig.run(10_000);
  const [on = 0, ...more] = timesOn(rig, "pump");
  t.same(more, []);
  t.ok(on > SHORT_CUT && on <= SHORT_CUT + LATER + 10, `on for ${on} ms`);
});

t.test("a dose that ends in time disarms the second cut, and the next one arms it anew", async (t) => {
  const { rig, interlock } = await connected({ build: "interlock-esp32c3-short" });
  for (let n = 0; n < 3; n++) {
    await rig.until(interlock.request("pump", millis(1500)));
    await rig.run(3000);
  }
  t.equal(timesOn(rig, "pump").length, 3);
  t.same((await rig.until(interlock.status())).faults, []);
});

import t from "tap";
import { seconds } from "../../../drivers/units.js";
import { clock } from "./gpio-sim.js";
import { ALL_OFF, AT_ONCE, input, isAbout, levels, PotOnAPi } from "./pot-on-a-pi.js";

/** A button, a leak sensor and a float on the runtime's lines. */

const pot = await PotOnAPi.start(t);

t.test(
  "the stop button in mid-dose: pump off, the answer names it, and all is on hold until a person lifts it",
  async (t) => {
    const { answer } = await pot.pouring();
    input("stop", true);
    const pressed = clock.monotonic();
    const took = (await pot.pump.until(0, seconds(3))) - pressed;
    t.ok(took < AT_ONCE, `${Math.round(took)} ms`);
    t.match(await answer, {
      ok: false,
      error: { code: "CANCELLED", message: /stop button "red button" is pressed/ },
    });
    t.match(await pot.human.refused("set_hold", { hold: false }, "as said"), { code: "INPUT_ACTIVE" });
    input("stop", false);
    await clock.sleep(seconds(1));
    t.match(await pot.plan("water", 10), { proceed: false, reason: /hold/ });
    t.equal((await pot.agent.refused("dispense_water", { ml: 10 })).code, "HOLD");
    t.same(levels(), ALL_OFF);
    t.match(await pot.letters(), [/The stop button "red button" was pressed/]);
    await pot.human.get("set_hold", { hold: false }, "as said");
    t.ok(isAbout(10, (await pot.human.get("dispense_water", { ml: 10 })).dispensed));
  },
);

t.test(
  "a leak in mid-dose: pump off, locked until the tray is dry and a person has cleared it",
  async (t) => {
    const { answer } = await pot.pouring();
    input("leak", true);
    const wet = clock.monotonic();
    const took = (await pot.pump.until(0, seconds(3))) - wet;
    t.ok(took < AT_ONCE, `${Math.round(took)} ms`);
    t.match(await answer, { ok: false, error: { code: "CANCELLED", message: /leak sensor "tray"/ } });
    t.match(await pot.human.refused("clear_fault"), { code: "INPUT_ACTIVE" });
    input("leak", false);
    await clock.sleep(seconds(6));
    t.match(await pot.human.refused("dispense_water", { ml: 10 }), { code: "LEAK" });
    t.same(levels(), ALL_OFF);
    await pot.human.get("clear_fault");
    t.ok(isAbout(10, (await pot.human.get("dispense_water", { ml: 10 })).dispensed));
  },
);

t.test("an empty tank: no water, nothing charged, and a full one needs nobody's word", async (t) => {
  const before = await pot.used();
  input("tank", true);
  await clock.sleep(seconds(2));
  t.equal((await pot.human.refused("dispense_water", { ml: 10 })).code, "TANK_EMPTY");
  t.same(levels(), ALL_OFF);
  t.equal(await pot.used(), before);
  input("tank", false);
  await clock.sleep(seconds(6));
  t.ok(isAbout(10, (await pot.human.get("dispense_water", { ml: 10 })).dispensed));
});

import t from "tap";
import { seconds } from "../../../drivers/units.js";
import { tendril } from "../../run-tendril.js";
import { clock } from "./gpio-sim.js";
import { PotOnAPi, SLACK } from "./pot-on-a-pi.js";

/** A person wants everything off. */

const pot = await PotOnAPi.start(t);

t.test("POST /off needs no token, and gets through while others keep the runtime busy", async (t) => {
  const { answer } = await pot.pouring();
  let busy = true;
  const flood = Array.from({ length: 20 }, async () => {
    while (busy) await pot.agent.call("get_overview", {}, "as said");
  });
  const asked = clock.monotonic();
  const { status } = await fetch(new URL("/off", pot.runtime.http), { method: "POST" });
  t.equal(status, 200);
  const took = (await pot.pump.until(0, seconds(5))) - asked;
  busy = false;
  t.comment(`pump off after ${Math.round(took)} ms`);
  t.match(await answer, { ok: false, error: { code: "CANCELLED" } });
  await Promise.all(flood);
});

t.test("tendril off: the light is out, and everything is on hold", async (t) => {
  await pot.human.get("turn_on_light", { minutes: 30 });
  await pot.light.until(1, SLACK);
  t.match(await tendril(["off", "--state", pot.state]), { code: 0, out: /everything is off\non hold/ });
  await pot.light.until(0, SLACK);
  t.equal((await pot.human.refused("dispense_water", { ml: 10 })).code, "HOLD");
});
